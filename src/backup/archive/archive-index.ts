/** Reads the index of an archive, which may come from anyone, and then parts of the archive: see index-format.ts. */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readablePath } from '../../fs/path-bytes';
import { relativePath } from '../../fs/safe-name';
import { MAX_TIME } from '../../errors';
import {
  BLOCK_SIZE,
  FOOTER_LENGTH,
  MAX_INDEX,
  type PlacedEntry,
  type ReadFooter,
  TABLE_SIZE,
  hasHash,
  readFooter,
  readMembers,
  readPage,
  readTable,
} from './index-format';
import { ByteReader } from './byte-reader';
import { gunzip } from './open-archive';
import { type IndexComparison, readHeader } from './read-archive';
import { BLOCK } from './tar-header';
import {
  addToTotals,
  type ArchiveTotals,
  type ListedEntry,
  newTotals,
  type StoredEntry,
} from '../entries/entry';

/** A file of which any part can be read: an archive without its encryption. */
export interface RangeSource {
  /** For error messages. */
  readonly name: string;
  readonly size: number;
  /** @param end the position after the last byte */
  read(start: number, end: number): AsyncGenerator<Buffer>;
}

/** The index can't be used. */
export class IndexError extends Error {}

/** Bytes that a header and its extensions may have. */
const MAX_HEADERS = 4 * 1024 * 1024;
/** The smallest gzip member. */
const MIN_BLOCK = 18;
/** Blocks of an archive of 1 TiB: their table takes 16 MiB. */
const MAX_BLOCKS = 2 ** 21;
/** More than an index of {@link MAX_INDEX} has that wasn't made to do harm. */
const MAX_ENTRIES = 2_000_000;
/** Characters of all paths and link targets. Each path may share most of its bytes with the one before. */
const MAX_NAMES = 256 * 1024 * 1024;
/** Each takes some time to unpack, even a small one. */
const MAX_PAGES = 8_192;
/**
 * Entries that are in memory at once. V8 allocates objects that usually survive young collections in the old generation,
 * where they stay until the next full one: all entries of a page do, 20 MiB for 100,000 entries (measured).
 */
const BATCH = 100;
/** Zeros at the end of a tar. */
const END_MARK = 2 * BLOCK;

export class ArchiveIndex {
  readonly totals: ArchiveTotals = newTotals();
  /** The last entry of the archive. */
  private last: PlacedEntry | undefined;

  private constructor(
    private readonly source: RangeSource,
    private readonly footer: ReadFooter,
    private readonly pages: readonly Buffer[],
    /** Where each block starts in the gzip file, and where the last one ends. */
    private readonly blocks: Float64Array,
  ) {}

  /**
   * @param tailLength bytes at the end of the file that are read at once
   * @returns undefined if there is no index
   * @throws IndexError if it contradicts itself
   */
  static async read(source: RangeSource, tailLength: number): Promise<ArchiveIndex | undefined> {
    const tailStart = Math.max(0, source.size - tailLength);
    const tail = await readAll(source, tailStart, source.size);
    const footer = readFooter(tail);
    if (!footer) return undefined;
    const end = source.size - FOOTER_LENGTH;
    if (footer.start > end || end - footer.start > MAX_INDEX) throw new IndexError('length');
    const missing =
      footer.start < tailStart ? await readAll(source, footer.start, tailStart) : Buffer.alloc(0);
    const rest = tail.subarray(Math.max(0, footer.start - tailStart), tail.length - FOOTER_LENGTH);
    const body = missing.length === 0 ? rest : Buffer.concat([missing, rest]);
    if (!hasHash(body, footer)) throw new IndexError('hash');
    return explainRange(() => ArchiveIndex.parse(source, footer, body));
  }

