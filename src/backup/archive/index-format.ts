/**
 * The index of an archive: where each entry is, so that a list needs no content, and a few entries only a few ranges.
 *
 * It is behind the tar's last gzip member, in gzip members without content, whose extra fields (RFC 1952 2.3.1.1) have the
 * index. Programs read these members without noticing: tar, bsdtar, gzip, Python, and age around them. The other known
 * ways have disadvantages here: eStargz appends its table as another tar entry, which every program unpacks; bgzip marks
 * each block, so that a list would have to visit all of them, and has its own index in a second file, which could be lost or
 * be older; pigz writes none. The index is at the end because only then all positions are known, and nothing has to be stored
 * on disk; its last member has a fixed length, so that the end of the file leads to it.
 *
 * 1. `T`: the compressed size of each block of {@link BLOCK_SIZE} bytes of tar. A block is one or more whole members.
 * 2. `P`: the entries in their order, in pages that are compressed on their own. The position of an entry follows from the
 *    sizes of those before it, so the entries of an index that someone has changed can neither overlap nor form loops.
 * 3. `F`: lengths, and a hash of all the others.
 */
import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { MAX_PATH, decodePath, encodePath } from '../../fs/path-bytes';
import { BLOCK, paddedSize } from './tar-header';

/** Bytes of the tar in each block. With smaller ones the file gets larger, because each starts without a history. */
export const BLOCK_SIZE = 512 * 1024;
/** Bytes of an index: those of a million entries. A larger archive has none, so that memory has a limit. */
export const MAX_INDEX = 7 * 1024 * 1024;
/** Bytes of a page before compression: an extra field has at most 65,535, and an entry at most two long paths. */
const PAGE_SIZE = 40 * 1024;
const MAX_PAGE = 128 * 1024;
/** Blocks in one member of the table. */
export const TABLE_SIZE = 12_000;

type IndexedType = 'file' | 'folder' | 'symlink' | 'link';
const TYPES: readonly IndexedType[] = ['file', 'folder', 'symlink', 'link'];

export interface IndexedEntry {
  /** As in path-bytes.ts, without a slash at the end. */
  path: string;
  type: IndexedType;
  /** Bytes of content. */
  size: number;
  /** ms since 1970 */
  time: number;
  mode: number;
  /** `''` for files and folders. */
  target: string;
  /** Blocks of 512 bytes before the content. */
  headers: number;
}

/** What is known only at the end. */
export interface IndexFooter {
  /** Where the index starts: bytes of gzip members before it. */
  start: number;
  /** Bytes of the tar, with its end mark. */
  tarLength: number;
}

/** Bytes of the tar that an entry takes. */
function lengthInTar(headers: number, type: IndexedType, size: number): number {
  return headers * BLOCK + (type === 'file' ? paddedSize(size) : 0);
}

/** Numbers and bytes in a row. */
class Column {
  private bytes = Buffer.alloc(4_096);
  length = 0;

  addNumber(value: number): void {
    this.reserve(8);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.bytes[this.length++] = (rest % 0x80) | 0x80;
    this.bytes[this.length++] = rest;
  }

  addBytes(bytes: Buffer): void {
    this.reserve(bytes.length);
    this.length += bytes.copy(this.bytes, this.length);
  }

  /** Empties the column. */
  take(): Buffer {
    const taken = Buffer.from(this.bytes.subarray(0, this.length));
    this.length = 0;
    return taken;
  }

  private reserve(length: number): void {
    if (this.length + length <= this.bytes.length) return;
    this.bytes = Buffer.concat([this.bytes, Buffer.alloc(this.bytes.length + length)]);
  }
}

const NOTHING = Buffer.alloc(0);

/** Collects entries, in the order of the tar. */
export class IndexPages {
  /** Numbers of all kinds, and what compresses better apart from them. */
  private readonly columns = { numbers: new Column(), names: new Column(), times: new Column() };
  private path: Buffer = NOTHING;
  private time = 0;
  private pages: Uint8Array[] = [];

  add({ path, type, size, time, mode, target, headers }: IndexedEntry): void {
    const { numbers, names, times } = this.columns;
    const bytes = encodePath(path);
    const shared = commonLength(this.path, bytes);
    const link = encodePath(target);
    for (const number of [
      shared,
      bytes.length - shared,
      link.length,
      TYPES.indexOf(type),
      headers,
      mode,
      size,
    ])
      numbers.addNumber(number);
    names.addBytes(bytes.subarray(shared));
    names.addBytes(link);
    times.addNumber(zigzag(time - this.time));
    this.path = bytes;
    this.time = time;
    if (numbers.length + names.length + times.length >= PAGE_SIZE) this.finishPage();
  }

