/** Synchronizing folders, compared with rclone copy. Both reach the same service through TLS, as Google's. */
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { randomFillSync } from 'node:crypto';
import path from 'node:path';
import { type MeasuredNodeRed, measuredNodeRed } from '../contestants/measured-node-red';
import { Rclone } from '../contestants/rclone';
import type { Case, CaseOptions, Contestant, RunningCase, Sample, Table } from '../harness/case';
import { closing } from '../harness/closing';
import { hasProgram } from '../harness/peers';
import { Targets, emptyFiles } from '../harness/targets';
import { type GoogleFront, startGoogleFront } from '../service/google-front';
import { type SyncTree, writeSyncTree } from '../service/tree';

const OURS = 'sync folder node';
const RCLONE = 'rclone copy';
const FAST_LIST = 'rclone copy --fast-list';

/** With the default `--size` of 1 GiB. */
const SMALL_FILES = 10_000;
const LARGE_FILES = 20;
const LARGE_SIZE = 200_000_000;
/** Requests per second at the pace of both. */
const PACE = 100;
/** One file in so many is changed. */
const CHANGED = 100;

type Direction = 'up' | 'down';

interface SyncEnv {
  front: GoogleFront;
  nodeRed: MeasuredNodeRed;
  rclone: Rclone | undefined;
  tree: SyncTree;
  /** Folders for downloads. */
  targets: Targets;
  /** Id of a folder on the drive that contains the tree. */
  filled: string;
}

const sync: Case = {
  about: 'synchronizing folders, up and down',
  start,
};
export default sync;

async function start({ size, folder, note }: CaseOptions): Promise<RunningCase> {
  await mkdir(folder, { recursive: true });
  const scale = size / 2 ** 30;
  const tree = writeSyncTree(path.join(folder, 'source'), {
    small: Math.max(CHANGED, Math.round(SMALL_FILES * scale)),
    large: LARGE_FILES,
    largeSize: Math.round(LARGE_SIZE * scale),
  });
  const front = await startGoogleFront(folder);
  const hasRclone = hasProgram('rclone', ['version']);
  if (!hasRclone) note('rclone is skipped because it is not installed.');
  const rclone = hasRclone ? await Rclone.configure(folder, front) : undefined;
  const filled = await front.drive.files.addFolder('filled');
  const nodeRed = await measuredNodeRed(front.drive.url, { env: front.nodeEnv, requestsPerSecond: PACE });
  const env = { front, nodeRed, rclone, tree, targets: new Targets(folder), filled };
  await ours(env, 'up', { local: tree.folder, folderId: filled, pace: 0 });
  const count = tree.paths.length.toLocaleString('en');
  return {
    tables: [
      first(env, `First upload of ${count} files`, { direction: 'up', pace: 0 }),
      first(env, `First upload of ${count} files, ${PACE} requests/s`, { direction: 'up', pace: PACE }),
      unchanged(env, `Upload of ${count} unchanged files`, 'up'),
      changed(env, `Upload of ${count} files, 1 % changed`, 'up'),
      first(env, `First download of ${count} files`, { direction: 'down', pace: 0 }),
      unchanged(env, `Download of ${count} unchanged files`, 'down'),
      changed(env, `Download of ${count} files, 1 % changed`, 'down'),
    ],
    close: closing(folder, nodeRed, front),
  };
}

interface Run {
  /** Folder on disk. */
  local: string;
  folderId: string;
  /** Requests per second: {@link PACE}, or 0 for no limit. */
  pace: number;
}

async function ours(
  { front, nodeRed }: SyncEnv,
  direction: Direction,
  { local, folderId, pace }: Run,
): Promise<Sample> {
  const node = pace === 0 ? (`sync-${direction}` as const) : (`sync-${direction}-paced` as const);
  return front.counted(() => nodeRed.run(node, { filename: local, payload: folderId }));
}

async function copy(env: SyncEnv, direction: Direction, run: Run & { args?: string[] }): Promise<Sample> {
  const { front, rclone } = env;
  const ends = direction === 'up' ? [run.local, 'drive:'] : ['drive:', run.local];
  return front.counted(() => rclone!.copy(ends as [string, string], run));
}

type Runner = (env: SyncEnv, direction: Direction, run: Run) => Promise<Sample>;

