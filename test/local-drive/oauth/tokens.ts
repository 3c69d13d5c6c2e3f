import { createHash, randomBytes } from 'node:crypto';

/** A random base64url string. */
export function randomToken(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

/** The hash under which a token is stored. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
