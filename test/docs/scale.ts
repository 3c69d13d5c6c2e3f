/** Counts the requests, quota units and bytes of each node at a drive with a given number of files. */
import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import helper from 'node-red-node-test-helper';
import { CHANGE_EVENTS } from '../../src/index';
import type { LocalDrive } from '../local-drive';
import { ACCESS_TOKEN, CREDENTIALS } from '../support/node-red/account';
import { createTestClient } from '../support/client/test-client';
import { unitsOf } from '../support/quota-units';
import { ROOT } from '../support/node-red/built-package';
import { type FlowNode, load } from '../support/node-red/load';

export interface Cost {
  requests: number;
  units: number;
  bytes: number;
}

/** A folder with that many files, and a tenth as many folders. */
export interface Folder {
  id: string;
  path: string;
  /** Of its files. */
  ids: readonly string[];
  /** An empty folder, for snapshots. */
  repository: string;
}

const HOUR = 3_600_000;
const FIRST = Date.UTC(2020, 0, 1);
const TOGETHER = 500;

const nameOf = (index: number): string => `backup-${String(index).padStart(6, '0')}.tar`;

export async function folderOf(drive: LocalDrive, count: number): Promise<Folder> {
  const name = `folder of ${count}`;
  const id = await drive.files.addFolder(name);
  const ids: string[] = [];
  for (let start = 0; start < count; start += TOGETHER) {
    const some = Array.from({ length: Math.min(TOGETHER, count - start) }, (_, index) => start + index);
    const add = (index: number) =>
      drive.files.add({
        ...{ name: nameOf(index), parent: id, modifiedTime: FIRST + index * HOUR },
        // An empty file takes no space on disk, and its metadata are as large.
        content: index === 0 ? 'x' : '',
      });
    ids.push(...(await Promise.all(some.map(add))));
  }
  for (let index = 0; index < count / 10; index++) await drive.files.addFolder(`inner ${index}`, id);
  const repository = await drive.files.addFolder(`snapshots of ${name}`);
  return { id, path: `/${name}`, ids, repository };
}

/** The same folder on disk, and one with ten other files. */
async function writeDisk(disk: string, count: number): Promise<void> {
  for (let index = 0; index < count / 10; index++)
    await mkdir(path.join(disk, 'same', `inner ${index}`), { recursive: true });
  for (let index = 0; index < count; index++) {
    const file = path.join(disk, 'same', nameOf(index));
    await writeFile(file, index === 0 ? 'x' : '');
    await utimes(file, new Date(), (FIRST + index * HOUR) / 1_000);
  }
  await mkdir(path.join(disk, 'ten'));
  for (let index = 0; index < 10; index++) await writeFile(path.join(disk, 'ten', `${index}.txt`), 'x');
}

interface Given {
  node: Omit<FlowNode, 'id'>;
  msg: Record<string, unknown>;
}

/** @param disk path of an empty folder */
type Operation = (folder: Folder, disk: string) => Given;

/** Operations that change the drive come last, so that the others find it unchanged. */
const NODES: Readonly<Record<string, Operation>> = {
  about: () => ({ node: { type: 'cloud-drive-about' }, msg: {} }),
  'list folders': ({ id }) => ({ node: { type: 'cloud-drive-list-folders' }, msg: { payload: id } }),
  'search files in the folder': (folder) => search(folder, {}),
  '… by its path': ({ path }) => ({
    node: { type: 'cloud-drive-search-files' },
    msg: { payload: searchRequest(path) },
  }),
  '… and in all below': (folder) => search(folder, { recursive: true }),
  '… newer than the last ten': (folder) =>
    search(folder, { modifiedAfter: new Date(FIRST + (folder.ids.length - 10) * HOUR).toISOString() }),
  'download, by ID': ({ ids }) => ({ node: { type: 'cloud-drive-download' }, msg: { payload: ids[0] } }),
  '… by path': ({ path }) => ({
    node: { type: 'cloud-drive-download' },
    msg: { payload: `${path}/${nameOf(1)}` },
  }),
  'file info': ({ ids }) => ({ node: { type: 'cloud-drive-file-info' }, msg: { payload: ids[0] } }),
  'drive request': ({ ids }) => ({
    node: { type: 'cloud-drive-request', path: `files/${ids[0]}` },
    msg: {},
  }),
  'sync folder, nothing changed': ({ id }, disk) => sync(id, disk, 'same'),
  'prune, one file to remove': ({ id, ids }) => ({
    node: { type: 'cloud-drive-prune', keepNewest: ids.length - 1, dryRun: false },
    msg: { payload: id },
  }),
  'upload, a new file': (folder) => upload(folder, 'new.txt', 'duplicate'),
  '… replacing a file': (folder) => upload(folder, nameOf(2), 'replace'),
  'share by link': ({ ids }) => ({ node: { type: 'cloud-drive-share' }, msg: { payload: ids[0] } }),
  'create folder': ({ id }) => ({
    node: { type: 'cloud-drive-create-folder', folder: id, folderType: 'drive' },
    msg: { payload: 'made' },
  }),
  'move, renaming': ({ ids }) => ({
    node: { type: 'cloud-drive-move', targetName: 'other.tar', targetNameType: 'str' },
    msg: { payload: ids[3] },
  }),
  'delete, by ID': ({ ids }) => ({ node: { type: 'cloud-drive-delete' }, msg: { payload: ids[4] } }),
  '… five search results': ({ ids }) => ({
    node: { type: 'cloud-drive-delete' },
    msg: { payload: ids.slice(-5).map((id) => ({ id, mimeType: 'application/x-tar' })) },
  }),
  backup: (folder) => backup(folder, {}),
  '… removing one archive': (folder) => backup(folder, { keepNewest: 1 }),
  'restore, the newest archive': ({ id }, disk) => ({
    node: { type: 'cloud-drive-restore', folder: id, folderType: 'drive' },
    msg: { filename: path.join(disk, 'restored') },
  }),
  // Last, because it adds files to the folder.
  'sync folder, ten new files': ({ id }, disk) => sync(id, disk, 'ten'),
};