  private static async parse(source: RangeSource, footer: ReadFooter, body: Buffer): Promise<ArchiveIndex> {
    const count = Math.ceil(footer.tarLength / BLOCK_SIZE);
    if (count > MAX_BLOCKS || count * MIN_BLOCK > footer.start) throw new IndexError('block count');
    const blocks = new Float64Array(count + 1);
    const pages: Buffer[] = [];
    let [position, block, end, tables] = [0, 0, 0, 0];
    for (const member of readMembers(body)) {
      end = member.end;
      if (member.kind === 'P') pages.push(member.content);
      else if (member.kind !== 'T') throw new IndexError('member');
      else {
        if (++tables > Math.ceil(count / TABLE_SIZE)) throw new IndexError('table count');
        for (const size of readTable(member.content)) {
          if (size < MIN_BLOCK || ++block > count) throw new IndexError('block');
          blocks[block] = position += size;
        }
      }
    }
    if (pages.length > MAX_PAGES) throw new IndexError('page count');
    if (end !== body.length || block !== count || position !== footer.start) throw new IndexError('table');
    const index = new ArchiveIndex(source, footer, pages, blocks);
    await index.check();
    return index;
  }

  /** Bytes of the archive. */
  get size(): number {
    return this.source.size;
  }

  /** In the order of the archive, some at once. Waits a turn after each of these batches. */
  async *entries(): AsyncGenerator<PlacedEntry[]> {
    let start = 0;
    for (const page of this.pages) {
      let batch: PlacedEntry[] = [];
      for (const entry of readPage(page, start)) {
        batch.push(entry);
        start = entry.end;
        if (batch.length < BATCH) continue;
        yield batch;
        await nextTurn();
        batch = [];
      }
      if (batch.length > 0) yield batch;
      await nextTurn();
    }
  }

  /** @throws IndexError for entries that can't be those of the archive */
  private async check(): Promise<void> {
    const contentEnd = this.footer.tarLength - END_MARK;
    let names = 0;
    for await (const entries of this.entries()) {
      for (const entry of entries) {
        const { path, target, headers, end, time } = entry;
        names += path.length + target.length;
        const isPlaced = headers >= 1 && headers * BLOCK <= MAX_HEADERS && Number.isSafeInteger(end);
        if (!isPlaced || Math.abs(time) > MAX_TIME || path === '' || relativePath(path) !== path)
          throw new IndexError('entry');
        if (end > contentEnd) throw new IndexError('length of the tar');
        addToTotals(this.totals, entry);
      }
      this.last = entries.at(-1) ?? this.last;
      if (this.totals.entries > MAX_ENTRIES) throw new IndexError('entry count');
      if (names > MAX_NAMES) throw new IndexError('paths');
    }
    if ((this.last?.end ?? 0) !== contentEnd) throw new IndexError('length of the tar');
  }

  /** Compares the last entry with the archive, whose position depends on all others. @throws IndexError, `bad_response` */
  async verifyLast(): Promise<void> {
    if (this.last) await this.readRun({ entries: [this.last], headersOnly: true }, () => Promise.resolve());
  }

  /** Bytes of the gzip file that {@link readRun} requests. */
  rangeOf({ entries, headersOnly = false }: EntryRun): { start: number; end: number } {
    const [first, last] = [entries[0] as PlacedEntry, entries.at(-1) as PlacedEntry];
    const end = headersOnly ? last.start + last.headers * BLOCK : last.end;
    return {
      start: this.blocks[Math.floor(first.start / BLOCK_SIZE)] as number,
      end: this.blocks[Math.ceil(end / BLOCK_SIZE)] as number,
    };
  }

  /**
   * Reads neighboring entries.
   * @param write gets their part of the tar
   * @throws IndexError if an entry isn't where it should be; `bad_response` for a damaged archive
   */
  async readRun(run: EntryRun, write: (bytes: Buffer) => Promise<void>): Promise<void> {
    const { start, end } = this.rangeOf(run);
    const reader = new ByteReader(gunzip(this.source.read(start, end), this.source.name));
    let position = Math.floor((run.entries[0] as PlacedEntry).start / BLOCK_SIZE) * BLOCK_SIZE;
    const advance = async (target: number, use: (bytes: Buffer) => Promise<void>): Promise<void> => {
      while (position < target) {
        const bytes = await reader.readSome(target - position);
        if (bytes.length === 0) throw new IndexError('position');
        await use(bytes);
        position += bytes.length;
      }
    };
    try {
      for (const entry of run.entries) {
        await advance(entry.start, ignore);
        const headers = Buffer.from(await reader.read(entry.headers * BLOCK));
        position += headers.length;
        await verify(entry, headers, this.source.name);
        await write(headers);
        if (!run.headersOnly) await advance(entry.end, write);
      }
      // To the checksum at the end of the last member.
      while ((await reader.readSome(BLOCK_SIZE)).length > 0);
    } finally {
      await reader.close();
    }
  }
}

