/**
 * Removes what no snapshot needs, in two phases, because a list of the drive may be late: packs that are in no index any
 * more are removed at least an hour later, if no snapshot that is listed then needs them.
 */
import { freeBuffer } from '../concurrency/free-buffer';
import { isDriveError } from '../errors';
import { isObject } from '../http/json';
import { BlobIndex } from './blob-index';
import { BlobWriter, blobKey } from './blob-writer';
import { type IndexedPack, groupByPack, indexFiles } from './index-file';
import type { RepositoryLock } from './locks';
import { entrySize, headerSize, packHeaderSize, readPackHeader } from './pack';
import type { Repository } from './repository';
import { damagedFile } from './repository-errors';
import { readTree } from './tree';

/** ms */
const MIN_ORPHAN_TIME = 3_600_000;
/** Bytes at the end of a pack that usually contain its header. */
const HEADER_GUESS = 64 * 1024;

/** What is remembered between runs, in the cache folder. If it is lost, packs are removed later. */
export interface CleanUpMemory {
  /** The service's time at which a pack was first found in no index, by its ID. */
  orphans: Record<string, number>;
  /** Something was removed since the last time, or a run may have left packs behind. */
  isDue: boolean;
}

export function readMemory({ cache }: Repository): CleanUpMemory {
  const { orphans, isDue } = (cache.readState() ?? {}) as Partial<CleanUpMemory>;
  return { orphans: isObject(orphans) ? orphans : {}, isDue: isDue === true };
}

export function writeMemory({ cache }: Repository, memory: CleanUpMemory): void {
  cache.writeState(memory);
}

/** Whether there is anything to clean up, as far as is known without a request. */
export async function isCleanUpDue(repository: Repository): Promise<boolean> {
  const { orphans, isDue } = readMemory(repository);
  const now = await repository.store.time();
  return isDue || Object.values(orphans).some((since) => now - since >= MIN_ORPHAN_TIME);
}

export interface CleanUpOptions {
  /** Percent of the repository. */
  maxUnused: number;
  /** Bytes. */
  packSize: number;
}

/**
 * @param lock exclusive
 * @returns bytes of the packs that were removed
 * @throws `bad_response` if anything is missing or damaged: then nothing is removed
 */
export async function cleanUp(
  repository: Repository,
  lock: RepositoryLock,
  options: CleanUpOptions,
): Promise<number> {
  const { store } = repository;
  const { snapshots, damaged } = await repository.snapshots();
  if (damaged[0] !== undefined) throw damagedFile(`snapshots/${damaged[0]}`, 'hash');
  // It was listed, so that it may need packs.
  const readable = new Set(snapshots.map(({ id }) => id));
  const missing = repository.listed.snapshots.find((id) => !readable.has(id));
  if (missing !== undefined) throw damagedFile(`snapshots/${missing}`, 'missing');
  const index = await repository.index();
  const earlierFiles = [...repository.listed.index];
  const stored = new Map((await store.list(['data'])).map(({ name, size }) => [name, size]));
  const sizes = new Map(Array.from(stored, ([name, size]) => [name, size ?? 0]));
  const orphans = [...sizes.keys()].filter((pack) => index.packSize(pack) === undefined);
  // Behind the others, so that they are used only for what is nowhere else.
  for (const pack of orphans) await addOrphan(repository, index, { pack, size: sizes.get(pack) ?? 0 });
  const usage = new Usage(index);
  await usage.addTrees(
    repository,
    snapshots.map(({ tree }) => tree),
  );
  checkUsedPacks(index, usage, stored);
  const obsolete = new Set(choosePacks(index, usage, { orphans, ...options }));
  const isChanged = obsolete.size > 0 || orphans.some((pack) => usage.bytesOf(pack) > 0);
  if (isChanged) {
    await rewrite(repository, { index, usage, obsolete, orphans, packSize: options.packSize });
    await lock.check();
    for (const file of earlierFiles) await store.remove('index', file);
  }
  const unused = [...obsolete, ...orphans.filter((pack) => usage.bytesOf(pack) === 0)];
  return removeOld(
    repository,
    lock,
    unused.map((pack) => ({ pack, size: sizes.get(pack) ?? 0, wasIndexed: obsolete.has(pack) })),
  );
}

/** Another pack may have the only good copy of what is missing. @throws `bad_response` */
function checkUsedPacks(
  index: BlobIndex,
  usage: Usage,
  stored: ReadonlyMap<string, number | undefined>,
): void {
  for (const pack of index.packs) {
    if (usage.bytesOf(pack) === 0) continue;
    if (!stored.has(pack)) throw damagedFile(`data/${pack}`, 'missing');
    if ((stored.get(pack) ?? Infinity) < (index.packSize(pack) ?? 0))
      throw damagedFile(`data/${pack}`, 'size');
  }
}

/** Adds what the header of a pack says. A pack that is damaged has nothing that could be used. */
async function addOrphan(
  { store, key }: Repository,
  index: BlobIndex,
  { pack, size }: { pack: string; size: number },
): Promise<void> {
  const read = (length: number): Promise<Buffer> =>
    store.read('data', pack, { start: Math.max(0, size - length), end: size });
  let end = await read(HEADER_GUESS);
  try {
    const length = packHeaderSize(end, size, pack);
    if (length > end.length) end = await read(length);
    for (const blob of readPackHeader(key, end, size, pack)) index.add(blob, pack);
  } catch (error) {
    if (!isDriveError(error, 'bad_response')) throw error;
  }
}

