/**
 * Reads a tar archive, compressed with gzip or not, encrypted with age or not, to its end-of-archive mark.
 * https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html
 */
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { DriveError, actualSize, maximumSize } from '../../errors';
import { type StoredEntry, type EntryVisitor, NO_ID } from '../entries/entry';
import { ByteReader } from './byte-reader';
import { type ArchiveSource, damaged, openArchive, truncated } from './open-archive';
import {
  type PaxRecords,
  type TarHeader,
  isSparse,
  isZero,
  readLongName,
  readPaxRecords,
  readTarHeader,
} from './tar-header';

export interface ReadOptions {
  /**
   * How often the archive's size the written entries may have, as their visitor reports it; 0 for no limit. Undefined
   * for {@link DEFAULT_MAX_RATIO}, but at least `minLimit`.
   */
  maxRatio?: number | undefined;
  /** Bytes that every archive may be unpacked to by default; default {@link MIN_LIMIT}. */
  minLimit?: number | undefined;
  /** Gets the compressed archive, and all entries. */
  comparison?: IndexComparison | undefined;
}

/** See archive-index.ts. */
export interface IndexComparison {
  addBytes(compressed: Buffer): void;
  addEntry(entry: StoredEntry): void;
}

const BLOCK = 512;
/** Bytes of an extended header: paths have at most a few thousand. */
const MAX_EXTENSION = 4 * 1024 * 1024;
/** A larger archive is probably made to fill the disk. */
const DEFAULT_MAX_RATIO = 100;
/** 1 GiB. Files of zeros, as of a new database, are more than 100 times as large as their archive. */
const MIN_LIMIT = 1024 ** 3;

/**
 * Calls the visitor for one entry after the other.
 * @throws `bad_response` for a damaged or truncated archive, `too_large` beyond the limit, `invalid_input` for a wrong
 *   or missing passphrase or key, and the errors of the visitor
 */
export async function readArchive(
  source: ArchiveSource,
  visit: EntryVisitor,
  options: ReadOptions,
): Promise<void> {
  const size = source.size ?? ('path' in source ? (await stat(source.path)).size : 0);
  await new ArchiveReader(source, visit, limitFor(size, options), options.comparison).read();
}

/** @param headers of one entry. @returns the entry, and where its headers end */
export async function readHeader(
  headers: Buffer,
  name: string,
): Promise<{ entry: StoredEntry; end: number } | undefined> {
  // A copy, because what was read is freed.
  const chunks = Readable.from([Buffer.from(headers)]);
  const source = { name, chunks, isPlainTar: true, secrets: { passphrase: undefined, identities: [] } };
  return new ArchiveReader(source, () => Promise.resolve(0), limitFor(0, {})).readFirst();
}

interface SizeLimit {
  /** Bytes that may be written. */
  limit: number;
  /** Bytes after an entry that are read ahead or belong to no entry. */
  unwritten: number;
  ratio: number;
  /** Undefined if the user has set the ratio, which is exact then. */
  minimum: number | undefined;
}

/** @param size bytes of the archive */
function limitFor(size: number, { maxRatio, minLimit = MIN_LIMIT }: ReadOptions): SizeLimit {
  if (maxRatio === undefined) {
    const limit = Math.max(minLimit, size * DEFAULT_MAX_RATIO);
    return { limit, unwritten: limit, ratio: DEFAULT_MAX_RATIO, minimum: minLimit };
  }
  const limit = maxRatio > 0 ? size * maxRatio : Infinity;
  return { limit, unwritten: Math.max(minLimit, limit), ratio: maxRatio, minimum: undefined };
}

/** What the headers before an entry say about it. */
interface Extensions {
  pax?: PaxRecords;
  longPath?: string;
  longLink?: string;
}

interface ReadEntry {
  entry: StoredEntry;
  /** Bytes of content in the archive. */
  stored: number;
}

class ArchiveReader {
  private readonly bytes: ByteReader;
  /** Records for all entries that follow. */
  private readonly globalRecords = new Map<string, string>();
  private bytesWritten = 0;
  /** Where the content of the last entry ends. */
  private end = 0;

  constructor(
    private readonly source: ArchiveSource,
    private readonly visit: EntryVisitor,
    private readonly sizeLimit: SizeLimit,
    private readonly comparison?: IndexComparison,
  ) {
    this.bytes = new ByteReader(openArchive(source, (bytes) => comparison?.addBytes(bytes)));
  }

  async read(): Promise<void> {
    try {
      for (let entry = await this.nextEntry(); entry; entry = await this.nextEntry())
        await this.visitEntry(entry);
      await this.readRest();
    } finally {
      await this.bytes.close();
    }
  }

