/** Recognizes secrets in texts that errors quote. */

/**
 * Beginnings of Google's access tokens, refresh tokens, client secrets and API keys, of JWTs, and of private age keys.
 */
const SECRET = /\b(?:ya29\.|1\/\/|GOCSPX-|AIza|eyJ|AGE-SECRET-KEY-)|\bBearer\b/i;

export function looksLikeSecret(text: string): boolean {
  return SECRET.test(text);
}
