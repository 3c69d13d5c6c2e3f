/** The built package, as users install it. */
import path from 'node:path';

export const ROOT = path.resolve(__dirname, '../../..');

/** `npm test` builds the package before the tests. */
// eslint-disable-next-line @typescript-eslint/no-require-imports
export const { ensureBuilt } = require('../../../scripts/ensure-built.cjs') as { ensureBuilt: () => void };