  /** @returns pages that are complete. They aren't returned again. */
  take(): Uint8Array[] {
    return this.pages.splice(0);
  }

  finishPage(): void {
    const { numbers, names, times } = this.columns;
    if (numbers.length === 0) return;
    const lengths = new Column();
    for (const column of [numbers, names]) lengths.addNumber(column.length);
    const page = Buffer.concat([lengths.take(), numbers.take(), names.take(), times.take()]);
    // A copy, because a message would contain all of the memory that a buffer shares.
    this.pages.push(new Uint8Array(deflateRawSync(page, { level: 9 })));
    this.path = NOTHING;
    this.time = 0;
  }
}

/** An entry, and where it is in the tar. */
export interface PlacedEntry extends IndexedEntry {
  start: number;
  /** The position after its content. */
  end: number;
}

/** @param start of the first entry in the tar. @throws RangeError for bytes that aren't a page */
export function* readPage(page: Buffer, start: number): Generator<PlacedEntry> {
  const bytes = inflateRawSync(page, { maxOutputLength: MAX_PAGE });
  const lengths = new ColumnReader(bytes);
  const [numbersLength, namesLength] = [lengths.number(), lengths.number()];
  const [first, second] = [lengths.position + numbersLength, lengths.position + numbersLength + namesLength];
  const numbers = new ColumnReader(bytes.subarray(lengths.position, first));
  const names = new ColumnReader(bytes.subarray(first, second));
  const times = new ColumnReader(bytes.subarray(second));
  // The path of the last entry. The next path usually begins with most of it.
  const pathBytes = Buffer.alloc(MAX_PATH);
  let [pathLength, time, position] = [0, 0, start];
  while (!numbers.isAtEnd) {
    const shared = numbers.number();
    const length = numbers.number();
    const linkLength = numbers.number();
    const type = TYPES[numbers.number()];
    const headers = numbers.number();
    const mode = numbers.number();
    const size = numbers.number();
    if (!type || shared > pathLength || shared + length > MAX_PATH) throw new RangeError('invalid entry');
    names.bytes(length).copy(pathBytes, shared);
    pathLength = shared + length;
    const path = decodePath(pathBytes.subarray(0, pathLength));
    const target = linkLength === 0 ? '' : decodePath(names.bytes(linkLength));
    time += unzigzag(times.number());
    const end = position + lengthInTar(headers, type, size);
    yield { path, type, size, time, mode, target, headers, start: position, end };
    position = end;
  }
  if (!names.isAtEnd || !times.isAtEnd) throw new RangeError('more than the entries');
}

class ColumnReader {
  position = 0;

  constructor(private readonly column: Buffer) {}

  get isAtEnd(): boolean {
    return this.position >= this.column.length;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.column[this.position++];
      if (byte === undefined || factor > 2 ** 49) throw new RangeError('invalid number');
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  bytes(length: number): Buffer {
    const start = this.position;
    this.position += length;
    if (this.position > this.column.length) throw new RangeError('invalid length');
    return this.column.subarray(start, this.position);
  }
}

/** @returns a number of at least 0, so that small ones stay small */
function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function unzigzag(value: number): number {
  return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
}

function commonLength(one: Buffer, other: Buffer): number {
  const end = Math.min(one.length, other.length);
  let index = 0;
  while (index < end && one[index] === other[index]) index += 1;
  return index;
}

/** RFC 1952: deflate, an extra field, no time, an unknown system. */
const MEMBER_START = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff]);
/** Of our field. */
const FIELD_ID = Buffer.from('CD');
/** No content in one block, its CRC and its length. */
const MEMBER_END = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
/** Bytes before the content of the field: the start, two lengths, our ID. */
const FIELD_START = MEMBER_START.length + 6;

type Kind = 'T' | 'P' | 'F';

function member(kind: Kind, content: Uint8Array): Buffer {
  const lengths = Buffer.alloc(4);
  lengths.writeUInt16LE(content.length + 5, 0);
  lengths.writeUInt16LE(content.length + 1, 2);
  const [extra, field] = [lengths.subarray(0, 2), lengths.subarray(2)];
  return Buffer.concat([MEMBER_START, extra, FIELD_ID, field, Buffer.from(kind), content, MEMBER_END]);
}

const VERSION = 1;
/** A version and two numbers of 48 bits. */
const NUMBERS_SIZE = 1 + 2 * 6;
/** With a SHA-256. */
const FOOTER_SIZE = NUMBERS_SIZE + 32;
export const FOOTER_LENGTH = FIELD_START + 1 + FOOTER_SIZE + MEMBER_END.length;

