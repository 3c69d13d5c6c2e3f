/** Restores, checks and lists snapshots, in a worker thread. */
import { Extraction } from '../entries/extract';
import { type InspectOutput, type Inspected, inspectEntries } from '../entries/inspection';
import { throttled } from '../../core/threads/serve-jobs';
import { DriveError, isDriveError } from '../../errors';
import { type PathMatcher, createPathMatcher } from '../../core/globs/path-globs';
import { RepositoryCheck, damaged } from './check-repository';
import { RepositoryLock } from './locks';
import { SnapshotReader, TreeReader } from './read-snapshot';
import { NS_PER_MS, damagedFile, isDamaged } from './json-file';
import { Repository, type StoredSnapshot } from './repository';
import { selectSnapshot, toInfo } from './select-snapshot';
import type {
  CheckJob,
  EntriesJob,
  FoundSnapshots,
  InspectOutcome,
  ReadEvent,
  ReadJob,
  RestoreJob,
  RestoreOutcome,
  SnapshotHost,
  SnapshotsJob,
} from './snapshot-request';
import type { FileType } from './store';
import type { EntryVisitor } from '../entries/entry';

const HOUR = 3_600_000;
type Host = SnapshotHost<ReadEvent>;
type ProgressEvent = Pick<Exclude<ReadEvent, { entries: unknown[] }>, 'progress' | 'totals'>;

/** The repository that is read, and how the progress is reported. */
interface Run {
  host: Host;
  repository: Repository;
  snapshots: { snapshots: StoredSnapshot[]; damaged: string[] };
  /** Counts what was read. */
  onFetched: (bytes: number) => void;
  report: (event: ProgressEvent) => void;
}

export function restoreSnapshot(job: RestoreJob, host: Host): Promise<RestoreOutcome> {
  return withSnapshots(job, host, async (run) => {
    const { snapshots } = run.snapshots;
    const snapshot = selectSnapshot(snapshots, job.choice, {
      folder: job.access.folder,
      now: await host.time(),
    });
    const trees = new TreeReader(run.repository, await run.repository.intactIndex());
    const isSelected = matcherFor(job.include);
    const extraction = await Extraction.create(job.places, {
      ...{ archive: toInfo(snapshot).shortId, stripTop: job.stripTop },
      include: job.include.length > 0 ? isSelected : undefined,
      ...{ isCaseSensitive: job.isCaseSensitive, creationMode: job.creationMode },
      onEntry: (progress) => run.report({ progress }),
    });
    let reader: SnapshotReader | undefined;
    const read = (): Promise<void> => {
      reader = new SnapshotReader(trees, { isSelected, needsContent: true, onFetched: run.onFetched });
      return reader.read(snapshot, (entry, content) => extraction.add(entry, content));
    };
    try {
      do await read();
      while (extraction.startNextPass());
      await extraction.finish();
    } catch (error) {
      await extraction.abandon();
      throw await explain(error, { run, trees, snapshot, path: reader?.current ?? '' });
    }
    const { progress, reserved, skipped } = extraction;
    return { snapshot: toInfo(snapshot), progress, reserved, skipped };
  });
}

/** Checks the repository and reads the snapshot, or lists its entries. */
export function inspectSnapshot(job: CheckJob | EntriesJob, host: Host): Promise<InspectOutcome> {
  return withSnapshots(job, host, async (run) => {
    const { snapshots, damaged } = run.snapshots;
    const now = await host.time();
    const recent = job.work === 'check' && selectRecent(snapshots, job, now);
    const { snapshot, ...age } = recent || {
      snapshot: selectSnapshot(snapshots, job.choice, { folder: job.access.folder, now }),
    };
    if (job.work === 'check' && job.depth === 'age') {
      if (!(await run.repository.loadStored('snapshots', snapshot.id)))
        throw damagedFile(`snapshots/${snapshot.id}`, 'missing');
      return { snapshot: toInfo(snapshot), ...age };
    }
    const trees = new TreeReader(run.repository, await run.repository.intactIndex());
    if (job.work === 'check') {
      const check = new RepositoryCheck(trees, run.onFetched);
      await check.checkPacks();
      await check.checkFiles();
      await check.readPacks(job.readData, now);
      await check.checkSnapshots(snapshots, damaged);
    }
    return { snapshot: toInfo(snapshot), ...age, inspected: await inspect(run, trees, job, snapshot) };
  });
}

/** Lists all snapshots that can be read, also those that the choice doesn't match. */
export async function findSnapshots(
  { access, choice }: SnapshotsJob,
  host: SnapshotHost<never>,
): Promise<FoundSnapshots> {
  const repository = await Repository.open(host, access);
  const { snapshots } = await repository.snapshots();
  repository.cache.trim();
  const options = { folder: access.folder, now: await host.time() };
  return {
    snapshots: snapshots.map(toInfo).reverse(),
    selectedId: choice && ifSelectable(() => selectSnapshot(snapshots, choice, options).id),
  };
}

