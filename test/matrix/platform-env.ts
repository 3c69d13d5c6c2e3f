/** The packed package in one version of Node-RED and Node.js, with a local drive. */
import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type LocalDrive, USER, startLocalDrive } from '../local-drive';
import { describeTree } from '../support/archive/tree';
import { writeUnusualTree } from '../support/archive/unusual-tree';
import { ACCESS_TOKEN, CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../support/node-red/account';
import { Examples } from '../support/node-red/examples';
import { ALL_CORE_NODES, NodeRed } from '../support/node-red/node-red';
import { type Platform, installPlatform } from '../support/run/platforms';
import { NAME } from './package-sources';
import { installTarball } from './tarball';

/** Warnings of every first start without projects. */
const EXPECTED_WARNINGS = [
  /^Projects disabled/,
  /^Encrypted credentials not found/,
  // The first backup creates its folder.
  /was missing on the drive and was created/,
];

/** A restored folder as in {@link describeTree}, and the properties of the message. */
interface Round {
  backup?: { number: number; entries: number };
  restored?: { number: number; entries: number };
  tree: Record<string, string>;
}

export class PlatformEnv {
  readonly examples: Examples;

  private constructor(
    readonly nodeRed: NodeRed,
    readonly drive: LocalDrive,
    private readonly folder: string,
    private readonly stderr: number,
  ) {
    this.examples = new Examples(nodeRed, folder);
  }

  /** @param tarball path of the packed package */
  static async start(platform: Platform, tarball: string): Promise<PlatformEnv> {
    const installed = await installPlatform(platform);
    const folder = await mkdtemp(path.join(tmpdir(), 'matrix-'));
    const stderr = openSync(path.join(folder, 'stderr'), 'w');
    const nodeRed = new NodeRed(await installTarball(tarball), {
      ...installed,
      settings: ALL_CORE_NODES,
      // Shows the stack of Node.js warnings, and makes unhandled rejections end the process.
      env: { NODE_OPTIONS: '--trace-warnings --unhandled-rejections=strict' },
      stderr,
    });
    const drive = await startLocalDrive({
      clients: [CLIENT],
      token: ACCESS_TOKEN,
      refreshToken: REFRESH_TOKEN,
    });
    const env = new PlatformEnv(nodeRed, drive, folder, stderr);
    await nodeRed.start().catch(async (error: unknown) => {
      await env.close();
      throw error;
    });
    return env;
  }

  /** A path in the folder of this platform. */
  path(name: string): string {
    return path.join(this.folder, name);
  }

  async close(): Promise<void> {
    try {
      await this.nodeRed.close();
    } catch (error) {
      throw new Error(await this.stderrText(), { cause: error });
    } finally {
      await this.drive.close();
      closeSync(this.stderr);
      await rm(this.folder, { recursive: true });
    }
  }

  /** The number of an archive, and how many are kept. @param nth run, counted from 1 */
  async backup(nth: number): Promise<{ number: number; kept: number }> {
    const { backup, pruned } = (await this.examples.debugMessage('nightly-backup', 'backup done', nth)) as {
      backup?: { number: number };
      pruned?: { kept: object[] };
    };
    return { number: backup?.number ?? 0, kept: pruned?.kept.length ?? 0 };
  }

  /** Backs up a folder as a service account, which acts as a user. @returns the name of the archive, and its folder */
  async serviceAccountBackup(): Promise<{ name: string; folderId: string }> {
    const { drive, nodeRed, folder } = this;
    const scope = 'https://www.googleapis.com/auth/drive';
    const key = drive.addServiceAccount([scope]);
    const folderId = await drive.files.addFolder('of the service account');
    const source = path.join(folder, 'key');
    await mkdir(source);
    await writeFile(path.join(source, 'key.json'), JSON.stringify(key), { mode: 0o600 });
    const position = { z: 'tab', x: 0, y: 0 };
    await nodeRed.deploy([
      { id: 'tab', type: 'tab', label: 'test' },
      {
        ...{ id: 'robot', type: 'cloud-drive-account', ...customAccount(drive.url), scope },
        ...{ auth: 'service-account', subject: USER.emailAddress },
        credentials: { serviceAccountKey: path.join(source, 'key.json') },
      },
      {
        ...{ id: 'backup', type: 'cloud-drive-backup', ...position, account: 'robot', wires: [['archive']] },
        ...{ folder: folderId, folderType: 'str' },
      },
      { id: 'catch', type: 'catch', ...position, scope: null, wires: [['archive']] },
      { id: 'archive', type: 'test-output', ...position, wires: [] },
    ]);
    nodeRed.receive('backup', { filename: source });
    const [msg] = await nodeRed.outputs('archive');
    if (msg?.['error'] !== undefined) throw new Error(JSON.stringify(msg['error']));
    return { name: (msg?.payload as { name: string }).name, folderId };
  }

  /** Writes the folder for {@link backUpAndRestore}, and describes it. */
  async writeSource(files: number): Promise<Record<string, string>> {
    await writeUnusualTree(this.source, files);
    return describeTree(this.source);
  }

  /** Backs up the folder and restores the archive elsewhere. */
  async backUpAndRestore(): Promise<Round> {
    const target = path.join(this.folder, 'restored-tree');
    const node = { z: 'round', x: 0, y: 0, account: 'round-account', folder: '/Round' };
    const toTarget = { localPath: target, localPathType: 'str', which: 'newest' };
    await this.nodeRed.deploy([
      { id: 'round', type: 'tab', label: 'round' },
      {
        ...{ id: 'round-account', type: 'cloud-drive-account', credentials: CREDENTIALS },
        ...customAccount(this.drive.url),
      },
      { ...node, id: 'round-backup', type: 'cloud-drive-backup', wires: [['round-restore']] },
      { ...node, id: 'round-restore', type: 'cloud-drive-restore', ...toTarget, wires: [['round-out']] },
      { id: 'round-catch', type: 'catch', z: 'round', x: 0, y: 0, scope: null, wires: [['round-out']] },
      { id: 'round-out', type: 'test-output', z: 'round', x: 0, y: 0, wires: [] },
    ]);
    this.nodeRed.receive('round-backup', { filename: this.source });
    const [message] = (await this.nodeRed.outputs('round-out')) as (Partial<Round> & { error?: unknown })[];
    if (message?.error) throw new Error(JSON.stringify(message.error));
    return { ...message, tree: await describeTree(path.join(target, path.basename(this.source))) };
  }

  private get source(): string {
    return path.join(this.folder, 'unusual');
  }

  /** Unexpected warnings and errors of the log and of Node.js. */
  async unexpectedWarnings(): Promise<string[]> {
    const logged = this.nodeRed.warnings.filter(
      (line) => !EXPECTED_WARNINGS.some((pattern) => pattern.test(line)),
    );
    // Warnings include their stack; those without a file of the package come from Node-RED.
    const warnings = (await this.stderrText())
      .split(/^(?=\(node:\d+\))/m)
      .filter((warning) => warning.includes(NAME));
    return [...logged, ...warnings];
  }

  /** Node-RED's stderr, which explains an unexpected exit. */
  private stderrText(): Promise<string> {
    return readFile(path.join(this.folder, 'stderr'), 'utf8');
  }
}
