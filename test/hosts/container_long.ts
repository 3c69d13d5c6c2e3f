/**
 * Node-RED as in an Alpine container that runs with `--read-only --user 1000 --tmpfs /tmp:size=2m`, imitated with a mount
 * namespace. The C library stays the one of this machine: Alpine's musl isn't tested.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { NodeMessage } from 'node-red';
import should from 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { MINIMAL_FOLDER, type MinimalService, startMinimalService } from '../local-drive/minimal-service';
import { describeTree, varyAttributes } from '../support/archive/tree';
import { closeAll } from '../support/close-all';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../support/node-red/account';
import { type DeployedNode, type NodeRed, startNodeRed } from '../support/node-red/node-red';

const CONTAINER = path.join(__dirname, 'container.sh');
/** Bytes: larger than /tmp. */
const LARGE = 6 * 1024 ** 2;

describe('Node-RED with a read-only root, user 1000 and a small /tmp', () => {
  let drive: LocalDrive;
  let minimal: MinimalService;
  let minimalFolder: string;
  let nodeRed: NodeRed;
  /** Volumes. */
  let data: string;
  let empty: string;
  let source: string;

  before(async function () {
    if (!canImitate()) this.skip('needs root on Linux, and to mount');
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH_TOKEN });
    minimal = await startMinimalService({ client: { ...CLIENT }, refreshToken: REFRESH_TOKEN });
    minimalFolder = minimal.add({ name: 'Backups', mimeType: MINIMAL_FOLDER });
    data = await mkdtemp(path.join(tmpdir(), 'volume-'));
    empty = await mkdtemp(path.join(tmpdir(), 'empty-volume-'));
    source = path.join(data, 'source');
    await mkdir(path.join(source, 'sub'), { recursive: true });
    await writeFile(path.join(source, 'large.bin'), randomBytes(LARGE));
    await writeFile(path.join(source, 'sub', 'small.txt'), 'small');
    await varyAttributes(source);
    nodeRed = await startNodeRed({
      node: CONTAINER,
      env: { VOLUMES: `${data} ${empty}`, NODE: process.execPath },
    });
    await nodeRed.deploy(flow());
  });
  after(async () => {
    await closeAll(...[nodeRed, drive, minimal].filter(Boolean));
    for (const volume of [data, empty].filter(Boolean)) await rm(volume, { recursive: true });
  });

  const flow = (): DeployedNode[] => {
    const node = (id: string, type: string, properties: object): DeployedNode[] => [
      {
        ...{ id, type: `cloud-drive-${type}`, z: 'tab', x: 100, y: 100, account: 'account' },
        ...{ ...properties, wires: [[`${id}-out`], [`${id}-more`]] },
      },
      { id: `${id}-out`, type: 'test-output', z: 'tab', x: 300, y: 100, wires: [] },
    ];
    const minimalAccount = {
      baseUrl: minimal.url,
      tokenUrl: `${minimal.url}/token`,
      requestsPerSecond: 1_000,
    };
    return [
      { id: 'tab', type: 'tab', label: 'test' },
      account('account', customAccount(drive.url)),
      account('minimal', { service: 'custom', scope: 'drive', ...minimalAccount }),
      ...node('upload', 'upload', { source: 'file' }),
      ...node('download', 'download', { output: 'file' }),
      ...node('backup', 'backup', {}),
      ...node('backup-minimal', 'backup', { account: 'minimal', folder: minimalFolder }),
      ...node('restore', 'restore', {}),
      ...node('sync', 'sync', { direction: 'down' }),
      ...node('watch', 'watch', { interval: 1, recursive: true }),
      { id: 'catch', type: 'catch', z: 'tab', x: 100, y: 300, scope: null, wires: [['errors']] },
      { id: 'errors', type: 'test-output', z: 'tab', x: 300, y: 300, wires: [] },
    ];
  };
  const account = (id: string, properties: object): DeployedNode => ({
    ...{ id, type: 'cloud-drive-account', ...properties },
    credentials: { ...CREDENTIALS },
  });

  /** Sends a message through a node. @throws the error that Node-RED's Catch node receives */
  const run = async (node: string, msg: NodeMessage): Promise<NodeMessage> => {
    const topic = `${node} ${JSON.stringify(msg)}`;
    nodeRed.receive(node, { ...msg, topic });
    const isOwn = (each: NodeMessage) => each['topic'] === topic;
    const ended = await Promise.race([nodeRed.output(`${node}-out`, isOwn), nodeRed.output('errors', isOwn)]);
    if (ended['error']) throw new Error((ended['error'] as Error).message);
    return ended;
  };

  it('Node-RED runs as user 1000 and can write nowhere but to its user directory and the volume', async () => {
    const status = await readFile(`/proc/${nodeRed.pid}/status`, 'utf8');
    status.should.match(/^Uid:\s+1000\s+1000/m);
    const mounts = await readFile(`/proc/${nodeRed.pid}/mounts`, 'utf8');
    mounts.should.match(/^\S+ \/ \S+ ro\b/m);
    mounts.should.match(/^tmpfs \/tmp tmpfs \S*size=2048k/m);
  });

  it('a file that is larger than /tmp is uploaded and downloaded', async () => {
    const filename = path.join(source, 'large.bin');
    const { payload } = await run('upload', { filename });
    const copy = path.join(data, 'copy.bin');
    await run('download', { payload, filename: copy });
    should((await readFile(copy)).equals(await readFile(filename))).be.true();
  });

  it('a folder that is larger than /tmp is backed up and restored', async () => {
    await run('backup', { filename: source });
    const restored = path.join(data, 'restored');
    await run('restore', { payload: '', filename: restored });
    should(await describeTree(path.join(restored, 'source'))).eql(await describeTree(source));
  });

  it('a backup is restored to the root of a volume, which can’t be renamed', async () => {
    await run('restore', { payload: '', filename: empty });
    should(await describeTree(path.join(empty, 'source'))).eql(await describeTree(source));
    should(await readdir(empty)).eql(['source']);
  });

  it('a folder is synchronized to the volume', async () => {
    const folder = await drive.files.add({ name: 'photos', mimeType: 'application/vnd.google-apps.folder' });
    await drive.files.add({ name: 'a.txt', content: 'a', parent: folder });
    const { payload } = await run('sync', { filename: path.join(data, 'photos'), payload: folder });
    should(payload).match({ created: 1, failed: 0 });
    should(await readFile(path.join(data, 'photos', 'a.txt'), 'utf8')).equal('a');
  });

  it('a backup to a service without upload sessions needs room in TMPDIR, and says so', async () => {
    await run('backup-minimal', { filename: source }).should.be.rejectedWith(
      /no room for a temporary file in \/tmp.*TMPDIR/,
    );
    should(await foldersInTmp()).have.length(3);
  });

  it('a watch continues after a restart, because its position is in the user directory', async () => {
    const named = (name: string) => (msg: NodeMessage) => (msg.payload as { name: string }).name === name;
    await drive.files.add({ name: 'before.txt', content: 'b' });
    await nodeRed.output('watch-out', named('before.txt'));
    await nodeRed.stop();
    await drive.files.add({ name: 'meanwhile.txt', content: 'm' });
    await nodeRed.start();
    await nodeRed.output('watch-out', named('meanwhile.txt'));
    const all = (await nodeRed.outputs('watch-out')).filter(named('before.txt'));
    should(all).have.length(1);
  });

  it('nothing was left in /tmp or in shared memory, and nothing is warned of', async () => {
    should((await foldersInTmp()).sort()).eql(
      [nodeRed.userDir, data, empty].map((each) => path.basename(each)).sort(),
    );
    const shared = await readdir(`/proc/${nodeRed.pid}/root/dev/shm`).catch(() => []);
    should(shared.filter((name) => name.includes('cloud-drive'))).eql([]);
    should(nodeRed.warnings.filter((line) => line.includes('[cloud drive]'))).eql([]);
  });

  const foldersInTmp = () => readdir(`/proc/${nodeRed.pid}/root/tmp`);
});

/** Needs root, Linux and its mount namespaces; containers and CI often lack the permission for them. */
function canImitate(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || tmpdir() !== '/tmp') return false;
  try {
    execFileSync('unshare', ['--mount', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt && setpriv --version']);
    return true;
  } catch {
    return false;
  }
}
