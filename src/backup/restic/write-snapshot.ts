/**
 * One backup as a snapshot, in a worker thread: packs, then the index, then the snapshot, each complete before the
 * next.
 */
import {
  type Missing,
  findMissing,
  incompleteError,
  nothingRead,
  readableMount,
} from '../entries/missing-sources';
import { toThreadError } from '../../core/threads/thread-error';
import { readablePath } from '../../fs/path-bytes';
import { type SourceSelection, sourceDevices } from '../../fs/walk-sources';
import { compareMounts, findSourceMounts } from '../../fs/mount-points';
import { throttled } from '../../core/threads/serve-jobs';
import { DriveError, isDriveError } from '../../errors';
import { createPathMatcher } from '../../core/globs/path-globs';
import { BlobWriter } from './blob-writer';
import type { BlobIndex } from './blob-index';
import {
  NOTHING_REMEMBERED,
  beginRun,
  checkSnapshots,
  cleanUp,
  dropMissingPacks,
  isCleanUpDue,
  readMemory,
} from './clean-up';
import { RepositoryLock } from './locks';
import { Repository, type StoredSnapshot } from './repository';
import { type Snapshot, snapshotJson } from './snapshot-file';
import { INCOMPLETE_TAG, isComplete, isSameGroup, newestOf, toInfo } from './select-snapshot';
import type { BackupEvent, BackupJob, BackupOutcome, SnapshotHost, SnapshotInfo } from './snapshot-request';
import { forgetOwnerNames } from './tree-writer';
import { SourceWriter, type WriteContext, type WriteSummary, sourcePath } from './write-sources';
import { NS_PER_MS } from './json-file';
import { Calendar } from '../retention/calendar';
import { type RetentionRules, applyRetention } from '../retention/retention';
import type { DriveFile } from '../../types';

const MIB = 1024 * 1024;
/** ns */
const CLOCK_RESOLUTION = 2_000n * NS_PER_MS;

interface Run {
  job: BackupJob;
  host: SnapshotHost<BackupEvent>;
  repository: Repository;
  lock: RepositoryLock;
  /** Those that exist, oldest first. */
  earlier: readonly StoredSnapshot[];
  index: BlobIndex;
}

export async function writeSnapshot(job: BackupJob, host: SnapshotHost<BackupEvent>): Promise<BackupOutcome> {
  forgetOwnerNames();
  const repository = await Repository.open(host, job.access, { mayCreate: true });
  const lock = await RepositoryLock.acquire(repository, host, true);
  try {
    // Before the index: it has what these need.
    const { snapshots: earlier } = await repository.snapshots();
    const index = await repository.index();
    // Not before: another process may have cleaned up meanwhile.
    const remembered = readMemory(repository);
    await checkSnapshots(repository, lock, { index, memory: remembered });
    const memory = remembered ?? { ...NOTHING_REMEMBERED };
    const endRun = beginRun(repository, memory);
    await dropMissingPacks(repository, index, memory);
    const run = { job, host, repository, lock, earlier, index };
    const written = await store(run);
    const { snapshot, missing } = written;
    const stored = unpruned(written);
    await host.emit({ stored });
    // Before older ones are removed.
    await repository.store.checkPlace();
    await repository.checkAccess();
    await repository.discardOthers();
    const pruning = { ...job, repository, earlier, created: snapshot };
    const outcome = missing ? stored : { ...stored, ...(await pruneSnapshots(pruning)) };
    await host.emitDamaged([...repository.damaged]);
    const removed = new Set(outcome.pruned.removed.map(({ id }) => id));
    if (removed.size > 0) memory.isDue = true;
    memory.snapshots = [...repository.listed.snapshots, snapshot.id].filter((id) => !removed.has(id));
    endRun();
    if (missing) return stored;
    await host.emit({ stored: outcome });
    // Who can't remove locks would lock all others out, and can't remove packs either.
    return (await lock.release()) ? await cleanUpIfDue(repository, job, outcome) : outcome;
  } finally {
    await lock.release();
    repository.cache.trim();
  }
}

