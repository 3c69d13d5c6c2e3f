/**
 * Headers of tar entries: ustar, with an extended header before it where ustar can't express a value. Extended headers
 * contain UTF-8: a path that isn't is in the ustar header as it is, or in a long name of GNU tar, which other programs
 * read, too. GNU tar writes such a path to the extended header, but then bsdtar reports an error; with
 * `hdrcharset=BINARY`, GNU tar warns.
 * https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_03
 * https://www.gnu.org/software/tar/manual/html_node/Standard.html
 */
import { MAX_PATH, decodePath, encodePath, isUtf8 } from '../../fs/path-bytes';
import type { OpenedEntry } from '../entries/source-entry';

export const BLOCK = 512;

const SECOND = 1_000_000_000n;
const MODE_BITS = 0o7777n;
/** Seven octal digits. */
const MAX_ID = 0o7777777;
/** Eleven octal digits. */
const MAX_NUMBER = 0o77777777777;
/** Bytes of the fields for paths. */
const [MAX_NAME, MAX_PREFIX, MAX_LINK] = [100, 155, 100];

const TYPE_FLAGS = {
  ...{ file: '0', link: '1', symlink: '2', directory: '5' },
  ...{ extended: 'x', longPath: 'L', longLink: 'K' },
};

const NON_ASCII = /[^\0-\x7f]/;

interface HeaderFields {
  path: string;
  type: keyof typeof TYPE_FLAGS;
  mode: number;
  uid: number;
  gid: number;
  size: number;
  /** s since 1970, rounded down. */
  seconds: number;
  /** The rest of the time. */
  nanoseconds: number;
  linkPath: string;
}

/** Used for all headers: allocating memory for each takes longer than writing it. */
let memory = Buffer.alloc(8 * BLOCK);

/** What precedes the header of an entry. */
interface Extension {
  type: 'extended' | 'longPath' | 'longLink';
  content: string;
  encoding: 'utf8' | 'latin1';
}

/**
 * @param hardLink the path of an earlier entry that is the same file
 * @returns whole blocks. Their memory is reused by the next call.
 */
export function tarHeader(entry: OpenedEntry, hardLink?: string): Buffer {
  const fields = fieldsOf(entry, hardLink);
  const extensions = extensionsOf(fields);
  const size = extensions.reduce(
    (sum, extension) => sum + BLOCK + paddedSize(extensionSize(extension)),
    BLOCK,
  );
  if (size > memory.length) memory = Buffer.alloc(size);
  const header = memory.subarray(0, size).fill(0);
  let position = 0;
  for (const extension of extensions) position = writeExtension(header, position, fields, extension);
  writeUstar(header.subarray(position), fields);
  return header;
}

function extensionSize({ content, encoding }: Extension): number {
  return Buffer.byteLength(content, encoding);
}

/** @returns where the next header starts */
function writeExtension(
  header: Buffer,
  position: number,
  fields: HeaderFields,
  extension: Extension,
): number {
  const { type, content, encoding } = extension;
  const size = extensionSize(extension);
  const path = type === 'extended' ? 'PaxHeader' : '././@LongLink';
  writeUstar(header.subarray(position), { ...fields, path, type, size, linkPath: '' });
  header.write(content, position + BLOCK, encoding);
  return position + BLOCK + paddedSize(size);
}

