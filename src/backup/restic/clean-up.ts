/**
 * Removes what no snapshot needs, in two phases, because a list of the drive may be late: packs that are in no index
 * any more are removed at least an hour later, if no snapshot that is listed then needs them. What other accounts have
 * stored in My Drive is left to them, because only they may remove it.
 */
import { randomUUID } from 'node:crypto';
import { freeBuffer } from '../../core/buffers';
import { DriveError, isDriveError } from '../../errors';
import { isObject, isString } from '../../core/validator';
import { BlobIndex, BlobSet } from './blob-index';
import { BlobWriter } from './blob-writer';
import { damagedFile, isStrings } from './json-file';
import {
  type IndexedPack,
  entrySize,
  groupByPack,
  headerSize,
  indexFiles,
  packHeaderSize,
  readPackHeader,
} from './pack';
import type { RepositoryLock } from './locks';
import type { Repository } from './repository';
import { isForeign, namesOf, packSizes } from './store';
import { readTree } from './tree';

/** ms */
const MIN_ORPHAN_TIME = 3_600_000;
/** Bytes at the end of a pack that usually contain its header. */
const HEADER_GUESS = 64 * 1024;

/** ms after which a list contains what was created before. */
const LATE_LIST = 5_000;

/** Stored in the cache folder between runs. If it is lost, packs are removed later. */
export interface CleanUpMemory {
  /** The service's time at which a pack was first found in no index, by its ID. */
  orphans: Record<string, number>;
  /** True if something was removed since the last time; the ID of a run that may have left packs behind. */
  isDue: boolean | string;
  /** IDs of the snapshots that the last run has seen or stored, and not removed. */
  snapshots: string[];
}

export const NOTHING_REMEMBERED: Readonly<CleanUpMemory> = { orphans: {}, isDue: false, snapshots: [] };

/** @returns undefined if nothing is remembered of this repository */
export function readMemory({
  cache,
  config,
}: Pick<Repository, 'cache' | 'config'>): CleanUpMemory | undefined {
  const memory = cache.readState(config.id);
  if (!isObject(memory)) return undefined;
  const { orphans, isDue, snapshots } = memory as Partial<CleanUpMemory>;
  return {
    orphans: isObject(orphans) ? orphans : {},
    isDue: isString(isDue) || isDue === true ? isDue : false,
    snapshots: isStrings(snapshots) ? snapshots : [],
  };
}

export function writeMemory(
  { cache, config }: Pick<Repository, 'cache' | 'config'>,
  memory: CleanUpMemory,
): void {
  cache.writeState(config.id, memory);
}

/**
 * For a backup that ends without notice and leaves packs behind.
 * @param memory to be written at the end, with what the backup has changed in it
 * @returns writes it, but not over what another backup has noted meanwhile: that it has begun, or removed something
 */
export function beginRun(repository: Repository, memory: CleanUpMemory): () => void {
  const run = randomUUID();
  writeMemory(repository, { ...memory, isDue: run });
  return () => {
    const isDue = readMemory(repository)?.isDue ?? false;
    if (isDue !== run) memory.isDue = isDue || memory.isDue;
    writeMemory(repository, memory);
  };
}

/**
 * Snapshots that were moved elsewhere still need their packs. Of those that this machine has never seen, only the trees
 * are left to tell.
 * @throws `conflict` if a snapshot was moved elsewhere
 */
export async function checkSnapshots(
  { store, listed }: Repository,
  lock: RepositoryLock,
  { index, memory }: { index: BlobIndex; memory: CleanUpMemory | undefined },
): Promise<void> {
  const known = new Set(listed.snapshots);
  await store.checkMoved('snapshots', memory?.snapshots.filter((id) => !known.has(id)) ?? []);
  if (memory || known.size > 0) return;
  // Another machine is storing the first snapshot, or was interrupted. A lock of any other time explains nothing.
  if (await lock.wasShared(listed.indexedAt)) return;
  for (const { isTree } of index)
    if (isTree) throw new DriveError('conflict', { text: 'conflict_repository_trashed' });
}

/**
 * Leaves out packs of the index that someone has removed, so that their blobs are stored again: one that only a late
 * list lacks does no harm.
 * @throws `conflict` if one of them is in the trash, or was moved elsewhere
 */