/** An archive whose end is in memory. */
class Tail implements RangeSource {
  size = 0;
  private readonly kept = Buffer.alloc(MAX_INDEX + FOOTER_LENGTH);

  constructor(readonly name: string) {}

  get length(): number {
    return Math.min(this.size, this.kept.length);
  }

  add(bytes: Buffer): void {
    const last = bytes.subarray(-this.kept.length);
    const start = (this.size + bytes.length - last.length) % this.kept.length;
    const copied = last.copy(this.kept, start);
    last.copy(this.kept, 0, copied);
    this.size += bytes.length;
  }

  async *read(start: number, end: number): AsyncGenerator<Buffer> {
    await nextTurn();
    if (start < this.size - this.length) throw new IndexError('length');
    const [from, to] = [start % this.kept.length, (start % this.kept.length) + end - start];
    yield this.kept.subarray(from, to);
    yield this.kept.subarray(0, Math.max(0, to - this.kept.length));
  }
}

/**
 * Compares the index with the entries while all of the archive is read: someone may have changed it so that a list hides
 * what a restore writes. Times aren't compared: those in the archive may have been rounded.
 */
export class IndexCheck implements IndexComparison {
  private readonly tail: Tail;
  private readonly entries = createHash('sha256');

  constructor(name: string) {
    this.tail = new Tail(name);
  }

  addBytes(compressed: Buffer): void {
    this.tail.add(compressed);
  }

  addEntry({ name, type, size, mode, linkName, position = 0 }: StoredEntry): void {
    const content = type === 'file' ? size : 0;
    this.entries.update(JSON.stringify([relativePath(name), type, content, mode, linkName, position]));
  }

  /** @returns why the index can't be used; undefined if it can, or there is none */
  async finish(): Promise<string | undefined> {
    try {
      const index = await ArchiveIndex.read(this.tail, this.tail.length);
      if (!index) return undefined;
      const indexed = createHash('sha256');
      for await (const entries of index.entries()) {
        for (const { path, type, size, mode, target, start, headers } of entries)
          indexed.update(JSON.stringify([path, type, size, mode, target, start + headers * BLOCK]));
      }
      return indexed.digest().equals(this.entries.digest()) ? undefined : 'other entries';
    } catch (error) {
      if (error instanceof IndexError) return error.message;
      throw error;
    }
  }
}

/** Entries in the order of the archive that are read together, with what is between them. */
export interface EntryRun {
  entries: readonly PlacedEntry[];
  /** Of a single entry. */
  headersOnly?: boolean;
}

export function indexedToListed({ path, type, size, time, mode, target }: PlacedEntry): ListedEntry {
  const modifiedTime = new Date(time).toISOString();
  const entry: ListedEntry = { path: readablePath(path), type, size, modifiedTime, mode };
  if (target !== '') entry.target = readablePath(target);
  return entry;
}

async function verify(entry: PlacedEntry, headers: Buffer, name: string): Promise<void> {
  const found = await readHeader(headers, name).catch(() => undefined);
  const isSame =
    found?.end === headers.length &&
    relativePath(found.entry.name) === entry.path &&
    found.entry.type === entry.type &&
    found.entry.mode === entry.mode &&
    found.entry.linkName === entry.target &&
    (entry.type !== 'file' || found.entry.size === entry.size);
  if (!isSame) throw new IndexError('header');
}

async function ignore(): Promise<void> {}

async function readAll(source: RangeSource, start: number, end: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source.read(start, end)) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  if (bytes.length !== end - start) throw new IndexError('range');
  return bytes;
}

/** What isn't an index makes its reader throw a RangeError, or an error of zlib. */
async function explainRange<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const isInvalid = error instanceof RangeError || code.startsWith('Z_') || code.startsWith('ERR_');
    throw isInvalid ? new IndexError('content') : error;
  }
}
