/**
 * Paths on disk and in archives are bytes, which aren't always valid UTF-8, such as names from a disk that was used
 * with Latin-1. Node.js replaces what it can't decode with U+FFFD, and then can't find the file. Here and in `archive`,
 * a path is a string with a lone surrogate, U+DC80 to U+DCFF, for each byte that isn't part of valid UTF-8, as in
 * Python (PEP 383). Such a string has all bytes, and can be split, joined, compared, matched, hashed and written as
 * JSON like any other. https://peps.python.org/pep-0383/
 */
import type { Dir, Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';

/** With the flag, the second half of a valid pair doesn't match. */
const ESCAPED = /[\udc80-\udcff]/u;
/** Upper byte of the surrogates. */
const OFFSET = 0xdc00;
/**
 * Bytes of a path or link target in an archive, which may come from anyone. The system accepts 4,096 on Linux, and less
 * than this elsewhere.
 */
export const MAX_PATH = 16 * 1024;
/** Entries that are read from a folder at once. */
const BATCH = 256;

export function decodePath(bytes: Buffer): string {
  const text = bytes.toString();
  if (!text.includes('\ufffd') || Buffer.from(text).equals(bytes)) return text;
  // UTF-16 with at most as many units as there are bytes.
  const units = Buffer.allocUnsafe(2 * bytes.length);
  let end = 0;
  const add = (unit: number): void => void (end = units.writeUInt16LE(unit, end));
  for (let index = 0; index < bytes.length;) {
    const code = codePointAt(bytes, index);
    if (code === undefined) add(OFFSET + (bytes[index++] as number));
    else {
      index += lengthOf(code);
      // Beyond 16 bits, a pair of surrogates.
      if (code > 0xffff) add(0xd7c0 + (code >> 10));
      add(code > 0xffff ? 0xdc00 + (code & 0x3ff) : code);
    }
  }
  return units.toString('utf16le', 0, end);
}

export function encodePath(path: string): Buffer {
  if (isUtf8(path)) return Buffer.from(path);
  const parts = path.split(/([\udc80-\udcff]+)/u);
  // Latin-1 takes the lower byte of each surrogate.
  return Buffer.concat(parts.map((part, index) => Buffer.from(part, index % 2 === 0 ? 'utf8' : 'latin1')));
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

/** Sets the name of an entry that was read as bytes, as from {@link openFolder}. */
export function withName(entry: Dirent): Dirent {
  entry.name = decodePath(entry.name as unknown as Buffer);
  return entry;
}

/** @returns undefined if no valid character starts there. RFC 3629 */
function codePointAt(bytes: Buffer, start: number): number | undefined {
  const first = bytes[start] as number;
  if (first < 0x80) return first;
  if (first < 0xc2 || first > 0xf4) return undefined;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  let code = first & (0x7f >> length);
  for (let index = start + 1; index < start + length; index++) {
    const next = bytes[index] ?? 0;
    if ((next & 0xc0) !== 0x80) return undefined;
    code = (code << 6) | (next & 0x3f);
  }
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return lengthOf(code) === length && code <= 0x10ffff && !isSurrogate ? code : undefined;
}

/** Bytes of the shortest form, which is the only valid one. */
function lengthOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