/** @returns the size with the zeros that fill the last block */
export function paddedSize(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

function fieldsOf({ path, type, stats, linkname = '' }: OpenedEntry, hardLink?: string): HeaderFields {
  const { mode, uid, gid, size, mtimeNs } = stats;
  const nanoseconds = ((mtimeNs % SECOND) + SECOND) % SECOND;
  return {
    path: type === 'directory' ? `${path}/` : path,
    type: hardLink === undefined ? type : 'link',
    mode: Number(mode & MODE_BITS),
    uid: Number(uid),
    gid: Number(gid),
    size: type === 'file' && hardLink === undefined ? Number(size) : 0,
    seconds: Number((mtimeNs - nanoseconds) / SECOND),
    nanoseconds: Number(nanoseconds),
    linkPath: hardLink ?? linkname,
  };
}

function extensionsOf(fields: HeaderFields): Extension[] {
  const { path, linkPath } = fields;
  const extensions: Extension[] = [];
  const addLong = (type: 'longPath' | 'longLink', bytes: string): void => {
    extensions.push({ type, content: `${bytes}\0`, encoding: 'latin1' });
  };
  if (!isUtf8(path) && !splitUstarPath(byteString(path))) addLong('longPath', byteString(path));
  if (!isUtf8(linkPath) && byteString(linkPath).length > MAX_LINK) addLong('longLink', byteString(linkPath));
  const content = extendedRecords(fields);
  if (content !== '') extensions.push({ type: 'extended', content, encoding: 'utf8' });
  return extensions;
}

/** @returns a character for each byte */
function byteString(path: string): string {
  return NON_ASCII.test(path) ? encodePath(path).toString('latin1') : path;
}

function extendedRecords(fields: HeaderFields): string {
  const { path, size, uid, gid, seconds, nanoseconds, linkPath } = fields;
  let records = '';
  if (isUtf8(path) && (NON_ASCII.test(path) || !splitUstarPath(path)))
    records += extendedRecord('path', path);
  if (isUtf8(linkPath) && (NON_ASCII.test(linkPath) || linkPath.length > MAX_LINK))
    records += extendedRecord('linkpath', linkPath);
  if (nanoseconds !== 0 || seconds < 0 || seconds > MAX_NUMBER)
    records += extendedRecord('mtime', decimalTime(fields));
  if (uid > MAX_ID) records += extendedRecord('uid', String(uid));
  if (gid > MAX_ID) records += extendedRecord('gid', String(gid));
  if (size > MAX_NUMBER) records += extendedRecord('size', String(size));
  return records;
}

/** `25 ctime=1084839148.1212\n`: the length includes its own digits. */
function extendedRecord(key: string, value: string): string {
  const record = ` ${key}=${value}\n`;
  const size = Buffer.byteLength(record);
  const digits = String(size + String(size).length).length;
  return `${size + digits}${record}`;
}

/** @param path bytes. @returns undefined if the path is too long for both fields together */
function splitUstarPath(path: string): { name: string; prefix: string } | undefined {
  if (path.length <= MAX_NAME) return { name: path, prefix: '' };
  const slash = path.indexOf('/', path.length - MAX_NAME - 1);
  const [prefix, name] = [path.slice(0, slash), path.slice(slash + 1)];
  return slash > 0 && prefix.length <= MAX_PREFIX && name !== '' ? { name, prefix } : undefined;
}

/** @param header zeros */
function writeUstar(
  header: Buffer,
  { path, type, mode, uid, gid, size, seconds, linkPath }: HeaderFields,
): void {
  // What doesn't fit is in the extended header, and cut off here.
  const bytes = byteString(path);
  const { name, prefix } = splitUstarPath(bytes) ?? { name: bytes, prefix: '' };
  header.write(name, 0, MAX_NAME, 'latin1');
  header.write(octal(mode, 7), 100);
  header.write(octal(Math.min(uid, MAX_ID), 7), 108);
  header.write(octal(Math.min(gid, MAX_ID), 7), 116);
  header.write(octal(Math.min(size, MAX_NUMBER), 11), 124);
  header.write(octal(Math.min(Math.max(0, seconds), MAX_NUMBER), 11), 136);
  // The checksum is computed with spaces in its place.
  header.write('        ', 148);
  header.write(TYPE_FLAGS[type], 156);
  header.write(byteString(linkPath), 157, MAX_LINK, 'latin1');
  header.write('ustar\x0000', 257);
  header.write(prefix, 345, MAX_PREFIX, 'latin1');
  let sum = 0;
  for (let index = 0; index < BLOCK; index++) sum += header[index] as number;
  header.write(`${octal(sum, 6)}\0 `, 148);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

/** Before 1970, `-1.25` is 1.25 s before. */
function decimalTime({ seconds, nanoseconds }: HeaderFields): string {
  const isNegative = seconds < 0 && nanoseconds > 0;
  const [whole, rest] = isNegative ? [seconds + 1, 1e9 - nanoseconds] : [seconds, nanoseconds];
  const fraction = String(rest).padStart(9, '0').replace(/0+$/, '');
  return `${whole === 0 && isNegative ? '-' : ''}${whole}${fraction && `.${fraction}`}`;
}

/*
 * Reading: also headers of GNU tar, and those from before POSIX.
 * https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_06
 */

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
