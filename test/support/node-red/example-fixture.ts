/** One Node-RED per suite; a drive, a folder on disk and the shipped examples per test. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type LocalDrive, type LocalDriveOptions, startLocalDrive } from '../../local-drive/index';
import { ACCESS_TOKEN, CLIENT, REFRESH_TOKEN } from './account';
import { Examples } from './examples';
import { ALL_CORE_NODES, type NodeRed, startNodeRed } from './node-red';

export interface ExampleFixture {
  readonly drive: LocalDrive;
  readonly nodeRed: NodeRed;
  /** Path of the folder on disk. */
  readonly folder: string;
  readonly examples: Examples;
  /** The id of the file at a path on the drive. */
  idAt: (...names: string[]) => string;
  /** Names of the files in a folder of the drive, without trashed ones. */
  namesIn: (folder: string) => string[];
}

export function exampleFixture(options: LocalDriveOptions = {}): ExampleFixture {
  let drive: LocalDrive;
  let nodeRed: NodeRed;
  let folder: string;
  let examples: Examples;
  before(async () => {
    nodeRed = await startNodeRed({ settings: ALL_CORE_NODES });
  });
  after(() => nodeRed.close());
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'examples-'));
    examples = new Examples(nodeRed, folder);
    drive = await startLocalDrive({
      clients: [CLIENT],
      token: ACCESS_TOKEN,
      refreshToken: REFRESH_TOKEN,
      ...options,
    });
  });
  afterEach(async () => {
    await drive.close();
    await rm(folder, { recursive: true, force: true });
  });
  const untrashedIn = (parent: string) => drive.files.in(parent).filter(({ trashed }) => !trashed);
  return {
    get drive() {
      return drive;
    },
    get nodeRed() {
      return nodeRed;
    },
    get folder() {
      return folder;
    },
    get examples() {
      return examples;
    },
    idAt: (...names) =>
      names.reduce((parent, name) => {
        const found = untrashedIn(parent).find((file) => file.name === name);
        if (!found) throw new Error(`no ${name}`);
        return found.id;
      }, 'root'),
    namesIn: (parent) => untrashedIn(parent).map(({ name }) => name),
  };
}