function unpruned({ snapshot, addedBytes, summary, missing, damagedPacks }: Stored): BackupOutcome {
  const info = toInfo(snapshot);
  const backup = { complete: !missing, ...summary, addedBytes };
  const laterError = missing && {
    laterError: toThreadError(incompleteError(missing, { id: info.shortId })),
  };
  return { snapshot: info, backup, damagedPacks, pruned: NOTHING_PRUNED, ...laterError };
}

/** Not while another client uses the repository: then the next run tries again. */
async function cleanUpIfDue(
  repository: Repository,
  { maxUnused, packSize }: BackupJob,
  outcome: BackupOutcome,
): Promise<BackupOutcome> {
  if (!(await isCleanUpDue(repository))) return outcome;
  await repository.refresh();
  const lock = await RepositoryLock.tryAcquire(repository, true);
  if (!(lock instanceof RepositoryLock)) return outcome;
  try {
    outcome.pruned.freedBytes = await cleanUp(repository, lock, { maxUnused, packSize: packSize * MIB });
  } finally {
    await lock.release();
  }
  if (await lock.release()) return outcome;
  const params = { id: outcome.snapshot.shortId };
  const error = new DriveError('partial_failure', { text: 'partial_failure_clean_up_lock', params });
  return { laterError: toThreadError(error), ...outcome };
}

interface Stored {
  snapshot: StoredSnapshot;
  addedBytes: number;
  summary: WriteSummary;
  missing: Missing | undefined;
  damagedPacks: number;
}

async function store({ job, host, repository, lock, earlier, index }: Run): Promise<Stored> {
  const selection = { sources: job.sources, isExcluded: createPathMatcher(job.exclude, 'exclude') };
  const devices = await sourceDevices(job.sources);
  const mountsAtStart = await findSourceMounts(selection);
  const group = { hostname: job.access.host, paths: job.sources.map(sourcePath) };
  const now = await host.time();
  const ofGroup = earlier.filter((snapshot) => isSameGroup(snapshot, group));
  const parent = newestOf(ofGroup, now);
  const time = timeAfter(earlier, BigInt(now) * NS_PER_MS);
  const writer = new BlobWriter(repository, lock, index, job.packSize * MIB);
  const context = { repository, index, writer, parent };
  const { tree, earlierMounts, ...written } = await writeSources(selection, context, host);
  const summary = readable(written.summary);
  if (summary.entries === 0) throw nothingRead(job.sources, summary.skipped);
  await writer.finish();
  const recorded = newestOf(
    ofGroup.filter(({ mounts }) => mounts),
    now,
  )?.mounts;
  const expected = job.acceptChange ? [] : (recorded ?? earlierMounts);
  const { lost, used: mounts } = await compareMounts(selection, mountsAtStart, expected);
  const read = { devices, skipped: summary.skipped };
  const missing = await findMissing(selection, read, () => Promise.resolve(lost.map(readableMount)));
  const tags = [...job.tags, ...(missing ? [INCOMPLETE_TAG] : [])];
  const excludes = [...job.exclude];
  const content: Snapshot = {
    ...{ time, tree, parent: parent?.id, ...group, username: job.access.username, tags, excludes, mounts },
    ...(process.getuid && { uid: process.getuid(), gid: process.getgid?.() }),
  };
  await host.emit(progressOf(summary));
  await host.emit({ isStoring: true });
  const id = await lock.save('snapshots', snapshotJson(content));
  const { droppedPacks: damagedPacks } = index;
  const snapshot = { ...content, id };
  return { snapshot, addedBytes: writer.addedBytes, summary, missing, damagedPacks };
}

/** Writes them again if a pack turns out to be damaged: blobs found in it before have to be stored again, too. */
async function writeSources(
  selection: SourceSelection,
  context: Omit<WriteContext, 'onProgress'>,
  host: Run['host'],
): Promise<{ tree: string } & Pick<SourceWriter, 'summary' | 'earlierMounts'>> {
  for (;;) {
    const { droppedPacks } = context.index;
    const sources: SourceWriter = new SourceWriter({
      ...context,
      onProgress: throttled<void>(() => host.emit(progressOf(sources.summary))),
    });
    const tree = await sources.write(selection);
    const { summary, earlierMounts } = sources;
    if (context.index.droppedPacks === droppedPacks) return { tree, summary, earlierMounts };
    // Packs that are still being uploaded can't be read.
    await context.writer.finish();
  }
}

