/** A real Node-RED with the built package, with nodes between two probes that measure them. */
import path from 'node:path';
import type { Sample } from '../harness/case';
import { ACCESS_TOKEN } from '../service/google-front';
import { ALL_CORE_NODES, type DeployedNode, startNodeRed } from '../../test/support/node-red/node-red';

/** The nodes of the flow. `upload-md5` has a separate account, for files without sha256. */
export type MeasuredNode =
  | ('download' | 'upload' | 'upload-md5' | 'search')
  | ('backup' | 'backup-encrypted' | 'restore')
  | ('snapshot' | 'restore-snapshot' | 'backup-google')
  | ('check' | 'compare' | 'list' | 'list-each' | 'restore-one')
  | ('sync-up' | 'sync-down' | 'sync-up-paced' | 'sync-down-paced');

export interface MeasuredOptions {
  /** Environment variables. */
  env?: Record<string, string>;
  /** For encrypted backups, and restores of them. */
  keys?: AgeKeys | undefined;
  /** Of snapshots. */
  passphrase?: string;
  /** Folder on disk that `compare` compares. */
  compareWith?: string;
  /** What `restore-one` restores. */
  include?: string;
  /** Of the nodes whose name ends in `-paced`. */
  requestsPerSecond?: number;
}

/** A key pair of the age program. */
export interface AgeKeys {
  /** The public key. */
  recipient: string;
  /** The private key. */
  identity: string;
}

export interface MeasuredNodeRed {
  /** @param msg the message to the node */
  run(node: MeasuredNode, msg: Record<string, unknown>): Promise<Sample>;
  close(): Promise<void>;
}

/** @param drive URL of the service; the sync folder nodes use Google Drive, see service/google-front.ts */
export async function measuredNodeRed(
  drive: string,
  { env = {}, keys, passphrase = '', requestsPerSecond = NO_LIMIT, ...selection }: MeasuredOptions = {},
): Promise<MeasuredNodeRed> {
  const nodesDir = [
    path.join(__dirname, '../nodes'),
    path.join(__dirname, '../../test/support/node-red/nodes'),
  ];
  const nodeRed = await startNodeRed({ settings: { ...ALL_CORE_NODES, nodesDir }, env, flow: [] });
  await nodeRed.deploy([
    ...flow(drive),
    ...archiveFlow(keys),
    ...checkFlow({ keys, ...selection }),
    ...snapshotFlow(passphrase),
    ...syncFlow(requestsPerSecond),
  ]);
  let count = 0;
  return {
    run: async (node, msg) => {
      nodeRed.receive(`before-${node}`, msg);
      const message = (await nodeRed.outputs('out', ++count)).at(-1) as { measured?: Probe; error?: unknown };
      if (!message.measured || message.error) throw new Error(`Node-RED: ${JSON.stringify(message.error)}`);
      return sampleOf(message.measured);
    },
    close: () => nodeRed.close(),
  };
}

/** The measurement of `nodes/bench-probe.js`. */
type Probe = Record<'wall' | 'cpu' | 'peak' | 'idle' | 'delay', number>;

function sampleOf({ wall, cpu, peak, idle, delay }: Probe): Sample {
  return { wall, cpu, peak, growth: peak - idle, delay };
}

const NO_LIMIT = 1_000_000_000;
const CREDENTIALS = { clientId: 'bench', clientSecret: 'bench', accessToken: ACCESS_TOKEN };

const download = { type: 'cloud-drive-download', output: 'file', wires: [['after']] };
const upload = {
  ...{ type: 'cloud-drive-upload', source: 'file', wires: [['after']] },
  ...{ targetName: 'targetName', targetNameType: 'msg' },
};

function account(id: string, drive: string): DeployedNode {
  return {
    ...{ id, type: 'cloud-drive-account', service: 'custom', baseUrl: drive, tokenUrl: `${drive}/token` },
    ...{ folderMimeType: 'application/vnd.google-apps.folder', scope: 'drive', retryFor: 0 },
    ...{ requestsPerSecond: NO_LIMIT, credentials: CREDENTIALS },
  };
}

function googleAccount(id: string, requestsPerSecond: number): DeployedNode {
  return {
    ...{ id, type: 'cloud-drive-account', service: 'google', scope: 'drive', retryFor: 0 },
    ...{ requestsPerSecond, credentials: CREDENTIALS },
  };
}