/** @param withFastList adds rclone with the option that lists several folders with one request */
function runners({ rclone }: SyncEnv, withFastList = false): [string, Runner][] {
  const fast: Runner = (env, direction, run) => copy(env, direction, { ...run, args: ['--fast-list'] });
  if (!rclone) return [[OURS, ours]];
  return [[OURS, ours], [RCLONE, copy], ...(withFastList ? [[FAST_LIST, fast] as [string, Runner]] : [])];
}

const METRICS: Table['metrics'] = ['wall', 'cpu', 'serviceCpu', 'requests', 'growth', 'peak'];

function first(
  env: SyncEnv,
  title: string,
  { direction, pace }: { direction: Direction; pace: number },
): Table {
  const contestant = ([name, run]: [string, Runner]): Contestant => ({
    name,
    run: () => (direction === 'up' ? intoNewFolder(env, run, pace) : intoNewTarget(env, run, pace)),
  });
  return {
    ...{ title, contestants: runners(env).map(contestant), metrics: METRICS },
    targets: [
      { contestant: OURS, metric: 'wall', atMost: 0.7, times: RCLONE },
      ...(direction === 'up'
        ? [{ contestant: OURS, metric: 'requests' as const, atMost: 0.55, times: RCLONE }]
        : []),
      { contestant: OURS, metric: 'growth', atMost: 0.5, times: RCLONE },
    ],
  };
}

async function intoNewFolder(env: SyncEnv, run: Runner, pace: number): Promise<Sample> {
  const { front, tree } = env;
  const folderId = await front.drive.files.addFolder('new');
  const sample = await run(env, 'up', { local: tree.folder, folderId, pace });
  const contents = contentsOn(front, folderId);
  checkSize(
    contents.reduce((sum, { size }) => sum + size, 0),
    tree.size,
  );
  await emptyFiles(contents.map(({ file }) => file));
  return sample;
}

async function intoNewTarget(env: SyncEnv, run: Runner, pace: number): Promise<Sample> {
  const { tree, targets, filled } = env;
  const target = await targets.next();
  const sample = await run(env, 'down', { local: target, folderId: filled, pace });
  checkSize(await tree.sizeOf(target), tree.size);
  return sample;
}

function unchanged(env: SyncEnv, title: string, direction: Direction): Table {
  const contestant = ([name, run]: [string, Runner]): Contestant => ({
    name,
    run: () => run(env, direction, { local: localOf(env, direction), folderId: env.filled, pace: 0 }),
  });
  return {
    ...{
      title,
      contestants: runners(env, true).map(contestant),
      metrics: ['requests', 'wall', 'growth', 'peak'],
    },
    targets: [{ contestant: OURS, metric: 'requests', atMost: 1, times: FAST_LIST }],
  };
}

/** Changes files on disk, which is the source or the destination: they are transferred either way. */
function changed(env: SyncEnv, title: string, direction: Direction): Table {
  const contestant = ([name, run]: [string, Runner]): Contestant => ({
    name,
    run: async () => {
      const local = localOf(env, direction);
      await changeFiles(env.tree, local);
      return run(env, direction, { local, folderId: env.filled, pace: 0 });
    },
  });
  return {
    ...{ title, contestants: runners(env).map(contestant), metrics: METRICS },
    targets: [
      { contestant: OURS, metric: 'wall', atMost: 0.7, times: RCLONE },
      { contestant: OURS, metric: 'growth', atMost: 0.5, times: RCLONE },
    ],
  };
}

async function changeFiles({ paths }: SyncTree, local: string): Promise<void> {
  const time = Math.floor(Date.now() / 1_000);
  // The large files are last, and stay as they are.
  for (let index = 0; index < paths.length - LARGE_FILES; index += CHANGED) {
    const file = path.join(local, paths[index]!);
    await writeFile(file, randomFillSync(Buffer.alloc(20_000 + index)));
    await utimes(file, time, time + index);
  }
}

function localOf({ tree, targets }: SyncEnv, direction: Direction): string {
  return direction === 'up' ? tree.folder : targets.current;
}

/** The files in which the drive stores what is in a folder, and their sizes in bytes. */
function contentsOn({ drive }: GoogleFront, folderId: string): { file: string; size: number }[] {
  return drive.files.in(folderId).flatMap(({ id, content }) => {
    if (!content) return contentsOn({ drive } as GoogleFront, id);
    return [{ file: path.join(drive.dataDir, 'content', content.blob ?? ''), size: content.size }];
  });
}

function checkSize(actual: number, expected: number): void {
  if (actual !== expected) throw new Error(`${actual} bytes arrived instead of ${expected}.`);
}
