/**
 * Compression with zstd, which Node.js has from 22.15 and 23.8 on. Older ones write without compression, which restic
 * accepts in the same repository, and read with a library.
 */
import type * as Fzstd from 'fzstd';
import { randomBytes } from 'node:crypto';
import * as zlib from 'node:zlib';
import { freeIfLarge } from './crypto';
import { damagedFile } from './json-file';

/** Functions of `node:zlib` from Node.js 22.15 on; undefined before. */
interface Zstd {
  zstdCompressSync?: (data: Uint8Array) => Buffer;
  zstdDecompressSync?: (data: Uint8Array, options: { maxOutputLength: number }) => Buffer;
}
const { zstdCompressSync, zstdDecompressSync } = zlib as Zstd;

/** Of an index, a snapshot, a lock or the config: plaintext that begins with this is compressed JSON. */
const COMPRESSED_JSON = 2;
/** Bytes of the JSON of an index, which should be below 8 MiB. */
const MAX_JSON = 128 * 1024 * 1024;
/**
 * How often the size of the compressed JSON the JSON may have, and bytes that it may have always. Most of it are
 * hashes.
 */
const MAX_RATIO = 50;
const MIN_LIMIT = 4 * 1024 * 1024;
/** Begins each frame. */
const MAGIC = 0xfd2fb528;
/** Bytes of the window of a frame, as Node.js accepts. */
const MAX_WINDOW = 128 * 1024 * 1024;
/** Bytes at the end of a frame, by its flag. */
const CHECKSUM = 4;
/** Bytes of content that are tried first, if the size is unknown. */
const FIRST_SIZE = 256 * 1024;
/** Bytes of fields in the header of a frame, by their flags. */
const DICTIONARY_SIZES = [0, 1, 2, 4];
const CONTENT_SIZES = [1, 2, 4, 8];

/** @returns undefined if this Node.js doesn't compress, or the result isn't smaller */
export function compress(plain: Uint8Array): Buffer | undefined {
  const compressed = plain.length > 0 ? zstdCompressSync?.(plain) : undefined;
  return compressed && compressed.length < plain.length ? compressed : undefined;
}

/**
 * @param limit bytes of the result. Its hash has to be compared. @param file for the error message
 * @throws `bad_response` if it is malformed or too large
 */
export function decompress(compressed: Uint8Array, limit: number, file: string): Buffer {
  const plain = tryDecompress(compressed, limit);
  if (plain === undefined) throw damagedFile(file, 'zstd');
  return plain;
}

/** @param version of the repository: 1 has no compression. @returns the plaintext of a file other than a pack or key */
export function encodeFile(json: Buffer, version: number): Buffer {
  const compressed = version > 1 ? compress(json) : undefined;
  return compressed ? Buffer.concat([Buffer.of(COMPRESSED_JSON), compressed]) : json;
}

/** @returns the JSON. @throws `bad_response` if it is malformed or too large */
export function decodeFile(plain: Buffer, file: string): Buffer {
  if (plain[0] !== COMPRESSED_JSON) return plain;
  const compressed = plain.subarray(1);
  const limit = Math.min(MAX_JSON, MIN_LIMIT + compressed.length * MAX_RATIO);
  const json = tryDecompress(compressed, limit);
  if (json === undefined) throw damagedFile(file, 'zstd');
  return json;
}

/** @param limit bytes of the result. @returns undefined if it is malformed or too large */
function tryDecompress(compressed: Uint8Array, limit: number): Buffer | undefined {
  try {
    const frame = Buffer.from(compressed.buffer, compressed.byteOffset, compressed.length);
    const parts = checkFrame(frame, limit);
    if (zstdDecompressSync) return zstdDecompressSync(compressed, { maxOutputLength: Math.max(1, limit) });
    return decompressFrame(frame, parts, limit);
  } catch {
    return undefined;
  }
}

/** Of a frame; all are offsets but the size. */
interface FrameParts {
  /** Bytes of the content, if the frame says. */
  size: number | undefined;
  blocks: number;
  lastBlock: number;
  /** Behind the last block. */
  end: number;
}

/**
 * The library copies the window for each block, however small, unless the header has the size: then it writes in place.
 * Behind the content is a mark, which shows where it ends and doesn't fit if it is too large.
 */
function decompressFrame(frame: Buffer, { size, blocks, lastBlock, end }: FrameParts, limit: number): Buffer {
  const mark = randomBytes(16);
  const markHeader = Buffer.of(1 | (mark.length << 3), 0, 0);
  const header = Buffer.from('28b52ffda000000000', 'hex');
  const marked = Buffer.concat([header, frame.subarray(blocks, end), markHeader, mark]);
  const last = header.length + lastBlock - blocks;
  marked[last] = (marked[last] as number) & ~1;
  for (let capacity = Math.min(size ?? FIRST_SIZE, limit); ; capacity = Math.min(8 * capacity, limit)) {
    marked.writeUInt32LE(capacity + mark.length, 5);
    try {
      const found = loadFzstd().decompress(marked);
      const plain = Buffer.from(found.subarray(0, Buffer.from(found.buffer, 12).lastIndexOf(mark)));
      freeIfLarge(Buffer.from(found.buffer));
      return plain;
    } catch (error) {
      if (size !== undefined || capacity === limit) throw error;
    }
  }
}

/**
 * Clients write one frame, and nothing else. Decompression allocates as large a window as a frame asks for.
 * https://datatracker.ietf.org/doc/html/rfc8878#name-zstandard-frames
 * @throws if it is malformed or too large
 */
function checkFrame(frame: Buffer, limit: number): FrameParts {
  const descriptor = frame.readUInt8(4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const start = (isSingleSegment ? 5 : 6) + (DICTIONARY_SIZES[descriptor & 3] as number);
  const sizeBytes =
    descriptor >> 6 === 0 && !isSingleSegment ? 0 : (CONTENT_SIZES[descriptor >> 6] as number);
  const size = sizeBytes === 0 ? undefined : readSize(frame, start, sizeBytes);
  const exponent = frame.readUInt8(5);
  const window = isSingleSegment ? (size ?? 0) : 2 ** (10 + (exponent >> 3)) * (1 + (exponent & 7) / 8);
  if (frame.readUInt32LE(0) !== MAGIC || (size ?? 0) > limit || window > MAX_WINDOW) throw new RangeError();
  const blocks = start + sizeBytes;
  let lastBlock = blocks;
  let end = blocks;
  for (let isLast = false; !isLast;) {
    const block = frame.readUIntLE(end, 3);
    isLast = (block & 1) === 1;
    lastBlock = end;
    const isRepeated = ((block >> 1) & 3) === 1;
    end += 3 + (isRepeated ? 1 : block >> 3);
  }
  if (end + ((descriptor & 4) === 0 ? 0 : CHECKSUM) !== frame.length) throw new RangeError();
  return { size, blocks, lastBlock, end };
}

function readSize(frame: Buffer, start: number, length: number): number {
  if (length === 8) return Number(frame.readBigUInt64LE(start));
  return frame.readUIntLE(start, length) + (length === 2 ? 256 : 0);
}

/** Decompresses where Node.js doesn't. The build bundles it: see src/backup/archive/age.ts. */
function loadFzstd(): typeof Fzstd {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require('fzstd') as typeof Fzstd;
}
