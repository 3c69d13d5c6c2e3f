import { tryAll } from './matrix';
import { EVERY_SIZE } from './row';

describe('transfers through faults', () => tryAll(EVERY_SIZE));
