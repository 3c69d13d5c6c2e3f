/**
 * The libraries for archives. The build bundles each into a file of its own, so that they aren't installed with the
 * package; they are loaded on first use, because most flows need none of them.
 */
import type * as Age from 'age-encryption' with { 'resolution-mode': 'import' };

/* eslint-disable @typescript-eslint/no-require-imports */

/** Reads and writes the headers and keys of the age format: https://age-encryption.org/v1 */
export function loadAge(): typeof Age {
  return require('age-encryption') as typeof Age;
}
