/**
 * Reads headers of tar entries: ustar, those of GNU tar, and those from before POSIX.
 * https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_06
 * https://www.gnu.org/software/tar/manual/html_node/Standard.html
 */
import { decodePath } from '../disk/path-bytes';

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
const USED_RECORDS =
  /^(?:path|linkpath|size|mtime|uid|gid|GNU\.sparse\.(?:major|map|name|numblocks|realsize|size))$/;

/** @returns undefined for records that can't be read */
export function readPaxRecords(content: Buffer): PaxRecords | undefined {
  const records = new Map<string, string>();
  for (let start = 0; start < content.length && content[start] !== 0;) {
    const space = content.indexOf(SPACE, start);
    const length = Number(content.toString('latin1', start, space));
    const end = start + length;
    const equals = content.indexOf('=', space);
    if (!(end <= content.length && space < equals && equals < end)) return undefined;
    const key = content.toString('utf8', space + 1, equals);
    if (USED_RECORDS.test(key)) records.set(key, decodePath(content.subarray(equals + 1, end - 1)));
    start = end;
  }
  return records;
}

/** The content of a long name of GNU tar. */
export function readLongName(content: Buffer): string {
  return textIn(content, 0, content.length);
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
