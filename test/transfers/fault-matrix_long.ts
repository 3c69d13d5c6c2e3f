/** Each transfer through each fault, through the client and through the nodes: the rows are in upload-rows, download-rows and part-rows. */
import { useNodeRed } from '../support/node-red/load';
import { testFaultMatrix } from './fault-matrix';
import { openClientRunner, openNodeRunner, useFakeTime } from './runners';
import { ALL_SIZES, FEW_SIZES } from './fault-case';

describe('transfers through faults', () => testFaultMatrix({ sizes: ALL_SIZES, open: openClientRunner }));

describe('transfers of the nodes through faults', () => {
  useNodeRed();
  useFakeTime();
  testFaultMatrix({
    sizes: FEW_SIZES,
    includes: ({ isLongRunOnly }) => isLongRunOnly !== true,
    open: openNodeRunner,
  });
});
