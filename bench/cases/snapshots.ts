/** Snapshots, compared with restic, which reaches the same service through rclone. */
import { randomBytes } from 'node:crypto';
import { appendFileSync, closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type MeasuredNodeRed, measuredNodeRed } from '../contestants/measured-node-red';
import { Restic } from '../contestants/restic';
import type { Case, CaseOptions, Contestant, RunningCase, Sample, Table } from '../harness/case';
import { closing } from '../harness/closing';
import { hasProgram } from '../harness/peers';
import { mebibytes } from '../harness/report';
import { Targets, emptyFiles } from '../harness/targets';
import { type GoogleFront, startGoogleFront } from '../service/google-front';
import { writeManyFiles, writeMixedTree, writeSmallFiles } from '../service/tree';

const BACKUP = 'backup node';
const RESTORE = 'restore node';
const RESTIC = 'restic, rclone';
const PASSPHRASE = 'correct horse battery';

/** With the default `--size` of 1 GiB. */
const UNCHANGED_FILES = 20_000;
const MANY_FILES = 200_000;
const FEWEST_FILES = 1_000;
/** Of a folder with a large file and small ones. */
const CHANGED_PART = 1 / 20;
const SMALL_FILES = 200;
/** What the small files have of the bytes that change. */
const SMALL_PART = 1 / 5;
/** Of a folder of which a part changes each night. */
const NIGHTS = 30;
const NIGHTLY_PART = 1 / 200;

interface SnapshotEnv {
  front: GoogleFront;
  nodeRed: MeasuredNodeRed;
  restic: Restic | undefined;
  folder: string;
  /** Bytes. */
  size: number;
  targets: Targets;
}

const snapshots: Case = {
  about: 'snapshots in the format of restic',
  start,
};
export default snapshots;

async function start({ size, folder, note }: CaseOptions): Promise<RunningCase> {
  await mkdir(folder, { recursive: true });
  const front = await startGoogleFront(folder);
  const hasRestic = hasProgram('restic', ['version']) && hasProgram('rclone', ['version']);
  if (!hasRestic) note('restic is skipped because it or rclone is not installed.');
  const restic = hasRestic ? await Restic.configure(folder, front, PASSPHRASE) : undefined;
  const nodeRed = await measuredNodeRed(front.drive.url, { env: front.nodeEnv, passphrase: PASSPHRASE });
  const env = { front, nodeRed, restic, folder, size, targets: new Targets(folder) };
  return {
    tables: [
      first(env),
      await restore(env),
      await unchanged(env),
      await changed(env),
      many(env),
      nights(env),
    ],
    close: closing(folder, nodeRed, front),
  };
}

/** @param source path of a folder on disk, or of the target of a restore */
type Runner = (env: SnapshotEnv, folderId: string, source: string) => Promise<Sample>;

const backUp: Runner = ({ front, nodeRed }, folderId, source) =>
  counted(front, folderId, () => nodeRed.run('snapshot', { filename: source, payload: folderId }));
const backUpWithRestic: Runner = ({ front, restic }, folderId, source) =>
  counted(front, folderId, () => restic!.run(folderId, `backup '${source}'`));
const restoreNewest: Runner = ({ front, nodeRed }, folderId, target) =>
  counted(front, folderId, () => nodeRed.run('restore-snapshot', { filename: target, payload: folderId }));
const restoreWithRestic: Runner = ({ front, restic }, folderId, target) =>
  counted(front, folderId, () => restic!.run(folderId, `restore latest --target '${target}'`));

/** Also adds the MB that the repository has grown by. */
async function counted(front: GoogleFront, folderId: string, run: () => Promise<Sample>): Promise<Sample> {
  const stored = storedIn(front, folderId);
  const sample = await front.counted(run);
  return { ...sample, size: (storedIn(front, folderId) - stored) / 1e6 };
}

function storedIn(front: GoogleFront, folderId: string): number {
  return contentsOn(front, folderId).reduce((sum, { size }) => sum + size, 0);
}

/** The files in which the drive stores what is in a folder, and their sizes in bytes. */
function contentsOn(front: GoogleFront, folderId: string): { file: string; size: number }[] {
  return front.drive.files.in(folderId).flatMap(({ id, content }) => {
    if (!content) return contentsOn(front, id);
    return [{ file: path.join(front.drive.dataDir, 'content', content.blob ?? ''), size: content.size }];
  });
}

