import { createHash } from 'node:crypto';

/** Pseudo-random bytes, the same for the same seed. */
export function bytes(length: number, seed = 1): Buffer {
  const words = new Int32Array(Math.ceil(length / 4));
  let state = seed >>> 0 || 1;
  for (let index = 0; index < Math.floor(length / 4); index++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[index] = state;
  }
  // The bytes after the last whole word repeat it.
  words.fill(state, Math.floor(length / 4));
  return Buffer.from(words.buffer, 0, length);
}

export const md5 = (content: Buffer): string => createHash('md5').update(content).digest('hex');
export const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