const position = { z: 'tab', x: 0, y: 0 };

function probe(id: string, to: string): DeployedNode {
  return { ...position, id, type: 'bench-probe', wires: [[to]] };
}

function flow(drive: string): DeployedNode[] {
  return [
    { id: 'tab', type: 'tab', label: 'bench' },
    account('account', drive),
    account('account-md5', drive),
    probe('before-download', 'download'),
    probe('before-upload', 'upload'),
    probe('before-upload-md5', 'upload-md5'),
    { ...position, ...download, id: 'download', account: 'account' },
    { ...position, ...upload, id: 'upload', account: 'account' },
    { ...position, ...upload, id: 'upload-md5', account: 'account-md5' },
    probe('before-search', 'search'),
    {
      ...position,
      id: 'search',
      type: 'cloud-drive-search-files',
      output: 'each',
      account: 'account',
      wires: [['after']],
    },
    probe('after', 'out'),
    { ...position, id: 'failed', type: 'catch', scope: null, wires: [['after']] },
    { ...position, id: 'out', type: 'test-output', wires: [] },
  ];
}

function archiveFlow(keys: AgeKeys | undefined): DeployedNode[] {
  const node = { ...position, account: 'account', wires: [['after']] };
  const backup = { ...node, type: 'cloud-drive-backup', folder: '', targetName: 'archive' };
  const recipients = keys?.recipient ?? '';
  const restore = { ...node, type: 'cloud-drive-restore', which: 'file', overwrite: 'error', maxRatio: 0 };
  return [
    ...['backup', 'backup-encrypted', 'restore'].map((id) => probe(`before-${id}`, id)),
    { ...backup, id: 'backup' },
    { ...backup, id: 'backup-encrypted', encryption: 'recipients', recipients },
    { ...restore, id: 'restore', credentials: { identity: keys?.identity ?? '' } },
  ];
}

function checkFlow({
  keys,
  compareWith = '',
  include = '',
}: Pick<MeasuredOptions, 'keys' | 'compareWith' | 'include'>): DeployedNode[] {
  const credentials = { identity: keys?.identity ?? '' };
  const node = { ...position, type: 'cloud-drive-restore', account: 'account', which: 'file', credentials };
  const wires = [['after']];
  return [
    ...['check', 'compare', 'list', 'list-each', 'restore-one'].map((id) => probe(`before-${id}`, id)),
    { ...node, id: 'check', action: 'check', wires },
    { ...node, id: 'compare', action: 'check', compareWith, failOnDifferences: true, wires },
    { ...node, id: 'list', action: 'list', wires },
    { ...node, id: 'list-each', action: 'list', output: 'each', wires },
    { ...node, id: 'restore-one', include, overwrite: 'replace', wires },
  ];
}

function snapshotFlow(passphrase: string): DeployedNode[] {
  const node = {
    ...position,
    account: 'unlimited',
    folder: 'payload',
    folderType: 'msg',
    wires: [['after']],
  };
  const [backup, restore] = ['cloud-drive-backup', 'cloud-drive-restore'];
  const credentials = { passphrase };
  return [
    ...['snapshot', 'restore-snapshot', 'backup-google'].map((id) => probe(`before-${id}`, id)),
    { ...node, id: 'snapshot', type: backup, format: 'snapshot', credentials },
    { ...node, id: 'backup-google', type: backup, targetName: 'archive-{number}' },
    { ...node, id: 'restore-snapshot', type: restore, from: 'snapshots', overwrite: 'error', credentials },
  ];
}

function syncFlow(requestsPerSecond: number): DeployedNode[] {
  const node = { ...position, type: 'cloud-drive-sync', wires: [['after']] };
  const pair = (end: string, account: string): DeployedNode[] =>
    ['up', 'down'].flatMap((direction) => [
      probe(`before-sync-${direction}${end}`, `sync-${direction}${end}`),
      { ...node, id: `sync-${direction}${end}`, direction, account },
    ]);
  return [
    googleAccount('unlimited', NO_LIMIT),
    googleAccount('paced', requestsPerSecond),
    ...pair('', 'unlimited'),
    ...pair('-paced', 'paced'),
  ];
}
