/** The libraries for snapshots, which the build bundles: see src/backup/archive/libraries.ts. */
import type * as Poly1305 from '@noble/ciphers/_poly1305.js' with { 'resolution-mode': 'import' };
import type * as Fzstd from 'fzstd';

/* eslint-disable @typescript-eslint/no-require-imports */

/** Decompresses where Node.js doesn't. */
export function loadFzstd(): typeof Fzstd {
  return require('fzstd') as typeof Fzstd;
}

/** Node.js has it only together with ChaCha20. https://datatracker.ietf.org/doc/html/rfc8439#section-2.5 */
export function loadPoly1305(): typeof Poly1305 {
  return require('@noble/ciphers/_poly1305.js') as typeof Poly1305;
}
