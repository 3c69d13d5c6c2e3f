/** All faults with the client at all sizes, and the main ones with the nodes. */
import { useNodeRed } from '../support/node-red/load';
import { testFaultMatrix } from './fault-matrix';
import { openClientRunner, openNodeRunner, useFakeClock } from './runners';
import { ALL_SIZES, FEW_SIZES } from './fault-case';

describe('transfers of the client with faults', () =>
  testFaultMatrix({ sizes: ALL_SIZES, open: openClientRunner }));

describe('transfers of the nodes with faults', () => {
  useNodeRed();
  useFakeClock();
  testFaultMatrix({
    sizes: FEW_SIZES,
    includes: ({ isLongRunOnly }) => isLongRunOnly !== true,
    open: openNodeRunner,
  });
});
