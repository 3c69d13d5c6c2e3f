import { createHash } from 'node:crypto';

/** Bytes that differ everywhere and are the same each time. */
export function bytes(length: number, seed = 1): Buffer {
  const content = Buffer.allocUnsafe(length);
  let state = seed >>> 0 || 1;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    content.writeInt32LE(state, at);
  }
  for (; at < length; at++) content[at] = (state >>> (8 * (at % 4))) & 0xff;
  return content;
}

export const md5 = (content: Buffer): string => createHash('md5').update(content).digest('hex');
export const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