export async function dropMissingPacks(
  { store, listed }: Repository,
  index: BlobIndex,
  memory: CleanUpMemory,
): Promise<void> {
  let lost = lostPacks(index, listed.packs ?? packSizes(await store.list(['data'])));
  if (lost.length > 0) {
    await store.sleep(LATE_LIST);
    lost = lostPacks(index, packSizes(await store.list(['data'])));
  }
  await store.checkMoved('data', lost);
  index.drop(lost);
  // Those of another account stay in its index until that account cleans up.
  if (lost.some((pack) => !index.foreign.has(pack))) memory.isDue = true;
}

/** @returns those of the index that are missing, or too small */
function lostPacks(index: BlobIndex, stored: ReadonlyMap<string, number | undefined>): string[] {
  return index.packs.filter(
    (pack) => !stored.has(pack) || (stored.get(pack) ?? Infinity) < (index.packSize(pack) ?? 0),
  );
}

/** Whether there is anything to clean up, as far as is known without a request. */
export async function isCleanUpDue(repository: Repository): Promise<boolean> {
  const { orphans, isDue } = readMemory(repository) ?? NOTHING_REMEMBERED;
  const now = await repository.store.time();
  return isDue !== false || Object.values(orphans).some((since) => now - since >= MIN_ORPHAN_TIME);
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
 * @throws `bad_response` if anything is missing or damaged, `conflict` if it is in the trash: then nothing is removed
 */
export async function cleanUp(
  repository: Repository,
  lock: RepositoryLock,
  options: CleanUpOptions,
): Promise<number> {
  const { store } = repository;
  const trees = await treesOf(repository);
  const index = await repository.index();
  // One may have been moved elsewhere since the run began.
  await checkSnapshots(repository, lock, { index, memory: readMemory(repository) });
  const { foreignIndex } = repository.listed;
  const earlierFiles = repository.listed.index.filter((id) => !foreignIndex.has(id));
  const packFiles = await store.list(['data']);
  const stored = packSizes(packFiles);
  const sizes = new Map(Array.from(stored, ([name, size]) => [name, size ?? 0]));
  const orphans = [...sizes.keys()].filter((pack) => index.packSize(pack) === undefined);
  const lost = lostPacks(index, stored);
  await store.checkMoved('data', lost);
  index.drop(lost);
  for (const pack of orphans) await addOrphan(repository, index, { pack, size: sizes.get(pack) ?? 0 });
  const usage = new Usage(index);
  await usage.addTrees(repository, trees);
  const obsolete = new Set(choosePacks(index, usage, { orphans, ...options }));
  // What the index of another account lacks stays until that account removes it.
  const isLost = lost.some((pack) => !index.foreign.has(pack));
  const isChanged = isLost || obsolete.size > 0 || orphans.some((pack) => usage.bytesOf(pack) > 0);
  if (isChanged) {
    await rewrite(repository, lock, { index, usage, obsolete, orphans, packSize: options.packSize });
    for (const file of earlierFiles) {
      await lock.check();
      await store.remove('index', file);
    }
  }
  const foreign = new Set(namesOf(packFiles.filter(isForeign), 'data'));
  const isUnused = (pack: string): boolean => usage.bytesOf(pack) === 0 && !foreign.has(pack);
  const unused = [...obsolete, ...orphans.filter(isUnused)];
  const packs = unused.map((pack) => ({ pack, size: sizes.get(pack) ?? 0, wasIndexed: obsolete.has(pack) }));
  // A list of the packs may be late.
  return removeOld(repository, lock, { packs, mayRemove: !isLost });
}

/** Adds what the header of a pack says. A pack that is damaged has nothing that could be used. */
async function addOrphan(
  { store, key }: Repository,
  index: BlobIndex,
  { pack, size }: { pack: string; size: number },
): Promise<void> {
  const read = (length: number): Promise<Buffer> =>
    store.load('data', pack, { start: Math.max(0, size - length), end: size });
  let end = await read(HEADER_GUESS);
  try {
    const length = packHeaderSize(end, size, pack);
    if (length > end.length) end = await read(length);
    for (const blob of readPackHeader(key, end, size, pack)) index.add(blob, pack, true);
  } catch (error) {
    if (!isDriveError(error, 'bad_response')) throw error;
  }
}

/** @returns the IDs of the trees of all snapshots. @throws `bad_response` if a snapshot can't be read */
async function treesOf(repository: Repository): Promise<string[]> {
  const { snapshots, damaged } = await repository.snapshots();
  if (damaged[0] !== undefined) throw damagedFile(`snapshots/${damaged[0]}`, 'hash');
  // It was listed, so that it may need packs.
  const readable = new Set(snapshots.map(({ id }) => id));
  const missing = repository.listed.snapshots.find((id) => !readable.has(id));
  if (missing !== undefined) throw damagedFile(`snapshots/${missing}`, 'missing');
  return snapshots.map(({ tree }) => tree);
}

/** The blobs that snapshots need. */
class Usage {
  private readonly used: BlobSet;
  private readonly bytes = new Map<string, number>();

  constructor(private readonly index: BlobIndex) {
    this.used = new BlobSet(index);
  }

  /** Of the pack, without its header. */
  bytesOf(pack: string): number {
    return this.bytes.get(pack) ?? 0;
  }

  /** Whether a blob is needed, and this is the pack that it is taken from. */
  isUsed(id: string, isTree: boolean, pack: string): boolean {
    const number = this.index.numberOf(id, isTree);
    return number !== undefined && this.used.has(number) && this.index.at(number).pack === pack;
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
    const number = this.index.numberOf(id, isTree);
    if (number === undefined) throw damagedFile(id, 'missing');
    if (!this.used.add(number)) return false;
    const blob = this.index.at(number);
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
    .filter((id) => !ignored.has(id) && !index.isDropped(id) && !index.foreign.has(id))
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
  /** Their used blobs are written to new packs. */
  obsolete: ReadonlySet<string>;
  orphans: readonly string[];
  packSize: number;
}

/** Writes new packs, and an index of everything that stays. */
async function rewrite(
  repository: Repository,
  lock: RepositoryLock,
  { index, usage, obsolete, orphans, packSize }: Rewriting,
): Promise<void> {
  const writer = new BlobWriter(repository, lock, new BlobIndex(), packSize);
  for (const { id: pack, blobs } of groupByPack(index)) {
    if (!obsolete.has(pack) || usage.bytesOf(pack) === 0) continue;
    const content = await repository.readPack(pack);
    for (const { offset, length, ...blob } of blobs) {
      if (!usage.isUsed(blob.id, blob.isTree, pack)) continue;
      const sealed = content.subarray(offset, offset + length);
      const located = { ...blob, offset, length, pack };
      try {
        freeBuffer(repository.openBlob(sealed, located));
      } catch (error) {
        await writer.add(await repository.findIntact(index, located, error), blob.isTree);
        continue;
      }
      await writer.addSealed(sealed, blob);
    }
  }
  await writer.finish();
  const dropped = new Set([...obsolete, ...orphans.filter((pack) => usage.bytesOf(pack) === 0)]);
  for (const json of indexFiles(keptPacks(index, dropped))) await lock.save('index', json);
}

function* keptPacks(index: BlobIndex, dropped: ReadonlySet<string>): Generator<IndexedPack> {
  const isKept = ({ id }: IndexedPack): boolean =>
    !dropped.has(id) && !index.isDropped(id) && !index.foreign.has(id);
  for (const pack of groupByPack(index)) if (isKept(pack)) yield pack;
}

/** Removes packs that were in no index an hour ago, if it may, and remembers the others. @returns bytes */
async function removeOld(
  repository: Repository,
  lock: RepositoryLock,
  unused: { packs: readonly { pack: string; size: number; wasIndexed: boolean }[]; mayRemove: boolean },
): Promise<number> {
  const now = await repository.store.time();
  const earlier = readMemory(repository) ?? NOTHING_REMEMBERED;
  const orphans: CleanUpMemory['orphans'] = {};
  let freedBytes = 0;
  for (const { pack, wasIndexed } of unused.packs)
    orphans[pack] = wasIndexed ? now : Math.min(earlier.orphans[pack] ?? now, now);
  const memory = { ...earlier, orphans, isDue: false };
  writeMemory(repository, memory);
  const old = unused.packs.filter(
    ({ pack }) => unused.mayRemove && now - (orphans[pack] ?? now) >= MIN_ORPHAN_TIME,
  );
  if (old.length > 0) await lock.check();
  for (const { pack, size } of old) {
    await lock.confirm();
    await repository.store.remove('data', pack);
    repository.cache.remove('data', pack);
    freedBytes += size;
    delete orphans[pack];
  }
  writeMemory(repository, memory);
  return freedBytes;
}
