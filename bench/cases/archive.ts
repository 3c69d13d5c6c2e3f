/** Backups of folders and restores of their archives, compared with tar, gzip, age and curl. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type AgeKeys, type MeasuredNodeRed, measuredNodeRed } from '../contestants/measured-node-red';
import { commands } from '../contestants/programs';
import type { Case, CaseOptions, Contestant, RunningCase, Sample, Table } from '../harness/case';
import { closing } from '../harness/closing';
import { hasProgram } from '../harness/peers';
import { mebibytes } from '../harness/report';
import { Targets } from '../harness/targets';
import { type BenchDrive, startBenchDrive } from '../service/start';
import { writeMixedTree, writeSmallFiles } from '../service/tree';

const BACKUP = 'backup node';
const RESTORE = 'restore node';
const TAR = 'tar | gzip | curl -T';
const TAR_AGE = 'tar | gzip | age | curl -T';
const UNTAR = 'curl | tar -xz';
const UNTAR_AGE = 'curl | age -d | tar -xz';

/** Small files with the default `--size` of 1 GiB. */
const SMALL_FILES = 20_000;
/** Fewer would fit into a single request. */
const FEWEST_FILES = 1_000;

interface ArchiveEnv {
  drive: BenchDrive;
  nodeRed: MeasuredNodeRed;
  /** Undefined without the age program. */
  keys: AgeKeys | undefined;
  hasCurl: boolean;
  folder: string;
  /** Folders to restore into. */
  targets: Targets;
}

/** A folder to back up, and to restore from the archives of it. */
interface Tree {
  /** `mixed` or `small`. */
  id: string;
  title: string;
  path: string;
}

const archive: Case = {
  about: 'compressed and encrypted backups of folders, and restores of them',
  start,
};
export default archive;

async function start({ size, folder, note }: CaseOptions): Promise<RunningCase> {
  await mkdir(folder, { recursive: true });
  const trees = writeTrees(folder, size);
  const hasCurl = ['bash', 'tar', 'gzip', 'curl'].every((name) => hasProgram(name));
  const keys = hasProgram('age') ? newKeys() : undefined;
  if (!hasCurl) note('tar and curl are skipped, and restores: bash, tar, gzip or curl is missing.');
  if (!keys) note('Encryption is skipped because age is not installed.');
  else await writeFile(keyFile(folder), `${keys.identity}\n`, { mode: 0o600 });
  const drive = await startBenchDrive();
  if (hasCurl) for (const tree of trees) await addArchives(drive, tree, { folder, keys });
  const nodeRed = await measuredNodeRed(drive.url, { keys });
  const env = { drive, nodeRed, keys, hasCurl, folder, targets: new Targets(folder) };
  return {
    tables: trees.flatMap((tree) => [
      backup(env, tree),
      ...(keys ? [encryptedBackup(env, tree, keys)] : []),
      ...(hasCurl ? [restore(env, tree)] : []),
      ...(hasCurl && keys ? [encryptedRestore(env, tree)] : []),
    ]),
    close: closing(folder, nodeRed, drive),
  };
}

function writeTrees(folder: string, size: number): Tree[] {
  const [mixed, small] = [path.join(folder, 'mixed'), path.join(folder, 'small')];
  const count = Math.max(FEWEST_FILES, Math.round((SMALL_FILES * size) / 2 ** 30));
  writeMixedTree(mixed, size);
  writeSmallFiles(small, count);
  return [
    { id: 'mixed', title: `mixed sizes, ${mebibytes(size)}`, path: mixed },
    { id: 'small', title: `${count.toLocaleString('en')} small files`, path: small },
  ];
}

