/**
 * Reads headers of tar entries: ustar, those of GNU tar, and those from before POSIX.
 * https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_06
 * https://www.gnu.org/software/tar/manual/html_node/Standard.html
 */
import { MAX_PATH, decodePath } from '../../fs/path-bytes';

const BLOCK = 512;
const USTAR_MAGIC = Buffer.from('ustar\0');
const CHECKSUM = { start: 148, end: 156 };
const SPACE = 0x20;

/** The fields of a header, as they are. Numbers that can't be read are NaN. */
export interface TarHeader {
  /** Type flag. */
  type: string;
  path: string;
  linkPath: string;
  mode: number;
  uid: number;
  gid: number;
  size: number;
  mtime: number;
}

/** @returns undefined if this is no header */
export function readTarHeader(block: Buffer): TarHeader | undefined {
  if (!hasChecksum(block)) return undefined;
  const name = textIn(block, 0, 100);
  // GNU tar uses the field of the prefix for other things.
  const isUstar = block.subarray(257, 263).equals(USTAR_MAGIC);
  const prefix = isUstar ? textIn(block, 345, 155) : '';
  return {
    type: String.fromCharCode(block[156] || 0x30),
    path: prefix === '' ? name : `${prefix}/${name}`,
    linkPath: textIn(block, 157, 100),
    mode: numberIn(block, 100, 8),
    uid: numberIn(block, 108, 8),
    gid: numberIn(block, 116, 8),
    size: numberIn(block, 124, 12),
    mtime: numberIn(block, 136, 12),
  };
}

export function isZero(block: Buffer): boolean {
  return block.every((byte) => byte === 0);
}

/** Records of an extended header. Values, some of which are paths, are strings as in path-bytes.ts. */
export type PaxRecords = ReadonlyMap<string, string>;

/** Only these are kept: there may be millions of others, and global ones stay in memory to the end of the archive. */
const USED_RECORDS = /^(?:path|linkpath|size|mtime|uid|gid)$/;
const SPARSE = 'GNU.sparse.';
/** More than the keys above have. */
const MAX_KEY = 64;
/** Of those keys. */
const FIRST_CHARACTERS = new Set(Buffer.from('plsmugG'));
/** No program writes as many. Each takes about a microsecond, and a megabyte of them is compressed to a kilobyte. */
const MAX_RECORDS = 10_000;
const [ZERO, NINE, EQUALS, GNU] = [0x30, 0x39, 0x3d, 0x47];

/** @returns undefined for records that can't be read */
export function readPaxRecords(content: Buffer): PaxRecords | undefined {
  const records = new Map<string, string>();
  let used = 0;
  for (let start = 0; start < content.length && content[start] !== 0;) {
    const { keyStart, end } = recordAt(content, start);
    if (!(end <= content.length && keyStart < end)) return undefined;
    const equals = keyEnd(content, keyStart, end);
    if (equals === undefined) return undefined;
    start = end;
    if (!mayBeUsed(content, keyStart, equals) || (content[keyStart] === GNU && records.has(SPARSE))) continue;
    if (++used > MAX_RECORDS) return undefined;
    const key = content.toString('latin1', keyStart, equals);
    const value = content.subarray(equals + 1, end - 1);
    if (key.startsWith(SPARSE)) records.set(SPARSE, '');
    else if (!USED_RECORDS.test(key)) continue;
    else if (value.length > MAX_PATH) return undefined;
    else records.set(key, decodePath(value));
  }
  return records;
}

/** By its first character and its length. */
function mayBeUsed(content: Buffer, start: number, end: number): boolean {
  return end - start <= MAX_KEY && FIRST_CHARACTERS.has(content[start] as number);
}

/** Whether there are records of a sparse file of GNU tar, whose content is a map and the parts that aren't zeros. */
export function isSparse(records: PaxRecords | undefined): boolean {
  return records?.has(SPARSE) ?? false;
}

/** Without strings: millions of records that nothing uses would take minutes. @returns NaN as the end for no length */
function recordAt(content: Buffer, start: number): { keyStart: number; end: number } {
  let length = 0;
  for (let index = start; ; index++) {
    const byte = content[index] ?? 0;
    if (byte === SPACE) return { keyStart: index + 1, end: start + (index === start ? NaN : length) };
    if (byte < ZERO || byte > NINE || length > content.length) return { keyStart: index, end: NaN };
    length = 10 * length + byte - ZERO;
  }
}

function keyEnd(content: Buffer, start: number, end: number): number | undefined {
  for (let index = start; index < end; index++) if (content[index] === EQUALS) return index;
  return undefined;
}

/** The content of a long name of GNU tar. @returns undefined for one that no system accepts */
export function readLongName(content: Buffer): string | undefined {
  const zero = content.indexOf(0);
  const length = zero === -1 ? content.length : zero;
  return length > MAX_PATH ? undefined : decodePath(content.subarray(0, length));
}

function textIn(block: Buffer, start: number, length: number): string {
  const zero = block.indexOf(0, start);
  const end = start + length;
  return decodePath(block.subarray(start, zero === -1 ? end : Math.min(zero, end)));
}

function hasChecksum(block: Buffer): boolean {
  const expected = numberIn(block, CHECKSUM.start, CHECKSUM.end - CHECKSUM.start);
  if (expected === checksum(block, (byte) => byte)) return true;
  // Some programs have added signed bytes.
  return expected === checksum(block, (byte) => (byte << 24) >> 24);
}

/** The sum of all bytes, with spaces in place of the sum itself. */
function checksum(block: Buffer, valueOf: (byte: number) => number): number {
  let sum = (CHECKSUM.end - CHECKSUM.start) * SPACE;
  for (let index = 0; index < BLOCK; index++) {
    if (index < CHECKSUM.start || index >= CHECKSUM.end) sum += valueOf(block[index] as number);
  }
  return sum;
}

/** Octal digits between spaces or zeros; or, after a byte with its highest bit set, the number itself. */
function numberIn(block: Buffer, start: number, length: number): number {
  const end = start + length;
  if ((block[start] as number) >= 0x80) return binaryNumber(block.subarray(start, end));
  let index = start;
  while (index < end && isPadding(block[index])) index += 1;
  let value = 0;
  for (; index < end && !isPadding(block[index]); index++) {
    const digit = (block[index] as number) - 0x30;
    if (digit < 0 || digit > 7) return NaN;
    value = value * 8 + digit;
  }
  return value;
}

function isPadding(byte: number | undefined): boolean {
  return byte === 0 || byte === SPACE;
}

/** Two's complement; the highest bit only marks the format. */
function binaryNumber(field: Buffer): number {
  return Number(BigInt.asIntN(8 * field.length - 1, BigInt(`0x${field.toString('hex')}`)));
}
