import { createHash } from 'node:crypto';

/** Pseudo-random bytes, the same for the same seed. */
export function bytes(length: number, seed = 1): Buffer {
  const content = Buffer.allocUnsafe(length);
  let state = seed >>> 0 || 1;
  let offset = 0;
  for (; offset + 4 <= length; offset += 4) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    content.writeInt32LE(state, offset);
  }
  for (; offset < length; offset++) content[offset] = (state >>> (8 * (offset % 4))) & 0xff;
  return content;
}

export const md5 = (content: Buffer): string => createHash('md5').update(content).digest('hex');
export const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