  /** Only the headers. */
  async readFirst(): Promise<{ entry: StoredEntry; end: number } | undefined> {
    try {
      const first = await this.nextEntry();
      return first && { entry: first.entry, end: this.bytes.position };
    } finally {
      await this.bytes.close();
    }
  }

  /** @returns undefined after the last entry */
  private async nextEntry(): Promise<ReadEntry | undefined> {
    const extensions: Extensions = {};
    for (;;) {
      this.checkUnwritten();
      const block = await this.readExactly(BLOCK);
      const header = readTarHeader(block);
      if (header?.type === LABEL) await this.skip((header.size || 0) + padding(header.size));
      else if (header && isExtension(header)) await this.readExtension(header, extensions);
      else if (header) {
        if (header.type === SPARSE) await this.skipSparseMap(block);
        return this.toEntry(header, extensions);
      } else if (isZero(block)) return this.readEndMark();
      else throw damaged(this.source.name, 'invalid header');
    }
  }

  /** More of the map is in blocks behind the header, which its size doesn't count. */
  private async skipSparseMap(header: Buffer): Promise<void> {
    let hasMore = header[482] !== 0;
    while (hasMore) hasMore = (await this.readExactly(BLOCK))[504] !== 0;
  }

  private async readExtension(header: TarHeader, extensions: Extensions): Promise<void> {
    const { type, size } = header;
    if (!(size >= 0 && size <= MAX_EXTENSION)) throw damaged(this.source.name, 'invalid extended header');
    const content = await this.readExactly(size);
    const value = 'LK'.includes(type) ? readLongName(content) : readPaxRecords(content);
    if (value === undefined) throw damaged(this.source.name, 'invalid extended header');
    if (typeof value === 'string') extensions[type === 'K' ? 'longLink' : 'longPath'] = value;
    else if (type === 'g') value.forEach((text, key) => this.globalRecords.set(key, text));
    else extensions.pax = value;
    await this.skip(padding(size));
  }

  private toEntry(header: TarHeader, { pax, longPath, longLink }: Extensions): ReadEntry {
    // A record without a value resets a global one.
    const record = (key: string): string | undefined => pax?.get(key) ?? this.globalRecords.get(key);
    const name = record('path') || (longPath ?? header.path);
    const size = contentSize(header, record('size'));
    if (size === undefined) throw damaged(this.source.name, 'invalid size');
    const mtime = record('mtime');
    const entry = {
      name,
      position: this.bytes.position,
      type: isSparse(pax) ? 'unsupported' : typeOf(header.type, name),
      isContinued: header.type === CONTINUED,
      linkName: record('linkpath') || (longLink ?? header.linkPath),
      size,
      mode: (header.mode || 0) & 0o7777,
      mtime: mtime ? paxTime(mtime) : finite(header.mtime),
      uid: idOf(record('uid'), header.uid),
      gid: idOf(record('gid'), header.gid),
    } as const;
    return { entry, stored: hasContent(header.type, pax !== undefined) ? size : 0 };
  }

  private async visitEntry({ entry, stored }: ReadEntry): Promise<void> {
    this.end = this.bytes.position + stored + padding(stored);
    const before = this.bytes.position;
    this.comparison?.addEntry(entry);
    const room = await this.visit(entry, this.content(stored));
    const read = this.bytes.position - before;
    this.count(room - Math.min(room, read));
    await this.skip(this.end - this.bytes.position);
  }

  private async *content(size: number): AsyncGenerator<Buffer> {
    for (let missing = size; missing > 0;) {
      const chunk = await this.bytes.readSome(missing);
      if (chunk.length === 0) throw this.incomplete();
      // Not by the size in the header: an archive that is cut off has less.
      this.count(chunk.length, missing);
      missing -= chunk.length;
      yield chunk;
    }
  }

  /** The second block of zeros. */
  private async readEndMark(): Promise<undefined> {
    if (!isZero(await this.readExactly(BLOCK)))
      throw damaged(this.source.name, 'data after a block of zeros');
  }

  /**
   * To the end, where checksums are. As for GNU tar, only the first of several archives in a row counts. Other data
   * shows that the zeros were no end.
   */
  private async readRest(): Promise<void> {
    let isOther = false;
    for (;;) {
      const block = await this.bytes.read(BLOCK);
      if (block.length === 0) return;
      this.checkUnwritten();
      if (isOther || isZero(block)) continue;
      if (block.length < BLOCK || !readTarHeader(block))
        throw damaged(this.source.name, 'data after the end');
      isOther = true;
    }
  }

