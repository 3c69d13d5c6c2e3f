/**
 * Headers of tar entries: ustar, with an extended header before it where ustar can't express a value. Extended headers
 * contain UTF-8: a path that isn't is in the ustar header as it is, or in a long name of GNU tar, which other programs
 * read, too. GNU tar writes such a path to the extended header, but then bsdtar reports an error; with
 * `hdrcharset=BINARY`, GNU tar warns.
 * https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_03
 * https://www.gnu.org/software/tar/manual/html_node/Standard.html
 */
import { encodePath, isUtf8 } from '../../fs/path-bytes';
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
