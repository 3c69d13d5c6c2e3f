/** The main faults with the client at two sizes. fault-matrix_long.ts has all of them. */
import { testFaultMatrix } from './fault-matrix';
import { openClientRunner } from './runners';
import { FEW_SIZES } from './fault-case';

describe('transfers of the client with faults, at two sizes', () =>
  testFaultMatrix({
    sizes: FEW_SIZES,
    includes: ({ isLongRunOnly, isServiceError }, { where }) =>
      !isLongRunOnly && !(isServiceError && where === 'memory'),
    open: openClientRunner,
  }));
