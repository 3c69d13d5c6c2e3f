/**
 * Paths on disk and in archives are bytes, which aren't always valid UTF-8, such as names from a disk that was used with
 * Latin-1. Node.js replaces what it can't decode with U+FFFD, and then can't find the file. Here and in `archive`, a path is a
 * string with a lone surrogate, U+DC80 to U+DCFF, for each byte that isn't part of valid UTF-8, as in Python (PEP 383).
 * Such a string has all bytes, and can be split, joined, compared, matched, hashed and written as JSON like any other.
 * https://peps.python.org/pep-0383/
 */
import type { Dir, Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';

/** With the flag, the second half of a valid pair doesn't match. */
const ESCAPED = /[\udc80-\udcff]/u;
/** Upper byte of the surrogates. */
const OFFSET = 0xdc00;
/** Entries that are read from a folder at once. */
const BATCH = 256;

export function decodePath(bytes: Buffer): string {
  const text = bytes.toString();
  if (!text.includes('\ufffd') || Buffer.from(text).equals(bytes)) return text;
  let path = '';
  for (let index = 0; index < bytes.length;) {
    const character = characterAt(bytes, index);
    path += character ?? String.fromCharCode(OFFSET + (bytes[index] as number));
    index += character === undefined ? 1 : Buffer.byteLength(character);
  }
  return path;
}

export function encodePath(path: string): Buffer {
  if (isUtf8(path)) return Buffer.from(path);
  const parts = path.split(/([\udc80-\udcff])/u);
  const toBytes = (part: string, index: number): Buffer =>
    index % 2 === 0 ? Buffer.from(part) : Buffer.of(part.charCodeAt(0) - OFFSET);
  return Buffer.concat(parts.map(toBytes));
}

/** Whether the bytes of the path are valid UTF-8. */
export function isUtf8(path: string): boolean {
  return !ESCAPED.test(path);
}

/** The path as the functions of the file system take it. */
export function diskPath(path: string): string | Buffer {
  return isUtf8(path) ? path : encodePath(path);
}

/** The path for users, who see U+FFFD instead of what can't be decoded. */
export function readablePath(path: string): string {
  return path.replace(/[\udc80-\udcff]/gu, '\ufffd');
}

/** Opens a folder on disk. Its entries need {@link withName}. */
export function openFolder(path: string): Promise<Dir> {
  // The types know no other encoding of names.
  const options = { bufferSize: BATCH, encoding: 'buffer' as BufferEncoding };
  return opendir(diskPath(path), options);
}

/** Sets the name of an entry that comes from {@link openFolder}. */
export function withName(entry: Dirent): Dirent {
  entry.name = decodePath(entry.name as unknown as Buffer);
  return entry;
}

/** @returns undefined if no valid character starts there */
function characterAt(bytes: Buffer, start: number): string | undefined {
  const first = bytes[start] as number;
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const part = bytes.subarray(start, start + length);
  const text = part.toString();
  return Buffer.from(text).equals(part) ? text : undefined;
}
