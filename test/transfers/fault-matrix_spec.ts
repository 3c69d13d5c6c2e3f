/** Each transfer through each fault, through the client at two sizes. All of them: matrix_long. */
import { testFaultMatrix } from './fault-matrix';
import { openClientRunner } from './runners';
import { FEW_SIZES } from './fault-case';

/** The whole of it is in matrix_long.ts. */
describe('transfers through faults, at two sizes', () =>
  testFaultMatrix({
    sizes: FEW_SIZES,
    includes: ({ isLongRunOnly }) => isLongRunOnly !== true,
    open: openClientRunner,
  }));
