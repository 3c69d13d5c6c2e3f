import { tryAll } from './matrix';
import { FEW_SIZES } from './row';

/** The whole of it is in matrix_long.ts. */
describe('transfers through faults, at two sizes', () => tryAll(FEW_SIZES, ({ isMore }) => isMore !== true));