/** They have a folder of their own, so they don't depend on the files on the drive, but on those on disk. */
const SNAPSHOTS: Readonly<Record<string, Operation>> = {
  'backup, the first snapshot': (folder, disk) => snapshot(folder, disk),
  '… after a change of one file': (folder, disk) => {
    writeFileSync(path.join(disk, 'same', nameOf(1)), 'changed');
    return snapshot(folder, disk);
  },
  'restore, a snapshot': ({ repository }, disk) => ({
    node: { type: 'cloud-drive-restore', from: 'snapshots', folder: repository, folderType: 'drive' },
    msg: { filename: path.join(disk, 'from snapshot') },
  }),
};
export const SNAPSHOT_NAMES = Object.keys(SNAPSHOTS);
/** Files in a folder. Fewer take as many requests, and each run takes a second to derive the key. */
export const SNAPSHOTS_FROM = 1_000;

function searchRequest(folderId: string): { folderId: string; text: string } {
  return { folderId, text: '' };
}

function search({ id }: Folder, settings: object): Given {
  return { node: { type: 'cloud-drive-search-files', ...settings }, msg: { payload: searchRequest(id) } };
}

function backup({ id }: Folder, rules: object): Given {
  const node = { type: 'cloud-drive-backup', folder: id, folderType: 'drive', ...rules };
  return { node, msg: { filename: path.join(ROOT, 'LICENSE') } };
}

function sync(id: string, disk: string, folder: string): Given {
  return { node: { type: 'cloud-drive-sync' }, msg: { payload: id, filename: path.join(disk, folder) } };
}

function snapshot({ repository }: Folder, disk: string): Given {
  const node = { type: 'cloud-drive-backup', format: 'snapshot', folder: repository, folderType: 'drive' };
  return { node, msg: { filename: path.join(disk, 'same') } };
}

function upload({ id }: Folder, targetName: string, ifExists: string): Given {
  const node = { type: 'cloud-drive-upload', targetName, targetNameType: 'str', ifExists };
  return { node, msg: { payload: 'content', folderId: id } };
}

/** Measures each operation with a new account, so that nothing is cached. */
export async function costs(drive: LocalDrive, folder: Folder): Promise<Map<string, Cost>> {
  const watched = await watchCosts(drive, folder);
  const nodes = new Map<string, Cost>();
  const disk = await mkdtemp(path.join(tmpdir(), 'scale-'));
  await writeDisk(disk, folder.ids.length);
  const { TMPDIR } = process.env;
  // The cache of snapshots is there. Other tests share the usual one, and remove it.
  process.env['TMPDIR'] = disk;
  const credentials = { account: CREDENTIALS, n: { passphrase: 'correct horse' } };
  const operations = folder.ids.length < SNAPSHOTS_FROM ? NODES : { ...NODES, ...SNAPSHOTS };
  for (const [name, given] of Object.entries(operations)) {
    const { node, msg } = given(folder, disk);
    const flow = await load([{ id: 'n', ...node } as FlowNode], {
      ...{ url: drive.url, service: 'google', credentials },
    });
    nodes.set(
      name,
      await cost(drive, async () => {
        const { error } = await flow.run('n', msg);
        if (error) throw new Error(`${name}: ${error.message}`);
      }),
    );
    await helper.unload();
  }
  if (TMPDIR === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = TMPDIR;
  await rm(disk, { recursive: true });
  return new Map([...nodes, ...watched]);
}

/** Polls twice with the same watch. */
async function watchCosts(drive: LocalDrive, { id }: Folder): Promise<[name: string, cost: Cost][]> {
  const token = (): Promise<string> => Promise.resolve(ACCESS_TOKEN);
  const test = createTestClient(drive.url, { tokens: { get: token, renew: token } });
  const request = { folderId: id, recursive: false, events: CHANGE_EVENTS, start: 'now' } as const;
  const watch = test.client.watch(request, undefined);
  const poll = async (): Promise<void> => {
    for await (const batch of watch.poll({})) void batch;
  };
  const polls: [string, Cost][] = [
    ['watch, first check', await cost(drive, poll)],
    ['… a check without changes', await cost(drive, poll)],
  ];
  test.close();
  return polls;
}

async function cost(drive: LocalDrive, work: () => Promise<void>): Promise<Cost> {
  drive.requests.clear();
  const { received, sent } = drive.traffic;
  await work();
  // A token's requests are not the drive's.
  const requests = drive.requests.all.filter(({ path }) => path.includes('/drive/v3/'));
  return {
    requests: requests.length,
    units: requests.reduce((sum, request) => sum + unitsOf(request), 0),
    bytes: drive.traffic.received - received + drive.traffic.sent - sent,
  };
}