/** Of the archive. A smaller archive may have a larger index of {@link SMALL_INDEX} bytes. */
const MAX_SHARE = 0.01;
const SMALL_INDEX = 256 * 1024;

/** Collects what the index consists of. */
export class IndexCollector {
  tarLength = 0;
  private start = 0;
  private readonly sizes: number[] = [];
  private pages: Uint8Array[] = [];
  private pagesLength = 0;

  addPages(pages: readonly Uint8Array[]): void {
    for (const page of pages) {
      this.pagesLength += page.length;
      this.pages.push(page);
    }
    if (this.pagesLength > MAX_INDEX) this.pages = [];
  }

  /** @param size of a compressed block */
  addBlock(size: number): void {
    this.sizes.push(size);
    this.start += size;
  }

  /** @returns undefined if the index would be too large */
  finish(): Buffer | undefined {
    const allowed = Math.min(MAX_INDEX, Math.max(SMALL_INDEX, this.start * MAX_SHARE));
    if (this.pagesLength > allowed) return undefined;
    const { start, tarLength } = this;
    const index = writeIndex(this.sizes, this.pages, { start, tarLength });
    return index.length > allowed ? undefined : index;
  }
}

export function writeIndex(
  sizes: readonly number[],
  pages: readonly Uint8Array[],
  { start, tarLength }: IndexFooter,
): Buffer {
  const members: Buffer[] = [];
  for (let first = 0; first < sizes.length; first += TABLE_SIZE) {
    const table = new Column();
    for (const size of sizes.slice(first, first + TABLE_SIZE)) table.addNumber(size);
    members.push(member('T', deflateRawSync(table.take())));
  }
  for (const page of pages) members.push(member('P', page));
  const body = Buffer.concat(members);
  const numbers = Buffer.alloc(NUMBERS_SIZE);
  numbers[0] = VERSION;
  numbers.writeUIntLE(start, 1, 6);
  numbers.writeUIntLE(tarLength, 7, 6);
  const hash = createHash('sha256').update(numbers).update(body).digest();
  return Buffer.concat([body, member('F', Buffer.concat([numbers, hash]))]);
}

export interface ReadFooter extends IndexFooter {
  /** Of the index before the footer, and the footer's numbers. */
  hash: Buffer;
  numbers: Buffer;
}

/** @param end of the gzip file. @returns undefined if it is none of an index */
export function readFooter(end: Buffer): ReadFooter | undefined {
  if (end.length < FOOTER_LENGTH) return undefined;
  const [read] = [...readMembers(end.subarray(end.length - FOOTER_LENGTH))];
  if (read?.kind !== 'F' || read.content[0] !== VERSION) return undefined;
  const { content } = read;
  const [start, tarLength] = [content.readUIntLE(1, 6), content.readUIntLE(7, 6)];
  const numbers = content.subarray(0, NUMBERS_SIZE);
  return { start, tarLength, numbers, hash: content.subarray(NUMBERS_SIZE) };
}

/** @param body the index without its footer */
export function hasHash(body: Buffer, { numbers, hash }: ReadFooter): boolean {
  return createHash('sha256').update(numbers).update(body).digest().equals(hash);
}

/** Ends at the first byte that isn't part of one of our members. */
export function* readMembers(bytes: Buffer): Generator<{ kind: string; content: Buffer; end: number }> {
  for (let start = 0; start + FIELD_START + 1 + MEMBER_END.length <= bytes.length;) {
    const lengths = start + MEMBER_START.length;
    const length = bytes.readUInt16LE(lengths + 4);
    const [content, end] = [start + FIELD_START, start + FIELD_START + length];
    const isOurs =
      bytes.subarray(start, lengths).equals(MEMBER_START) &&
      bytes.readUInt16LE(lengths) === length + 4 &&
      bytes.subarray(lengths + 2, lengths + 4).equals(FIELD_ID) &&
      length > 0 &&
      bytes.subarray(end, end + MEMBER_END.length).equals(MEMBER_END);
    if (!isOurs) return;
    start = end + MEMBER_END.length;
    yield {
      kind: bytes.toString('latin1', content, content + 1),
      content: bytes.subarray(content + 1, end),
      end: start,
    };
  }
}

/** @throws RangeError for bytes that aren't a table */
export function* readTable(content: Buffer): Generator<number> {
  const table = new ColumnReader(inflateRawSync(content, { maxOutputLength: MAX_PAGE }));
  while (!table.isAtEnd) yield table.number();
}
