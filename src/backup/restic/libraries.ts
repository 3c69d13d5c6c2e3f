/** The libraries for snapshots, which the build bundles: see src/backup/archive/libraries.ts. */
import type * as Fzstd from 'fzstd';

/* eslint-disable @typescript-eslint/no-require-imports */

/** Decompresses where Node.js doesn't. */
export function loadFzstd(): typeof Fzstd {
  return require('fzstd') as typeof Fzstd;
}
