/**
 * A gzip member whose content isn't compressed. Not by zlib: at level 0, Node.js 18.5 writes beyond its memory, and
 * later versions copy everything twice.
 * https://www.rfc-editor.org/rfc/rfc1952#section-2.3, https://www.rfc-editor.org/rfc/rfc1951#section-3.2.4
 */
import * as zlib from 'node:zlib';

/** No flags, no time, no extra flags, an unknown system. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** Bytes of a stored block: its length has 16 bits. */
const MAX_BLOCK = 0xffff;

/** Writes the member of a content. @returns its length in `output` */
export function writeStoredMember(content: Buffer, output: Buffer): number {
  let position = HEADER.copy(output);
  for (let start = 0; start < content.length; start += MAX_BLOCK) {
    const length = Math.min(MAX_BLOCK, content.length - start);
    const isLast = start + length === content.length;
    position = output.writeUInt8(isLast ? 1 : 0, position);
    position = output.writeUInt16LE(length, position);
    position = output.writeUInt16LE(length ^ 0xffff, position);
    position += content.copy(output, position, start, start + length);
  }
  position = output.writeUInt32LE(crc32(content), position);
  return output.writeUInt32LE(content.length, position);
}

/** Node.js has a function since 20.15. */
const native = (zlib as { crc32?: (data: Buffer) => number }).crc32;

function crc32(content: Buffer): number {
  return native ? native(content) : crc32InTable(content);
}

let table: Uint32Array | undefined;

/** https://www.rfc-editor.org/rfc/rfc1952#section-8 */
export function crc32InTable(content: Buffer): number {
  table ??= Uint32Array.from({ length: 256 }, (_, index) => {
    let value = index;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
    return value;
  });
  const values = table;
  let crc = -1;
  // Without iterators and checks for undefined: this loop sees every byte.
  for (let index = 0; index < content.length; index++) {
    crc = (values[(crc ^ (content[index] as number)) & 0xff] as number) ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}
