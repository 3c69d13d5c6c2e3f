/**
 * Reads a tar archive, compressed with gzip or not, encrypted with age or not, to its end-of-archive mark.
 * https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html
 */
import { stat } from 'node:fs/promises';
import type { Extract, Header } from 'tar-stream';
import { freeBuffer } from '../concurrency/free-buffer';
import { DriveError } from '../errors';
import { formatSize } from '../http/format-size';
import { type ArchiveSource, damaged, openArchive, truncated } from './open-archive';
import { loadTar } from './libraries';

export interface TarEntry {
  /** As in the archive: not safe as a path. */
  name: string;
  /** `unsupported` for devices, FIFOs, sparse files and unknown types. */
  type: 'file' | 'folder' | 'symlink' | 'link' | 'unsupported';
  /** Of links; otherwise `''`. */
  linkName: string;
  /** Bytes of content. */
  size: number;
  mode: number;
  /** Seconds since 1970, with a fraction. */
  mtime: number;
  uid: number;
  gid: number;
}

/**
 * @param content has to be read, or ignored, before the returned promise resolves. The memory of a chunk is freed after the
 *   next call. What is read here counts toward the limit.
 * @returns whether the entry was written
 */
export type EntryVisitor = (entry: TarEntry, content: AsyncIterable<Buffer>) => Promise<boolean>;

export interface ReadOptions {
  /**
   * How often the archive's size the written contents may have, with 512 bytes for each entry; 0 for no limit. Undefined for
   * {@link DEFAULT_MAX_RATIO}, but at least `minLimit`.
   */
  maxRatio?: number | undefined;
  /** Bytes that every archive may be unpacked to by default; default {@link MIN_LIMIT}. */
  minLimit?: number | undefined;
}

const BLOCK = 512;
/** Two blocks of zeros. */
const END_MARK = 2 * BLOCK;
/** A larger archive is probably made to fill the disk. */
const DEFAULT_MAX_RATIO = 100;
/** 1 GiB. Files of zeros, as of a new database, are more than 100 times as large as their archive. */
const MIN_LIMIT = 1024 ** 3;
/** Chunks whose memory is freed as soon as they are read. Few are read ahead. */
const MAX_FED = 16;

/**
 * Calls the visitor for one entry after the other.
 * @throws `bad_response` for a damaged or truncated archive, `too_large` beyond the limit, `invalid_input` for a wrong or
 *   missing passphrase or key, and the errors of the visitor
 */
