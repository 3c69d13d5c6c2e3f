/**
 * Compression with zstd, which Node.js has from 22.15 and 23.8 on. Older ones write without compression, which restic
 * accepts in the same repository, and read with a library.
 */
import * as zlib from 'node:zlib';
import { loadFzstd } from './libraries';
import { damagedFile } from './damaged-file';

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
    if (zstdDecompressSync) return zstdDecompressSync(compressed, { maxOutputLength: Math.max(1, limit) });
    return decompressFrame(compressed, limit);
  } catch {
    return undefined;
  }
}

/** The library allocates as large a window as the frame asks for. */
function decompressFrame(compressed: Uint8Array, limit: number): Buffer | undefined {
  if (windowSize(compressed) > Math.max(limit, MIN_LIMIT)) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  const { Decompress } = loadFzstd();
  const stream = new Decompress((chunk) => {
    length += chunk.length;
    if (length > limit) throw new RangeError('too large');
    chunks.push(Buffer.from(chunk));
  });
  stream.push(compressed, true);
  return Buffer.concat(chunks, length);
}

/** https://datatracker.ietf.org/doc/html/rfc8878#name-frame-header */
function windowSize(frame: Uint8Array): number {
  const header = Buffer.from(frame.subarray(0, 18));
  const descriptor = header.readUInt8(4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  if (!isSingleSegment) {
    const window = header.readUInt8(5);
    return 2 ** (10 + (window >> 3)) * (1 + (window & 7) / 8);
  }
  const start = 5 + (DICTIONARY_SIZES[descriptor & 3] as number);
  const length = CONTENT_SIZES[descriptor >> 6] as number;
  return length === 8
    ? Number(header.readBigUInt64LE(start))
    : header.readUIntLE(start, length) + (length === 2 ? 256 : 0);
}
