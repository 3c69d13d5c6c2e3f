/** Where an account's tokens are kept: a seam, so that `src` knows nothing of Node-RED's credentials. */
import type { Tokens } from '../types';

export interface TokenStore {
  /** @returns what is kept now; empty strings where there is nothing */
  load(): Tokens;
  /** Keeps what a refresh brought. */
  save(tokens: Tokens): void;
}