export async function readArchive(
  source: ArchiveSource,
  visit: EntryVisitor,
  options: ReadOptions,
): Promise<void> {
  const { size } = await stat(source.path);
  await new ArchiveReader(source, visit, limitFor(size, options)).read();
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

class ArchiveReader {
  private readonly extract: Extract = createExtract();
  /** The first error that isn't one of the tar library. */
  private failure: { error: unknown } | undefined;
  private bytesFed = 0;
  /** What was fed and isn't freed yet. */
  private readonly fed: FedMemory[] = [];
  /** Zeros at the end of what was fed, counted up to {@link END_MARK}. */
  private zeros = 0;
  private bytesWritten = 0;
  private isVisiting = false;
  /** Where the content of the last entry ends. */
  private end = 0;

  constructor(
    private readonly source: ArchiveSource,
    private readonly visit: EntryVisitor,
    private readonly sizeLimit: SizeLimit,
  ) {}

  async read(): Promise<void> {
    const fed = this.feed();
    try {
      for await (const entry of this.extract as AsyncIterable<unknown>)
        await this.visitEntry(entry as EntryStream);
      await fed;
    } catch (error) {
      this.extract.destroy();
      await fed;
      throw this.failure ? this.failure.error : this.libraryError(error);
    }
    if (this.failure) throw this.failure.error;
    // The library accepts an archive that ends after any entry.
    if (this.zeros < END_MARK || this.bytesFed < this.end + END_MARK) throw this.incomplete();
  }

  /** Never rejects: an error becomes {@link failure} and ends the library's stream. */
  private async feed(): Promise<void> {
    try {
      for await (const chunk of openArchive(this.source)) {
        this.measure(chunk);
        this.keep(chunk);
        if (!this.extract.write(chunk)) await drained(this.extract);
        if (this.extract.destroyed) return;
      }
      this.extract.end(undefined);
    } catch (error) {
      this.fail(error);
    }
  }

  private measure(chunk: Buffer): void {
    this.bytesFed += chunk.length;
    // What isn't written takes no room, but zeros without an end would take hours.
    const bytesAfterEntry = this.bytesFed - this.end;
    if (bytesAfterEntry > this.sizeLimit.unwritten) throw this.tooLarge(bytesAfterEntry);
    let zeros = 0;
    while (zeros < chunk.length && zeros < END_MARK && chunk[chunk.length - 1 - zeros] === 0) zeros += 1;
    this.zeros = zeros === chunk.length ? Math.min(this.zeros + zeros, END_MARK) : zeros;
  }

  private keep({ buffer: memory, length }: Buffer): void {
    const last = this.fed.at(-1);
    if (last?.memory === memory) Object.assign(last, { used: last.used + length, end: this.bytesFed });
    else this.fed.push({ memory, used: length, end: this.bytesFed });
    // Nobody reads what follows the last entry: the garbage collector frees it.
    if (this.fed.length > MAX_FED) this.fed.shift();
  }

  /** Frees what ends before an offset: otherwise, many megabytes accumulate before a garbage collection. */
  private free(offset: number): void {
    // The last memory may still be filled.
    while (this.fed.length > 1 && (this.fed[0] as FedMemory).end <= offset) {
      const { memory, used } = this.fed.shift() as FedMemory;
      // What was fed only in part may have another use.
      if (used === memory.byteLength) freeBuffer(Buffer.from(memory));
    }
  }

  private async visitEntry(stream: EntryStream): Promise<void> {
    // An error of this stream is also one of `extract`.
    stream.on('error', () => undefined);
    const { header } = stream;
    const entry = toEntry(header);
    this.free(header.byteOffset);
    this.end = header.byteOffset + Math.ceil(header.size / BLOCK) * BLOCK;
    try {
      const content = this.contentOf(stream);
      this.isVisiting = true;
      const isWritten = await this.visit(entry, content);
      this.isVisiting = false;
      if (isWritten) this.count(BLOCK);
      // The library never ends the stream of a folder with a size, and ignores that size.
      if (header.type === 'directory') stream.resume();
      else await readToEnd(content);
    } catch (error) {
      this.fail(error);
      throw error;
    }
  }

  private async *contentOf(stream: EntryStream): AsyncGenerator<Buffer> {
    let offset = stream.header.byteOffset;
    let read = 0;
    try {
      for await (const chunk of stream) {
        // Not by the size in the header: an archive that is cut off has less.
        if (this.isVisiting) this.count(chunk.length, stream.header.size - read);
        read += chunk.length;
        yield chunk;
        this.free((offset += chunk.length));
      }
    } catch (error) {
      throw this.failure ? this.failure.error : this.libraryError(error);
    }
  }

  private fail(error: unknown): void {
    this.failure ??= { error };
    this.extract.destroy();
  }

  /** @param remaining bytes of the entry, with these */
  private count(bytes: number, remaining = bytes): void {
    const size = this.bytesWritten + remaining;
    this.bytesWritten += bytes;
    if (this.bytesWritten <= this.sizeLimit.limit) return;
    const error = this.tooLarge(size);
    this.fail(error);
    throw error;
  }

  /** @param size bytes that the archive is known to contain */
  private tooLarge(size: number): DriveError {
    const { limit, ratio, minimum } = this.sizeLimit;
    const name = this.source.name;
    const params = { name, size: formatSize(size, 'up'), limit: formatSize(limit, 'down'), ratio };
    if (minimum === undefined) return new DriveError('too_large', { text: 'too_large_archive', params });
    const withMinimum = { ...params, minimum: formatSize(minimum, 'down') };
    return new DriveError('too_large', { text: 'too_large_archive_default', params: withMinimum });
  }

  private libraryError(error: unknown): DriveError {
    const message = error instanceof Error ? error.message : '';
    return message === 'Unexpected end of data' ? this.incomplete() : damaged(this.source.name, message);
  }

  private incomplete(): DriveError {
    const { name } = this.source;
    // Too short for a single header: rather another kind of file, such as a web page, than an archive that was cut off.
    const isOther = this.bytesFed > 0 && this.bytesFed < BLOCK;
    return isOther ? damaged(name, 'neither gzip nor tar') : truncated(name);
  }
}

/** Memory of one or more chunks. */
interface FedMemory {
  memory: ArrayBufferLike;
  /** Bytes that were fed. */
  used: number;
  /** Offset of the end of these bytes in the tar. */
  end: number;
}

async function readToEnd(content: AsyncIterator<Buffer>): Promise<void> {
  while (!(await content.next()).done);
}

/** Also resolves when the stream is destroyed. */
function drained(stream: Extract): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
    if (stream.destroyed) done();
  });
}