function newKeys(): AgeKeys {
  const text = execFileSync('age-keygen', { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [recipient = '', identity = ''] = [/age1[a-z0-9]+/, /AGE-SECRET-KEY-1[A-Z0-9]+/].map(
    (pattern) => pattern.exec(text)?.[0] ?? '',
  );
  return { recipient, identity };
}

function keyFile(folder: string): string {
  return path.join(folder, 'key.txt');
}

/** Adds archives of the tree to the drive. */
async function addArchives(
  drive: BenchDrive,
  tree: Tree,
  { folder, keys }: Pick<ArchiveEnv, 'folder' | 'keys'>,
): Promise<void> {
  const file = path.join(folder, `${tree.id}.tar.gz`);
  await commands(`${tarOf(tree.path)} | gzip > '${file}'`);
  await drive.add(tree.id, file);
  if (!keys) return;
  await commands(`age -r ${keys.recipient} -o '${file}.age' '${file}'`);
  await drive.add(`${tree.id}-encrypted`, `${file}.age`);
}

const METRICS: Table['metrics'] = ['wall', 'cpu', 'growth', 'peak', 'delay'];

function backup({ drive, nodeRed, hasCurl }: ArchiveEnv, { title, path: tree }: Tree): Table {
  const script = `${tarOf(tree)} | gzip | ${curlTo(drive)}`;
  return {
    title: `Backup of ${title}`,
    contestants: [
      { name: BACKUP, run: () => nodeRed.run('backup', { filename: tree }) },
      ...(hasCurl ? [{ name: TAR, run: () => commands(script) }] : []),
    ],
    metrics: METRICS,
    targets: targets(BACKUP, TAR, 0.5),
  };
}

function encryptedBackup(
  { drive, nodeRed, hasCurl }: ArchiveEnv,
  { title, path: tree }: Tree,
  { recipient }: AgeKeys,
): Table {
  const script = `${tarOf(tree)} | gzip | age -r ${recipient} | ${curlTo(drive)}`;
  return {
    title: `Encrypted backup of ${title}`,
    contestants: [
      { name: BACKUP, run: () => nodeRed.run('backup-encrypted', { filename: tree }) },
      ...(hasCurl ? [{ name: TAR_AGE, run: () => commands(script) }] : []),
    ],
    metrics: METRICS,
    targets: targets(BACKUP, TAR_AGE, 0.7),
  };
}

function restore(env: ArchiveEnv, { id, title }: Tree): Table {
  const { drive, nodeRed } = env;
  return {
    title: `Restore of ${title}`,
    contestants: [
      into(env, RESTORE, (target) => nodeRed.run('restore', { payload: id, filename: target })),
      ...untar(env, UNTAR, curlFrom(drive, id)),
    ],
    metrics: METRICS,
    targets: targets(RESTORE, withSync(UNTAR)),
  };
}

function encryptedRestore(env: ArchiveEnv, { id, title }: Tree): Table {
  const { drive, nodeRed, folder } = env;
  const archiveId = `${id}-encrypted`;
  const source = `${curlFrom(drive, archiveId)} | age -d -i '${keyFile(folder)}'`;
  return {
    title: `Restore of encrypted ${title}`,
    contestants: [
      into(env, RESTORE, (target) => nodeRed.run('restore', { payload: archiveId, filename: target })),
      ...untar(env, UNTAR_AGE, source),
    ],
    metrics: METRICS,
    targets: targets(RESTORE, withSync(UNTAR_AGE)),
  };
}

/** tar alone, and flushing what it wrote to disk, as the node does. */
function untar(env: ArchiveEnv, name: string, source: string): Contestant[] {
  const script = (target: string): string => `${source} | tar -xz -C '${target}'`;
  const flush = (target: string): string => `sync -f '${target}'`;
  return [
    into(env, name, (target) => commands(script(target))),
    into(env, withSync(name), (target) => commands(`${script(target)}; ${flush(target)}`)),
  ];
}

function withSync(name: string): string {
  return `${name}, then sync`;
}

/** Restores into an empty folder, after everything else was written to disk. */
function into(
  { folder, targets }: ArchiveEnv,
  name: string,
  run: (target: string) => Promise<Sample>,
): Contestant {
  return {
    name,
    run: async () => {
      const target = await targets.next();
      await commands(`sync -f '${folder}' || true`);
      return run(target);
    },
  };
}

function tarOf(tree: string): string {
  return `tar -C '${path.dirname(tree)}' -c '${path.basename(tree)}'`;
}

function curlTo({ url }: BenchDrive): string {
  return `curl -sf -T - '${url}/raw' >&2`;
}

function curlFrom({ url }: BenchDrive, id: string): string {
  return `curl -sf '${url}/drive/v3/files/${id}?alt=media'`;
}

/** @param atMost times the wall time of another contestant; none where it has to be known first */
function targets(contestant: string, times: string, atMost?: number): Table['targets'] {
  return [
    ...(atMost === undefined ? [] : [{ contestant, metric: 'wall' as const, atMost, times }]),
    { contestant, metric: 'growth', atMost: 64 },
    { contestant, metric: 'delay', atMost: 20 },
  ];
}
