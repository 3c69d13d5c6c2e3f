/**
 * Compression with zstd, which Node.js has from 22.15 and 23.8 on. Older ones write without compression, which restic
 * accepts in the same repository, and read with a library.
 */
import * as zlib from 'node:zlib';
import { loadFzstd } from './libraries';
import { damagedFile } from './repository-errors';

/** What `node:zlib` has from Node.js 22.15 on; undefined before. */
interface Zstd {
  zstdCompressSync?: (data: Uint8Array) => Buffer;
  zstdDecompressSync?: (data: Uint8Array, options: { maxOutputLength: number }) => Buffer;
}
const { zstdCompressSync, zstdDecompressSync } = zlib as Zstd;

/** Whether this Node.js compresses. */
export const canCompress = zstdCompressSync !== undefined;

/** Of an index, a snapshot, a lock or the config: plaintext that begins with this is compressed JSON. */
const COMPRESSED_JSON = 2;
/** Bytes of the JSON of an index, which should be below 8 MiB. */
const MAX_JSON = 128 * 1024 * 1024;
/** How often the size of the compressed JSON the JSON may have, and bytes that it may have always. Most of it are hashes. */
const MAX_RATIO = 50;
const MIN_LIMIT = 4 * 1024 * 1024;

/** @returns undefined if this Node.js doesn't compress, or the result isn't smaller */
export function compress(plain: Uint8Array): Buffer | undefined {
  const compressed = plain.length > 0 ? zstdCompressSync?.(plain) : undefined;
  return compressed && compressed.length < plain.length ? compressed : undefined;
}

/**
 * @param length bytes of the result, which the caller limits. Its hash has to be compared. @param file for the error message
 * @throws `bad_response` if it is malformed or another length is certain
 */
export function decompress(compressed: Uint8Array, length: number, file: string): Buffer {
  const plain = tryDecompress(compressed, length);
  if (plain?.length !== length) throw damagedFile(file, 'zstd');
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
  // The library leaves zeros after the end, which JSON never contains.
  const end = json.indexOf(0);
  return end < 0 ? json : Buffer.from(json.subarray(0, end));
}

/** @param limit bytes of the result. @returns undefined if it is malformed or too large */
function tryDecompress(compressed: Uint8Array, limit: number): Buffer | undefined {
  try {
    if (zstdDecompressSync) return zstdDecompressSync(compressed, { maxOutputLength: Math.max(1, limit) });
    // Without a buffer, the library allocates as much as the data asks for.
    const plain = Buffer.alloc(limit);
    loadFzstd().decompress(compressed, plain);
    return plain;
  } catch {
    return undefined;
  }
}