/** The header as the library passes it; its types lack some of the members. */
interface TarHeader extends Omit<Header, 'type' | 'linkname' | 'pax'> {
  /** Null for an unknown type. */
  type: Header['type'] | null;
  linkname: string | null;
  /** Where the content starts. */
  byteOffset: number;
  /** Records of the extended header. Only `path`, `linkpath` and `size` are applied by the library. */
  pax: Readonly<Record<string, string>> | null;
}

/** A stream that can be read once. */
interface EntryStream extends AsyncIterable<Buffer> {
  header: TarHeader;
  on(event: 'error', listener: () => void): unknown;
  resume(): unknown;
}

/** Archives from before POSIX have an "unknown format". */
function createExtract(): Extract {
  const options = { allowUnknownFormat: true } as Parameters<ReturnType<typeof loadTar>['extract']>[0];
  return loadTar().extract(options);
}

function toEntry(header: TarHeader): TarEntry {
  const { name, linkname, size, mode, mtime, uid, gid, pax } = header;
  return {
    name,
    type: typeOf(header),
    linkName: linkname ?? '',
    size,
    mode: mode & 0o7777,
    mtime: pax?.['mtime'] === undefined ? finite(undefined, mtime.getTime() / 1_000) : paxTime(pax['mtime']),
    uid: finite(pax?.['uid'], uid),
    gid: finite(pax?.['gid'], gid),
  };
}

/** Reads the decimal number without the rounding of floating-point numbers. */
function paxTime(text: string): number {
  const [, seconds, fraction = ''] = /^(-?\d+)(?:\.(\d*))?$/.exec(text.trim()) ?? [];
  const micros = Number(`0${fraction.slice(0, 6).padEnd(6, '0')}`) / 1e6;
  return finite(seconds, 0) + (text.startsWith('-') ? -micros : micros);
}

/** Seconds that any file system accepts, or stores as its own limit. */
const MAX_NUMBER = 2 ** 40;

function finite(text: string | undefined, other: number): number {
  const number = text === undefined || text === '' ? other : Number(text);
  return Number.isFinite(number) && Math.abs(number) < MAX_NUMBER ? number : 0;
}

function typeOf({ type, name, pax }: TarHeader): TarEntry['type'] {
  if (pax && Object.keys(pax).some((key) => key.startsWith('GNU.sparse.'))) return 'unsupported';
  if (type === 'directory') return 'folder';
  // Before POSIX, a slash at the end marked a folder.
  if (type === 'file') return name.endsWith('/') ? 'folder' : 'file';
  if (type === 'contiguous-file') return 'file';
  return type === 'symlink' || type === 'link' ? type : 'unsupported';
}
