/** A real Node-RED with upload and download nodes, a drive with throttled content, and a large file. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { NodeMessage } from 'node-red';
import { type LocalDrive, type RecordedRequest, startLocalDrive } from '../local-drive';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../support/node-red/account';
import { bytes } from '../support/content';
import { type DeployedNode, type NodeRed, startNodeRed } from '../support/node-red/node-red';

export interface NodeRedEnvOptions {
  /** Size of the file in bytes. */
  size: number;
  /** Rate of each body; unlimited by default. */
  bytesPerSecond?: number;
  /** Additional properties of the account. */
  account?: Record<string, unknown>;
}

export type Direction = 'upload' | 'download';

const MIB = 1024 * 1024;
const CONTENT_REQUESTS = /alt=media|upload_id=|uploadType=multipart/;

export class NodeRedEnv {
  private runs = 0;

  private constructor(
    readonly drive: LocalDrive,
    readonly nodeRed: NodeRed,
    readonly disk: string,
    /** Folder on the drive that uploads go to. */
    readonly folderId: string,
    readonly source: { path: string; size: number; md5: string },
    private readonly account: Record<string, unknown>,
  ) {}

  static async open({ size, bytesPerSecond, account = {} }: NodeRedEnvOptions): Promise<NodeRedEnv> {
    const disk = await mkdtemp(path.join(tmpdir(), 'node-red-env-'));
    const source = { path: path.join(disk, 'source.bin'), size, md5: '' };
    source.md5 = await writeRandomFile(source.path, size);
    const drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH_TOKEN });
    const nodeRed = await startNodeRed();
    const folderId = await drive.files.addFolder('backups');
    const env = new NodeRedEnv(drive, nodeRed, disk, folderId, source, account);
    env.throttle(bytesPerSecond);
    await nodeRed.deploy(env.flow());
    return env;
  }

  async close(): Promise<void> {
    await this.nodeRed.close();
    await this.drive.close();
    await rm(this.disk, { recursive: true, force: true });
  }

  /** Limits the rate of content from the next request on; unlimited without an argument. */
  throttle(bytesPerSecond?: number): void {
    const { faults } = this.drive;
    faults.clear();
    if (bytesPerSecond === undefined) return;
    faults.add({ kind: 'throttle', bytesPerSecond, match: { query: CONTENT_REQUESTS }, times: Infinity });
  }

  /** Requests that send or download content. */
  contentRequests(): RecordedRequest[] {
    const hasContent = ({ method, query, headers }: RecordedRequest): boolean =>
      method === 'PUT' ? /^bytes \d/.test(headers['content-range'] ?? '') : CONTENT_REQUESTS.test(query);
    return this.drive.requests.all.filter(hasContent);
  }

  /** The deployed flow. @param overrides properties of all nodes of the package */
  readonly flow = (overrides: Record<string, unknown> = {}): DeployedNode[] => {
    const position = { z: 'tab', x: 0, y: 0 };
    const node = (type: Direction | 'about', properties: object = {}): DeployedNode => ({
      ...{ id: type, type: `cloud-drive-${type}`, ...position, account: 'account', wires: [['out']] },
      ...properties,
      ...overrides,
    });
    return [
      { id: 'tab', type: 'tab', label: 'test' },
      {
        ...{ id: 'account', type: 'cloud-drive-account', ...customAccount(this.drive.url), ...this.account },
        credentials: { ...CREDENTIALS },
      },
      node('upload', { source: 'file' }),
      node('download', { output: 'file' }),
      node('about'),
      { id: 'catch', type: 'catch', ...position, scope: null, uncaught: false, wires: [['out']] },
      { id: 'out', type: 'test-output', ...position, wires: [] },
    ];
  };

  /**
   * Sends a message into a node.
   * @returns the resulting message, with `error` if it failed
   */
  run(node: Direction | 'about', msg: Record<string, unknown>): Promise<NodeMessage> {
    const _msgid = `run-${++this.runs}`;
    this.nodeRed.receive(node, { ...msg, _msgid });
    return this.nodeRed.output('out', (each) => each._msgid === _msgid);
  }

  /** @param folderId on the drive */
  upload(folderId = this.folderId): Promise<NodeMessage> {
    return this.run('upload', { filename: this.source.path, folderId });
  }

  download(id: string, filename: string): Promise<NodeMessage> {
    return this.run('download', { payload: id, filename });
  }
}

/** Writes a file without repeated blocks. @returns its md5 */
async function writeRandomFile(file: string, size: number): Promise<string> {
  const hash = createHash('md5');
  const block = bytes(MIB, 5);
  const handle = await open(file, 'w');
  for (let at = 0; at < size; at += MIB) {
    for (let mark = 0; mark < MIB; mark += 4_096) block.writeUInt32LE(at + mark, mark);
    const part = block.subarray(0, size - at);
    hash.update(part);
    await handle.write(part);
  }
  await handle.close();
  return hash.digest('hex');
}

export async function md5OfFile(file: string): Promise<string> {
  const hash = createHash('md5');
  for await (const chunk of createReadStream(file, { highWaterMark: MIB })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
