/** Uploads and downloads with verified checksums, compared with the alternatives. */
import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { type MeasuredNodeRed, measuredNodeRed } from '../contestants/measured-node-red';
import { commands, nodeProgram } from '../contestants/programs';
import type { Case, CaseOptions, Contestant, RunningCase, Table } from '../harness/case';
import { closing } from '../harness/closing';
import { hasProgram, hasVendorsClient } from '../harness/peers';
import { mebibytes } from '../harness/report';
import { writeContent } from '../service/content.cjs';
import { type BenchDrive, startBenchDrive, startTlsBenchDrive } from '../service/start';

const OURS = 'download node';
const OURS_UP = 'upload node';
const CURL_DOWN = 'curl, then md5sum';
const CURL_UP = 'md5sum, then curl -T';
const VENDOR = "Google's client, md5";
const AXIOS = 'axios with defaults';

/** The environment shared by all tables. */
interface TransferEnv {
  drive: BenchDrive;
  tls: BenchDrive;
  nodeRed: MeasuredNodeRed;
  overTls: MeasuredNodeRed;
  /** The uploaded file. */
  source: string;
  /** The downloaded file. */
  target: string;
  size: number;
  has: { curl: boolean; rclone: boolean; vendor: boolean };
}

const transfers: Case = {
  about: 'upload and download of a file with a verified checksum',
  start,
};
export default transfers;

async function start({ size, folder, note }: CaseOptions): Promise<RunningCase> {
  await mkdir(folder, { recursive: true });
  const [source, target] = [path.join(folder, 'source.bin'), path.join(folder, 'target.bin')];
  writeContent(source, size);
  const drive = await startBenchDrive();
  const tls = await startTlsBenchDrive(folder);
  const has = {
    curl: ['bash', 'curl', 'md5sum'].every((name) => hasProgram(name)),
    rclone: ['bash', 'md5sum'].every((name) => hasProgram(name)) && hasProgram('rclone', ['version']),
    vendor: hasVendorsClient(),
  };
  if (!has.curl) note('curl is skipped: bash, curl or md5sum is missing.');
  if (!has.rclone) note('rclone is skipped because it is not installed.');
  await Promise.all([drive, tls].map((each) => prepareContents(each, size)));
  const nodeRed = await measuredNodeRed(drive.url);
  const overTls = await measuredNodeRed(tls.url, { env: tls.env });
  const env: TransferEnv = { drive, tls, nodeRed, overTls, source, target, size, has };
  return {
    tables: [download(env), upload(env), downloadOverTls(env), memory(env)],
    close: closing(folder, nodeRed, overTls, drive, tls),
  };
}

/** Lets the service compute all checksums beforehand. */
async function prepareContents(drive: BenchDrive, size: number): Promise<void> {
  for (const bytes of [size, ...memorySizes(size)]) await drive.prepare(String(bytes));
}

function download({ drive, nodeRed, target, size, has }: TransferEnv): Table {
  const id = String(size);
  const url = `${drive.url}/drive/v3/files/${id}?alt=media`;
  const contestants = [
    { name: OURS, run: () => nodeRed.run('download', { payload: id, filename: target }) },
    {
      name: 'client without Node-RED',
      run: () => nodeProgram('client', ['download', drive.url, id, target]),
    },
    {
      name: `${OURS}, md5 only`,
      run: () => nodeRed.run('download', { payload: `${id}-md5`, filename: target }),
    },
    ...when(has.curl, {
      name: CURL_DOWN,
      run: () => commands(`curl -sf '${url}' -o '${target}'; md5sum '${target}' >&2`),
    }),
    ...when(has.rclone, {
      name: 'rclone copyurl, then md5sum',
      run: () => commands(`rclone --config '' copyurl '${url}' '${target}'; md5sum '${target}' >&2`),
    }),
    ...when(has.vendor, {
      name: VENDOR,
      run: () => nodeProgram('vendor', ['download', drive.url, id, target]),
    }),
    {
      name: `${AXIOS}, md5`,
      run: () => nodeProgram('axios-defaults', [drive.url, id, target, 'md5']),
    },
  ];
  return {
    title: `Download to disk, ${mebibytes(size)}`,
    contestants: contestants.map((each) => into(target, size, each)),
    metrics: ['wall', 'cpu', 'peak', 'delay'],
    targets: [
      { contestant: OURS, metric: 'wall', atMost: 0.85, times: CURL_DOWN },
      { contestant: OURS, metric: 'wall', atMost: 0.6, times: VENDOR },
      { contestant: OURS, metric: 'delay', atMost: 20 },
    ],
  };
}