function ifSelectable(select: () => string): string | undefined {
  try {
    return select();
  } catch (error) {
    if (isDriveError(error, 'not_found') || isDriveError(error, 'conflict')) return undefined;
    throw error;
  }
}

/** See cache.ts. */
function distrustedBy(job: ReadJob): readonly FileType[] {
  if (job.work !== 'check') return [];
  return job.depth === 'age' ? ['config', 'keys'] : ['config', 'keys', 'snapshots', 'index', 'data'];
}

/** Locks the repository, so that nobody removes what is read. */
async function withSnapshots<T>(job: ReadJob, host: Host, work: (run: Run) => Promise<T>): Promise<T> {
  const repository = await Repository.open(host, job.access, { distrusted: distrustedBy(job) });
  const lock = await RepositoryLock.acquire(repository, host).catch((error: unknown) => {
    // Someone who may only read can't lock. What others remove meanwhile is noticed as missing.
    if (!isDriveError(error, 'permission_denied')) throw error;
  });
  let fetched = 0;
  const report = throttled((event: ProgressEvent) => host.emit({ ...event, fetched }));
  try {
    const onFetched = (bytes: number): void => {
      fetched += bytes;
      report({});
    };
    // Before the index: it has what these need.
    const snapshots = await repository.snapshots();
    const result = await work({ host, repository, snapshots, onFetched, report });
    await host.emitDamaged([...repository.damaged]);
    return result;
  } finally {
    await lock?.release();
    repository.cache.trim();
  }
}

function inspect(
  { host, onFetched, report }: Run,
  trees: TreeReader,
  job: CheckJob | EntriesJob,
  snapshot: StoredSnapshot,
): Promise<Inspected> {
  const { include } = job;
  const info = toInfo(snapshot);
  // A folder is compared by hashes.
  const options = { isSelected: matcherFor(include), needsContent: false, onFetched };
  const read = (visit: EntryVisitor): Promise<void> =>
    new SnapshotReader(trees, options).read(snapshot, visit);
  const output: InspectOutput = {
    onEntry: (totals) => report({ totals }),
    send: (entries) => host.emit({ entries, snapshot: info }),
  };
  const how = job.work === 'check' ? { lists: false, compareWith: job.compareWith } : { lists: true };
  return inspectEntries({ include, ...how, name: info.shortId, read }, output);
}

/** As for archives, only a complete snapshot is recent enough. @throws `outdated` */
function selectRecent(
  snapshots: readonly StoredSnapshot[],
  { choice, access: { folder }, maxAge: limit }: CheckJob,
  now: number,
): { snapshot: StoredSnapshot; age: number } {
  const isNewest = limit > 0 && choice.which === 'newest';
  const select = (allowIncomplete: boolean, from = snapshots): StoredSnapshot =>
    selectSnapshot(from, { ...choice, allowIncomplete }, { folder, now });
  // The clock of the machine that has taken a snapshot may be ahead, so that it stays the newest for hours.
  const since = ({ storedAt, time }: StoredSnapshot): number => storedAt ?? Number(time / NS_PER_MS);
  const byStorage = [...snapshots].sort((a, b) => since(a) - since(b));
  const latest = (allowIncomplete: boolean): StoredSnapshot =>
    select(allowIncomplete, choice.which === 'newest' ? byStorage : snapshots);
  const ageOf = (snapshot: StoredSnapshot): number =>
    Math.max(0, Math.round(((now - since(snapshot)) / HOUR) * 100) / 100);
  try {
    const complete = select(choice.allowIncomplete && !isNewest);
    const lastStored = latest(choice.allowIncomplete && !isNewest);
    const age = ageOf(lastStored);
    if (limit > 0 && age > limit) {
      const params = { id: toInfo(lastStored).shortId, age, limit };
      throw new DriveError('outdated', { text: 'outdated_snapshot', params });
    }
    const snapshot = isNewest && choice.allowIncomplete ? select(true) : complete;
    return { snapshot, age: ageOf(latest(choice.allowIncomplete)) };
  } catch (error) {
    if (!isNewest || !isDriveError(error, 'not_found')) throw error;
    throw new DriveError('outdated', { text: 'outdated_no_snapshot', params: { folder, limit } });
  }
}

/** Names everything in the snapshot that is affected by a damage. */
async function explain(
  error: unknown,
  { run, trees, snapshot, path }: { run: Run; trees: TreeReader; snapshot: StoredSnapshot; path: string },
): Promise<unknown> {
  // What repeats itself, or is nested too deeply, isn't damaged for the check.
  if (!isDamaged(error) || ['depth', 'repeated'].includes(String(error.params['reason']))) return error;
  try {
    const check = new RepositoryCheck(trees, run.onFetched);
    await check.checkPacks();
    await check.checkSnapshots([snapshot]);
    return damaged([toInfo(snapshot).shortId], [path]);
  } catch (found) {
    return found;
  }
}

function matcherFor(include: readonly string[]): PathMatcher {
  return include.length > 0 ? createPathMatcher(include) : () => true;
}
