/** Backups of folders, compared with tar, gzip, age and curl. */
import { execFileSync } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { commands, nodeProgram } from '../contestants/programs';
import type { Case, CaseOptions, RunningCase, Table } from '../harness/case';
import { hasProgram } from '../harness/peers';
import { mebibytes } from '../harness/report';
import { type BenchDrive, startBenchDrive } from '../service/start';
import { writeMixedTree, writeSmallFiles } from '../service/tree';

const OURS = 'client without Node-RED';
const TAR = 'tar | gzip | curl -T';
const TAR_AGE = 'tar | gzip | age | curl -T';

/** Small files with the default `--size` of 1 GiB. */
const SMALL_FILES = 20_000;
/** Fewer would fit into a single request. */
const FEWEST_FILES = 1_000;

interface ArchiveEnv {
  drive: BenchDrive;
  /** Public key; undefined without the age program. */
  recipient: string | undefined;
  hasCurl: boolean;
}

const archive: Case = {
  about: 'compressed and encrypted backups of folders',
  start,
};
export default archive;

async function start({ size, folder, note }: CaseOptions): Promise<RunningCase> {
  const [mixed, small] = [path.join(folder, 'mixed'), path.join(folder, 'small')];
  await mkdir(folder, { recursive: true });
  const count = Math.max(FEWEST_FILES, Math.round((SMALL_FILES * size) / 2 ** 30));
  writeMixedTree(mixed, size);
  writeSmallFiles(small, count);
  const hasCurl = ['bash', 'tar', 'gzip', 'curl'].every((name) => hasProgram(name));
  const recipient = hasProgram('age') ? newRecipient() : undefined;
  if (!hasCurl) note('tar and curl are skipped: bash, tar, gzip or curl is missing.');
  if (recipient === undefined) note('Encryption is skipped because age is not installed.');
  const drive = await startBenchDrive();
  const env = { drive, recipient, hasCurl };
  const trees = [
    [`mixed sizes, ${mebibytes(size)}`, mixed],
    [`${count.toLocaleString('en')} small files`, small],
  ] as const;
  return {
    tables: trees.flatMap(([title, tree]) => [
      plain(env, title, tree),
      ...(recipient === undefined ? [] : [encrypted(env, title, tree)]),
    ]),
    close: async () => {
      await drive.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function newRecipient(): string | undefined {
  const key = execFileSync('age-keygen', { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return /age1[a-z0-9]+/.exec(key)?.[0];
}

function plain({ drive, hasCurl }: ArchiveEnv, title: string, tree: string): Table {
  const pipeline = `${tarOf(tree)} | gzip | ${curlTo(drive)}`;
  return {
    title: `Backup of ${title}`,
    contestants: [
      { name: OURS, run: () => nodeProgram('archive', [drive.url, tree]) },
      ...(hasCurl ? [{ name: TAR, run: () => commands(pipeline) }] : []),
    ],
    metrics: ['wall', 'cpu', 'growth', 'peak', 'delay'],
    targets: targets(TAR, 0.5),
  };
}

function encrypted({ drive, recipient = '', hasCurl }: ArchiveEnv, title: string, tree: string): Table {
  const pipeline = `${tarOf(tree)} | gzip | age -r ${recipient} | ${curlTo(drive)}`;
  return {
    title: `Encrypted backup of ${title}`,
    contestants: [
      { name: OURS, run: () => nodeProgram('archive', [drive.url, tree, recipient]) },
      ...(hasCurl ? [{ name: TAR_AGE, run: () => commands(pipeline) }] : []),
    ],
    metrics: ['wall', 'cpu', 'growth', 'peak', 'delay'],
    targets: targets(TAR_AGE, 0.7),
  };
}

function tarOf(tree: string): string {
  return `tar -C '${path.dirname(tree)}' -c '${path.basename(tree)}'`;
}

function curlTo({ url }: BenchDrive): string {
  return `curl -sf -T - '${url}/raw' >&2`;
}

function targets(times: string, atMost: number): Table['targets'] {
  return [
    { contestant: OURS, metric: 'wall', atMost, times },
    { contestant: OURS, metric: 'growth', atMost: 64 },
    { contestant: OURS, metric: 'delay', atMost: 20 },
  ];
}