  private async readExactly(length: number): Promise<Buffer> {
    const bytes = await this.bytes.read(length);
    if (bytes.length < length) throw this.incomplete();
    return bytes;
  }

  private async skip(length: number): Promise<void> {
    for (let missing = length; missing > 0;) {
      const { length: skipped } = await this.bytes.readSome(missing);
      if (skipped === 0) throw this.incomplete();
      missing -= skipped;
    }
  }

  /** What isn't written takes no room, but zeros without an end would take hours. */
  private checkUnwritten(): void {
    const bytesAfterEntry = this.bytes.position - this.end;
    if (bytesAfterEntry > this.sizeLimit.unwritten) throw this.tooLarge(bytesAfterEntry);
  }

  /** @param remaining bytes of the entry, with these */
  private count(bytes: number, remaining = bytes): void {
    const size = this.bytesWritten + remaining;
    this.bytesWritten += bytes;
    if (this.bytesWritten > this.sizeLimit.limit) throw this.tooLarge(size);
  }

  /** @param size bytes that the archive is known to contain */
  private tooLarge(size: number): DriveError {
    const { limit, ratio, minimum } = this.sizeLimit;
    const name = this.source.name;
    const params = { name, size: actualSize(size), limit: maximumSize(limit), ratio };
    if (minimum === undefined) return new DriveError('too_large', { text: 'too_large_archive', params });
    const withMinimum = { ...params, minimum: maximumSize(minimum) };
    return new DriveError('too_large', { text: 'too_large_archive_default', params: withMinimum });
  }

  private incomplete(): DriveError {
    const { name } = this.source;
    const { position } = this.bytes;
    // Too short for a single header: rather another kind of file, such as a web page, than an archive that was cut off.
    const isOther = position > 0 && position < BLOCK;
    return isOther ? damaged(name, 'neither gzip nor tar') : truncated(name);
  }
}

function padding(size: number): number {
  return -size & (BLOCK - 1);
}

/** Of pax and GNU tar; `X` is an older form of `x`. */
function isExtension({ type }: TarHeader): boolean {
  return 'xgXLK'.includes(type);
}

/** @returns undefined for an invalid size */
function contentSize(header: TarHeader, record: string | undefined): number | undefined {
  const size = record ? (/^\d+$/.test(record) ? Number(record) : NaN) : header.size;
  return Number.isSafeInteger(size) && size >= 0 ? size : undefined;
}

/**
 * Links, devices and folders have a size without content in some archives. Only since pax, a hard link may have
 * content.
 * @param type flag in the header
 */
function hasContent(type: string, isPax: boolean): boolean {
  return type === '1' ? isPax : !'23456'.includes(type);
}

/** Reads the decimal number without the rounding of floating-point numbers. @returns the last microsecond before it */
function paxTime(text: string): number {
  const [, sign, seconds = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(text.trim()) ?? [];
  const micros = Number(`0${fraction.slice(0, 6).padEnd(6, '0')}`);
  const isEarlier = sign === '-' && /[1-9]/.test(fraction.slice(6));
  const time = finite(Number(seconds)) + (isEarlier ? micros + 1 : micros) / 1e6;
  return sign === '-' ? -time : time;
}

/** Seconds that any file system accepts, or stores as its own limit. */
const MAX_TIME = 2 ** 40;

function finite(number: number): number {
  return Math.abs(number) < MAX_TIME ? number : 0;
}

/** With a record, the header has a part of the number, or 0, which would be root. */
function idOf(record: string | undefined, inHeader: number): number {
  const id = record ? (/^\d+$/.test(record) ? Number(record) : NO_ID) : inHeader;
  return Number.isInteger(id) && id >= 0 && id < NO_ID ? id : NO_ID;
}

/** Of GNU tar: the name of the archive, no entry. */
const LABEL = 'V';
/** Of GNU tar: an entry that begins in another volume. */
const CONTINUED = 'M';
/** Of GNU tar: a file of which only the parts that aren't zeros are stored. */
const SPARSE = 'S';
/** Others are files, as for POSIX. `D` is a folder of an incremental archive, with a list of its files as content. */
const TYPES: Readonly<Record<string, StoredEntry['type']>> = {
  ...{ 1: 'link', 2: 'symlink', 5: 'folder', D: 'folder' },
  ...{ 3: 'device', 4: 'device', 6: 'device' },
  ...{ [SPARSE]: 'unsupported', [CONTINUED]: 'unsupported' },
};

function typeOf(flag: string, name: string): StoredEntry['type'] {
  const type = TYPES[flag] ?? 'file';
  // Before POSIX, a slash at the end marked a folder.
  return type === 'file' && name.endsWith('/') ? 'folder' : type;
}