function upload({ drive, nodeRed, source, size, has }: TransferEnv): Table {
  const name = `${size}.bin`;
  return {
    title: `Upload from disk, ${mebibytes(size)}`,
    contestants: [
      { name: OURS_UP, run: () => nodeRed.run('upload', upMessage(name, source)) },
      {
        name: 'client without Node-RED',
        run: () => nodeProgram('client', ['upload', drive.url, name, source]),
      },
      {
        name: `${OURS_UP}, md5 only`,
        run: () => nodeRed.run('upload-md5', upMessage(`${size}-md5.bin`, source)),
      },
      ...when(has.curl, {
        name: CURL_UP,
        run: () => commands(`md5sum '${source}' >&2; curl -sf -T '${source}' '${drive.url}/raw' >&2`),
      }),
      ...when(has.vendor, {
        name: VENDOR,
        run: () => nodeProgram('vendor', ['upload', drive.url, name, source]),
      }),
    ],
    metrics: ['wall', 'cpu', 'peak', 'delay'],
    targets: [
      { contestant: OURS_UP, metric: 'wall', atMost: 0.6, times: CURL_UP },
      { contestant: OURS_UP, metric: 'wall', atMost: 0.5, times: VENDOR },
      { contestant: OURS_UP, metric: 'delay', atMost: 20 },
    ],
  };
}

function upMessage(targetName: string, filename: string): Record<string, unknown> {
  return { filename, targetName };
}

function downloadOverTls({ tls, overTls, target, size }: TransferEnv): Table {
  const id = String(size);
  const axios = (...checksum: string[]) =>
    nodeProgram('axios-defaults', [tls.url, id, target, ...checksum], tls.env);
  const contestants = [
    { name: OURS, run: () => overTls.run('download', { payload: id, filename: target }) },
    {
      name: 'client without Node-RED',
      run: () => nodeProgram('client', ['download', tls.url, id, target], tls.env),
    },
    { name: `${AXIOS}, sha256`, run: () => axios('sha256') },
    { name: `${AXIOS}, unverified`, run: () => axios() },
  ];
  return {
    title: `Download over TLS, ${mebibytes(size)}`,
    contestants: contestants.map((each) => into(target, size, each)),
    metrics: ['cpu', 'wall', 'peak', 'delay'],
    targets: [
      { contestant: OURS, metric: 'cpu', atMost: 0.55, times: `${AXIOS}, sha256` },
      { contestant: OURS, metric: 'wall', atMost: 0.5, times: `${AXIOS}, sha256` },
    ],
  };
}

/** The sizes of the targets (64 MiB, 1 GiB, 4 GiB) in proportion to `--size`. */
function memorySizes(size: number): number[] {
  return [size / 16, size, size * 4].map(Math.floor);
}

function memory({ nodeRed, target, size }: TransferEnv): Table {
  const down = (bytes: number) => nodeRed.run('download', { payload: String(bytes), filename: target });
  const contestants = memorySizes(size).map((bytes) => ({
    name: `${OURS}, ${mebibytes(bytes)}`,
    run: () => down(bytes),
  }));
  const names = contestants.map(({ name }) => name);
  return {
    title: 'Memory of Node-RED',
    contestants: contestants.map((each) => into(target, size, each)),
    metrics: ['growth', 'peak', 'delay'],
    targets: [
      ...names.map((contestant) => ({ contestant, metric: 'growth' as const, atMost: 64 })),
      { alike: names, metric: 'peak', within: 16 },
    ],
  };
}

/**
 * Creates a new file in each run, after the previous one was written to disk. Writing and deleting the content first
 * makes the memory available: a virtual machine may have to get it from its host, which takes as long as a transfer.
 */
function into(target: string, size: number, contestant: Contestant): Contestant {
  return {
    name: contestant.name,
    run: async () => {
      await rm(target, { force: true });
      await promisify(execFile)('sync').catch(() => undefined);
      writeContent(target, size);
      await rm(target);
      return contestant.run();
    },
  };
}

function when(condition: boolean, contestant: Contestant): Contestant[] {
  return condition ? [contestant] : [];
}