/** What the snapshots need. */
class Usage {
  /** Keys of blobs. */
  private readonly used = new Set<string>();
  private readonly bytes = new Map<string, number>();

  constructor(private readonly index: BlobIndex) {}

  /** Of the pack, without its header. */
  bytesOf(pack: string): number {
    return this.bytes.get(pack) ?? 0;
  }

  /** Whether a blob is needed, and this is the pack that it is taken from. */
  isUsed(id: string, isTree: boolean, pack: string): boolean {
    return this.used.has(blobKey(id, isTree)) && this.index.find(id, isTree)?.pack === pack;
  }

  /** @throws `bad_response` if a tree or a blob is missing */
  async addTrees(repository: Repository, trees: readonly string[]): Promise<void> {
    const pending = trees.filter((id) => this.add(id, true));
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      for (const { content = [], subtree } of readTree(await repository.tree(this.index, id), id)) {
        for (const each of content) this.add(each, false);
        if (subtree !== undefined && this.add(subtree, true)) pending.push(subtree);
      }
    }
  }

  /** @returns false if it is known already */
  private add(id: string, isTree: boolean): boolean {
    const key = blobKey(id, isTree);
    if (this.used.has(key)) return false;
    const blob = this.index.find(id, isTree);
    if (!blob) throw damagedFile(id, 'missing');
    this.used.add(key);
    this.bytes.set(blob.pack, this.bytesOf(blob.pack) + blob.length + entrySize(blob));
    return true;
  }
}

/** @returns packs of the index without anything used, and of the others as many as need to be written again */
function choosePacks(
  index: BlobIndex,
  usage: Usage,
  { orphans, maxUnused }: CleanUpOptions & { orphans: readonly string[] },
): string[] {
  const ignored = new Set(orphans.filter((pack) => usage.bytesOf(pack) === 0));
  const packs = index.packs
    .filter((id) => !ignored.has(id))
    .map((id) => ({ id, size: index.packSize(id) ?? 0, used: usage.bytesOf(id) }))
    // The ends of their headers are needed as well.
    .map((pack) => (pack.used === 0 ? pack : { ...pack, used: pack.used + headerSize([]) }));
  let total = packs.reduce((sum, { size }) => sum + size, 0);
  let unused = packs.reduce((sum, { size, used }) => sum + size - used, 0);
  const chosen: string[] = [];
  for (const { id, size, used } of packs.sort((a, b) => a.used / a.size - b.used / b.size)) {
    if (unused <= (total * maxUnused) / 100) break;
    chosen.push(id);
    total -= size - used;
    unused -= size - used;
  }
  return chosen;
}

interface Rewriting {
  index: BlobIndex;
  usage: Usage;
  /** What they have that is used is written to new packs. */
  obsolete: ReadonlySet<string>;
  orphans: readonly string[];
  packSize: number;
}

/** Writes new packs, and an index of everything that stays. */
async function rewrite(
  repository: Repository,
  { index, usage, obsolete, orphans, packSize }: Rewriting,
): Promise<void> {
  const writer = new BlobWriter(repository, new BlobIndex(), packSize);
  for (const { id: pack, blobs } of groupByPack(index)) {
    if (!obsolete.has(pack) || usage.bytesOf(pack) === 0) continue;
    const content = await repository.readPack(pack);
    for (const { offset, length, ...blob } of blobs) {
      if (!usage.isUsed(blob.id, blob.isTree, pack)) continue;
      const sealed = content.subarray(offset, offset + length);
      freeBuffer(repository.openBlob(sealed, { ...blob, offset, length, pack }));
      await writer.addSealed(sealed, blob);
    }
  }
  await writer.finish();
  const dropped = new Set([...obsolete, ...orphans.filter((pack) => usage.bytesOf(pack) === 0)]);
  for (const json of indexFiles(keptPacks(index, dropped))) await repository.save('index', json);
}

function* keptPacks(index: BlobIndex, dropped: ReadonlySet<string>): Generator<IndexedPack> {
  for (const pack of groupByPack(index)) if (!dropped.has(pack.id)) yield pack;
}

/** Removes packs that were in no index an hour ago, and remembers the others. @returns bytes */
async function removeOld(
  repository: Repository,
  lock: RepositoryLock,
  unused: readonly { pack: string; size: number; wasIndexed: boolean }[],
): Promise<number> {
  const now = await repository.store.time();
  const { orphans: known } = readMemory(repository);
  const orphans: CleanUpMemory['orphans'] = {};
  let freedBytes = 0;
  for (const { pack, wasIndexed } of unused)
    orphans[pack] = wasIndexed ? now : Math.min(known[pack] ?? now, now);
  writeMemory(repository, { orphans, isDue: false });
  const old = unused.filter(({ pack }) => now - (orphans[pack] ?? now) >= MIN_ORPHAN_TIME);
  if (old.length > 0) await lock.check();
  for (const { pack, size } of old) {
    await repository.store.remove('data', pack);
    repository.cache.remove('data', pack);
    freedBytes += size;
    delete orphans[pack];
  }
  writeMemory(repository, { orphans, isDue: false });
  return freedBytes;
}