/** @returns the ID of an empty folder, or of a new repository of restic */
async function newRepository({ front, restic }: SnapshotEnv, isRestic: boolean): Promise<string> {
  const folderId = await front.drive.files.addFolder('repository');
  if (isRestic) await restic!.run(folderId, 'init');
  return folderId;
}

/** Of this package and of restic, each with a repository that contains a snapshot of the source, if there is one. */
async function runners(
  env: SnapshotEnv,
  source: string | undefined,
): Promise<{ name: string; isRestic: boolean; folderId: string }[]> {
  const all = [{ name: BACKUP, isRestic: false }, ...(env.restic ? [{ name: RESTIC, isRestic: true }] : [])];
  const result = [];
  for (const each of all) {
    const folderId = source === undefined ? '' : await newRepository(env, each.isRestic);
    if (source !== undefined) await (each.isRestic ? backUpWithRestic : backUp)(env, folderId, source);
    result.push({ ...each, folderId });
  }
  return result;
}

const METRICS: Table['metrics'] = ['wall', 'cpu', 'serviceCpu', 'requests', 'growth', 'peak', 'delay'];

function wallTarget(contestant: string, atMost: number): Table['targets'][number] {
  return { contestant, metric: 'wall', atMost, times: RESTIC };
}

function first(env: SnapshotEnv): Table {
  const source = path.join(env.folder, 'mixed');
  writeMixedTree(source, env.size);
  const contestant = (name: string, isRestic: boolean, run: Runner): Contestant => ({
    name,
    run: async () => {
      const folderId = await newRepository(env, isRestic);
      const sample = await run(env, folderId, source);
      await emptyFiles(contentsOn(env.front, folderId).map(({ file }) => file));
      return sample;
    },
  });
  return {
    title: `First snapshot of mixed sizes, ${mebibytes(env.size)}`,
    contestants: [
      contestant(BACKUP, false, backUp),
      ...(env.restic ? [contestant(RESTIC, true, backUpWithRestic)] : []),
    ],
    metrics: METRICS,
    targets: [
      ...(env.restic ? [wallTarget(BACKUP, 1.2)] : []),
      { contestant: BACKUP, metric: 'delay', atMost: 20 },
    ],
  };
}

async function restore(env: SnapshotEnv): Promise<Table> {
  const all = await runners(env, path.join(env.folder, 'mixed'));
  const contestants = all.map(({ isRestic, folderId }): Contestant => {
    const run = isRestic ? restoreWithRestic : restoreNewest;
    return {
      name: isRestic ? RESTIC : RESTORE,
      run: async () => run(env, folderId, await env.targets.next()),
    };
  });
  return {
    ...{ title: `Restore of mixed sizes, ${mebibytes(env.size)}`, contestants, metrics: METRICS },
    targets: [
      ...(env.restic ? [wallTarget(RESTORE, 1.2)] : []),
      { contestant: RESTORE, metric: 'growth', atMost: 128 },
      { contestant: RESTORE, metric: 'delay', atMost: 20 },
    ],
  };
}

async function unchanged(env: SnapshotEnv): Promise<Table> {
  const count = scaled(env, UNCHANGED_FILES);
  const source = path.join(env.folder, 'small');
  writeSmallFiles(source, count);
  const all = await runners(env, source);
  return {
    title: `Snapshot of ${count.toLocaleString('en')} unchanged files`,
    contestants: all.map(({ name, isRestic, folderId }) => ({
      name,
      run: () => (isRestic ? backUpWithRestic : backUp)(env, folderId, source),
    })),
    metrics: METRICS,
    targets: [
      ...(env.restic ? [wallTarget(BACKUP, 1)] : []),
      { contestant: BACKUP, metric: 'requests', atMost: 10 },
      { contestant: BACKUP, metric: 'delay', atMost: 20 },
    ],
  };
}

function scaled({ size }: SnapshotEnv, count: number): number {
  return Math.max(FEWEST_FILES, Math.round((count * size) / 2 ** 30));
}

/** A folder with a large file and small ones, of which a part changes. */
class ChangingFolder {
  private night = 0;
  private readonly parts: number;
  /** Bytes of each change. */
  readonly changedBytes: number;

