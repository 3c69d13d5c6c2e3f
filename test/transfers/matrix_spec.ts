/** Each transfer through each fault, through the client at two sizes. All of them: matrix_long. */
import { tryAll } from './matrix';
import { theClient } from './performers';
import { FEW_SIZES } from './row';

/** The whole of it is in matrix_long.ts. */
describe('transfers through faults, at two sizes', () =>
  tryAll({ sizes: FEW_SIZES, fits: ({ isMore }) => isMore !== true, open: theClient }));