/** The service's time is known to the second only, so an earlier snapshot may seem to be the later one. */
function timeAfter(earlier: readonly Snapshot[], now: bigint): bigint {
  const last = earlier.filter(({ time }) => time < now + CLOCK_RESOLUTION).at(-1);
  return last && last.time >= now ? last.time + NS_PER_MS : now;
}

function progressOf({ entries, bytes }: WriteSummary): BackupEvent {
  return { entries, bytes };
}

function readable(summary: WriteSummary): WriteSummary {
  const skipped = summary.skipped.map(({ path, reason }) => ({ path: readablePath(path), reason }));
  return { ...summary, changed: summary.changed.map(readablePath), skipped };
}

const NOTHING_PRUNED: BackupOutcome['pruned'] = { kept: [], removed: [], failed: [], freedBytes: 0 };

interface Pruning extends Pick<BackupJob, 'retention' | 'timeZone'> {
  repository: Repository;
  /** That existed when the backup began: another one may rely on a later one. */
  earlier: readonly StoredSnapshot[];
  /** Is kept and counts as the newest, whatever its time. */
  created: StoredSnapshot;
}

/** Never throws: the snapshot exists. Those that can't be removed are in the result. */
export async function pruneSnapshots(
  pruning: Pruning,
): Promise<Pick<BackupOutcome, 'pruned' | 'laterError'>> {
  const { repository, earlier, created, retention } = pruning;
  const group = earlier.filter((snapshot) => isSameGroup(snapshot, created));
  const complete = [created, ...group.filter(isComplete)];
  const decision = retention ? await decide(pruning, retention, complete) : { kept: [], removed: [] };
  // A complete snapshot replaces the incomplete ones.
  const expired = [...decision.removed, ...group.filter((snapshot) => !isComplete(snapshot))];
  const removed: SnapshotInfo[] = [];
  const failed: BackupOutcome['pruned']['failed'] = [];
  const pruned = { kept: decision.kept.map(toInfo), removed, failed, freedBytes: 0 };
  for (const [index, each] of expired.entries()) {
    const snapshot = toInfo(each);
    try {
      await repository.store.remove('snapshots', each.id);
      removed.push(snapshot);
    } catch (error) {
      if (isDriveError(error, 'cancelled')) {
        const kept = [...pruned.kept, ...expired.slice(index).map(toInfo)];
        return { pruned: { ...pruned, kept }, laterError: toThreadError(error) };
      }
      // Nobody asked for it, and contributors of a shared drive may not remove files.
      if (!retention && isDriveError(error, 'permission_denied')) continue;
      failed.push({ snapshot, error: toThreadError(error) });
    }
  }
  if (failed.length === 0) return { pruned };
  const params = { id: toInfo(created).shortId, failed: failed.length, count: expired.length };
  const laterError = new DriveError('partial_failure', { text: 'partial_failure_snapshot_prune', params });
  return { pruned, laterError: toThreadError(laterError) };
}

/** @returns newest first */
async function decide(
  { repository, created, timeZone }: Pruning,
  rules: RetentionRules,
  snapshots: readonly StoredSnapshot[],
): Promise<{ kept: StoredSnapshot[]; removed: StoredSnapshot[] }> {
  const byId = new Map(snapshots.map((snapshot) => [snapshot.id, snapshot]));
  const find = ({ id }: DriveFile): StoredSnapshot => byId.get(id) as StoredSnapshot;
  const { kept, removed } = applyRetention(
    snapshots.map(({ id }) => ({ id })),
    rules,
    {
      dateFrom: (file) => ({ time: Number(find(file).time / NS_PER_MS), isDay: false }),
      calendar: new Calendar(timeZone),
      // All clients of the repository have different clocks.
      now: await repository.store.time(),
      newestId: created.id,
    },
  );
  return { kept: kept.map(find), removed: removed.map(find) };
}
