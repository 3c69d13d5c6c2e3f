/** Storage for an account's tokens, passed in so that `src` doesn't depend on Node-RED's credentials. */
import type { Tokens } from '../types';

export interface TokenStore {
  /** @returns the stored tokens, empty strings if there are none */
  load(): Tokens;
  /** Saves refreshed tokens. */
  save(tokens: Tokens): void;
}