  /** @param part of the size that changes each time */
  constructor(
    readonly path: string,
    readonly size: number,
    part: number,
  ) {
    this.changedBytes = Math.round(size * part);
    this.parts = Math.round(1 / part);
    mkdirSync(path, { recursive: true });
    for (let each = 0; each < this.parts; each++) appendFileSync(this.large, randomBytes(this.changedBytes));
    this.change();
  }

  change(): void {
    this.night += 1;
    const bytes = randomBytes(Math.round(this.changedBytes * (1 - SMALL_PART)));
    const file = openSync(this.large, 'r+');
    writeSync(file, bytes, 0, bytes.length, (this.night % (this.parts - 1)) * this.changedBytes);
    closeSync(file);
    for (let index = 0; index < SMALL_FILES; index++) this.writeSmall(index);
  }

  private get large(): string {
    return path.join(this.path, 'large');
  }

  private writeSmall(index: number): void {
    const size = Math.round((this.changedBytes * SMALL_PART) / SMALL_FILES);
    writeFileSync(path.join(this.path, `small-${index}`), randomBytes(size));
  }
}

async function changed(env: SnapshotEnv): Promise<Table> {
  const source = new ChangingFolder(path.join(env.folder, 'changing'), env.size, CHANGED_PART);
  const all = await runners(env, source.path);
  return {
    title: `Snapshot of a folder of ${mebibytes(source.size)}, ${mebibytes(source.changedBytes)} changed`,
    contestants: all.map(({ name, isRestic, folderId }) => ({
      name,
      run: () => {
        source.change();
        return (isRestic ? backUpWithRestic : backUp)(env, folderId, source.path);
      },
    })),
    metrics: ['wall', 'cpu', 'serviceCpu', 'requests', 'size', 'growth', 'delay'],
    targets: [
      ...(env.restic ? [wallTarget(BACKUP, 1)] : []),
      { contestant: BACKUP, metric: 'requests', atMost: 25 },
      { contestant: BACKUP, metric: 'size', atMost: (1.2 * source.changedBytes) / 1e6 },
    ],
  };
}

function many(env: SnapshotEnv): Table {
  const count = scaled(env, MANY_FILES);
  const source = path.join(env.folder, 'many');
  writeManyFiles(source, count);
  const title = `Snapshot of ${count.toLocaleString('en')} files`;
  let folderId = '';
  const targets = ['first', 'unchanged'].map(
    (contestant) => ({ contestant, metric: 'growth', atMost: 128 }) as const,
  );
  return {
    ...{ title, metrics: ['growth', 'peak', 'wall', 'cpu', 'delay'], targets },
    contestants: [
      {
        name: 'first',
        run: async () => backUp(env, (folderId = await newRepository(env, false)), source),
      },
      { name: 'unchanged', run: () => backUp(env, folderId, source) },
    ],
  };
}

/** What a month takes on the drive. All archives have the same size. */
function nights(env: SnapshotEnv): Table {
  const { front, nodeRed } = env;
  const source = new ChangingFolder(path.join(env.folder, 'nightly'), env.size, NIGHTLY_PART);
  const snapshotsOf = async (folderId: string): Promise<number> => {
    for (let night = 0; night < NIGHTS; night++) {
      source.change();
      await backUp(env, folderId, source.path);
    }
    return storedIn(front, folderId);
  };
  const archivesOf = async (folderId: string): Promise<number> => {
    await nodeRed.run('backup-google', { payload: folderId, filename: source.path });
    return NIGHTS * storedIn(front, folderId);
  };
  const contestant = (name: string, sizeOf: (folderId: string) => Promise<number>): Contestant => ({
    name,
    run: async () => {
      const folderId = await newRepository(env, false);
      const size = (await sizeOf(folderId)) / 1e6;
      await emptyFiles(contentsOn(front, folderId).map(({ file }) => file));
      return { size };
    },
  });
  return {
    title: `${NIGHTS} nights of a folder of ${mebibytes(source.size)}, ${mebibytes(source.changedBytes)} changed in each`,
    contestants: [contestant('snapshots', snapshotsOf), contestant('archives', archivesOf)],
    metrics: ['size'],
    targets: [{ contestant: 'snapshots', metric: 'size', atMost: 0.05, times: 'archives' }],
  };
}
