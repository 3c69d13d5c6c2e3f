/** Checks, comparisons, lists and the restore of one file, compared with curl, age, gzip, tar and diff. */
import { execFileSync } from 'node:child_process';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type AgeKeys, type MeasuredNodeRed, measuredNodeRed } from '../contestants/measured-node-red';
import { commands } from '../contestants/programs';
import type { Case, CaseOptions, RunningCase, Sample, Table } from '../harness/case';
import { closing } from '../harness/closing';
import { hasProgram } from '../harness/peers';
import { mebibytes } from '../harness/report';
import { Targets } from '../harness/targets';
import { type BenchDrive, startBenchDrive } from '../service/start';
import { writeManyFiles, writeMixedTree } from '../service/tree';

const CHECK = 'restore node, check';
const ONE_FILE = 'restore node, one file';
/** Entries of the list with the default `--size` of 1 GiB. */
const ENTRIES = 100_000;
const FEWEST_ENTRIES = 1_000;
/** Bytes of each file, so that the archive is large enough for an index: see MAX_SHARE in index-format.ts. */
const NOISE = 1_000;
/** How many times `--size` the archive is from which one file is restored. */
const LARGE = 10;
const ONE = 'large/small';
const ONE_SIZE = 10_000;

interface CheckEnv {
  drive: BenchDrive;
  nodeRed: MeasuredNodeRed;
  keys: AgeKeys | undefined;
  folder: string;
  /** Bytes of the folder that is checked. */
  size: number;
  targets: Targets;
}

const checks: Case = {
  about: 'checks and lists of archives, and the restore of one file',
  start,
};
export default checks;

async function start({ size, folder, note }: CaseOptions): Promise<RunningCase> {
  const missing = ['bash', 'tar', 'gzip', 'curl', 'diff'].filter((name) => !hasProgram(name));
  if (missing.length > 0) throw new Error(`Missing programs: ${missing.join(', ')}`);
  await mkdir(folder, { recursive: true });
  const entries = Math.max(FEWEST_ENTRIES, Math.round((ENTRIES * size) / 2 ** 30));
  writeMixedTree(path.join(folder, 'mixed'), size);
  writeManyFiles(path.join(folder, 'many'), entries);
  writeManyFiles(path.join(folder, 'indexed'), entries, NOISE);
  const keys = hasProgram('age') ? newKeys() : undefined;
  if (keys) await writeFile(keyFile(folder), `${keys.identity}\n`, { mode: 0o600 });
  else note('Encryption is skipped because age is not installed.');
  const files = packArchives(folder, { size, keys });
  const drive = await startBenchDrive();
  for (const [id, file] of files) await drive.add(id, file);
  const nodeRed = await measuredNodeRed(drive.url, {
    keys,
    compareWith: path.join(folder, 'mixed'),
    include: ONE,
  });
  const env = { drive, nodeRed, keys, folder, size, targets: new Targets(folder) };
  return {
    tables: [
      check(env),
      ...(keys ? [encryptedCheck(env)] : []),
      compare(env),
      oneFile(env, 'large-unhashed'),
      ...(keys ? [oneFile(env, encrypted('large-unhashed'))] : []),
      list(env, 'many', `List of ${entries.toLocaleString('en')} entries without an index`),
      list(env, 'indexed', `List of ${entries.toLocaleString('en')} entries`),
    ],
    close: closing(folder, nodeRed, drive),
  };
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

/** @returns files by their IDs */
function packArchives(
  folder: string,
  { size, keys }: { size: number; keys: AgeKeys | undefined },
): Map<string, string> {
  const files = new Map<string, string>();
  const pack = (id: string, [program = '', ...args]: readonly string[], recipients: string[] = []): void => {
    const file = path.join(folder, `${id}.tar.gz${recipients.length > 0 ? '.age' : ''}`);
    const typescript = path.join(__dirname, '../../test/support/run/typescript.cjs');
    const script = path.join(__dirname, '../programs', program);
    execFileSync(process.execPath, ['--require', typescript, script, file, ...args, ...recipients]);
    files.set(id, file);
  };
  const mixed = ['pack.cjs', path.join(folder, 'mixed')];
  const large = ['large-archive.cjs', String(LARGE * size), ONE, String(ONE_SIZE)];
  pack('mixed', mixed);
  for (const id of ['many', 'indexed']) pack(id, ['pack.cjs', path.join(folder, id)]);
  pack('large-unhashed', large);
  if (keys) {
    pack(encrypted('mixed'), mixed, [keys.recipient]);
    pack(encrypted('large-unhashed'), large, [keys.recipient]);
  }
  return files;
}

/** @param id of the archive that isn't encrypted; the suffix `-unhashed` has to remain the last one */
function encrypted(id: string): string {
  return `encrypted-${id}`;
}

const METRICS: Table['metrics'] = ['wall', 'cpu', 'growth', 'peak', 'delay'];
const MEMORY = (contestant: string): Table['targets'] => [
  { contestant, metric: 'growth', atMost: 64 },
  { contestant, metric: 'delay', atMost: 20 },
];

function check({ drive, nodeRed, size }: CheckEnv): Table {
  const pipe = 'curl | gzip -dc | tar t';
  return {
    title: `Check of ${mebibytes(size)}`,
    contestants: [
      { name: CHECK, run: () => nodeRed.run('check', { payload: 'mixed' }) },
      { name: pipe, run: () => commands(`${curlFrom(drive, 'mixed')} | gzip -dc | tar t > /dev/null`) },
    ],
    metrics: METRICS,
    targets: [{ contestant: CHECK, metric: 'wall', atMost: 0.5, times: pipe }, ...MEMORY(CHECK)],
  };
}

function encryptedCheck({ drive, nodeRed, folder, size }: CheckEnv): Table {
  const pipe = 'curl | age -d | gzip -dc | tar t';
  const source = `${curlFrom(drive, 'encrypted-mixed')} | age -d -i '${keyFile(folder)}'`;
  return {
    title: `Check of encrypted ${mebibytes(size)}`,
    contestants: [
      { name: CHECK, run: () => nodeRed.run('check', { payload: 'encrypted-mixed' }) },
      { name: pipe, run: () => commands(`${source} | gzip -dc | tar t > /dev/null`) },
    ],
    metrics: METRICS,
    targets: [{ contestant: CHECK, metric: 'wall', atMost: 0.7, times: pipe }, ...MEMORY(CHECK)],
  };
}

function compare({ drive, nodeRed, folder, size, targets }: CheckEnv): Table {
  const pipe = 'curl | tar -xz, then diff -r';
  const name = `${CHECK} and compare`;
  const script = (target: string): string =>
    `${curlFrom(drive, 'mixed')} | tar -xz -C '${target}'; diff -r '${target}/mixed' '${folder}/mixed'`;
  return {
    title: `Comparison of ${mebibytes(size)} with a folder`,
    contestants: [
      { name, run: () => nodeRed.run('compare', { payload: 'mixed' }) },
      { name: pipe, run: async () => commands(script(await targets.next())) },
    ],
    metrics: METRICS,
    targets: [{ contestant: name, metric: 'wall', atMost: 0.7, times: pipe }, ...MEMORY(name)],
  };
}

/** The requests, and the bytes of their responses, are those of the whole run. */
function oneFile({ drive, nodeRed, folder, size, targets }: CheckEnv, id: string): Table {
  const isEncrypted = id.startsWith('encrypted');
  const decrypt = isEncrypted ? ` | age -d -i '${keyFile(folder)}'` : '';
  const pipe = `curl${isEncrypted ? ' | age -d' : ''} | tar -xz of it`;
  const counted = async (run: () => Promise<Sample>): Promise<Sample> => {
    await drive.traffic();
    const sample = await run();
    const { requests, bytes } = await drive.traffic();
    return { ...sample, requests, size: bytes / 1e6 };
  };
  const script = (target: string): string =>
    `${curlFrom(drive, id)}${decrypt} | tar -xz -C '${target}' '${ONE}'`;
  return {
    title: `One file out of ${isEncrypted ? 'encrypted ' : ''}${mebibytes(LARGE * size)}`,
    contestants: [
      {
        name: ONE_FILE,
        run: async () => {
          const filename = await targets.next();
          const sample = await counted(() => nodeRed.run('restore-one', { payload: id, filename }));
          const restored = await stat(path.join(filename, ONE));
          if (restored.size !== ONE_SIZE) throw new Error(`${restored.size} bytes were restored.`);
          return sample;
        },
      },
      {
        name: pipe,
        run: async () => {
          const target = await targets.next();
          return counted(() => commands(script(target)));
        },
      },
    ],
    metrics: ['wall', 'requests', 'size', 'growth'],
    targets: [
      { contestant: ONE_FILE, metric: 'requests', atMost: 6 },
      { contestant: ONE_FILE, metric: 'size', atMost: 12 * 1.048576 },
      { contestant: ONE_FILE, metric: 'growth', atMost: 64 },
    ],
  };
}

function list({ drive, nodeRed }: CheckEnv, id: string, title: string): Table {
  const [array, each] = ['restore node, list', 'restore node, list, one message per entry'];
  return {
    title,
    contestants: [
      { name: array, run: () => nodeRed.run('list', { payload: id }) },
      { name: each, run: () => nodeRed.run('list-each', { payload: id }) },
      { name: 'curl | tar -tvz', run: () => commands(`${curlFrom(drive, id)} | tar -tvz > /dev/null`) },
    ],
    metrics: METRICS,
    targets: [array, each].flatMap((contestant) => [
      { contestant, metric: 'wall' as const, atMost: 3 },
      ...MEMORY(contestant),
    ]),
  };
}

function curlFrom({ url }: BenchDrive, id: string): string {
  return `curl -sf '${url}/drive/v3/files/${id}?alt=media'`;
}
