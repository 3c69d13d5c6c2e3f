/** A drive, a folder on disk and the shipped examples for each test, in a Node-RED that all suites share. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type LocalDrive, type LocalDriveOptions, startLocalDrive } from '../../local-drive/index';
import { ACCESS_TOKEN, CLIENT, REFRESH_TOKEN } from './account';
import { Examples } from './examples';
import type { NodeRed } from './node-red';
import { nodeRedForExamples } from './shared-node-red';

export class ExampleFixture {
  drive!: LocalDrive;
  nodeRed!: NodeRed;
  /** Path of the folder on disk. */
  folder = '';
  examples!: Examples;

  constructor(options: LocalDriveOptions = {}) {
    before(async () => {
      this.nodeRed = await nodeRedForExamples.get();
    });
    after(() => nodeRedForExamples.flows.close());
    beforeEach(async () => {
      this.folder = await mkdtemp(path.join(tmpdir(), 'examples-'));
      this.examples = new Examples(this.nodeRed, this.folder);
      const account = { clients: [CLIENT], token: ACCESS_TOKEN, refreshToken: REFRESH_TOKEN };
      this.drive = await startLocalDrive({ ...account, ...options });
    });
    afterEach(async () => {
      await this.drive.close();
      await rm(this.folder, { recursive: true, force: true });
    });
  }

  /** The id of the file at a path on the drive. */
  idAt(...names: string[]): string {
    return names.reduce((parent, name) => {
      const found = this.untrashedIn(parent).find((file) => file.name === name);
      if (!found) throw new Error(`no ${name}`);
      return found.id;
    }, 'root');
  }

  /** Names of the files in a folder of the drive, without trashed ones. */
  namesIn(folder: string): string[] {
    return this.untrashedIn(folder).map(({ name }) => name);
  }

  private untrashedIn(parent: string) {
    return this.drive.files.in(parent).filter(({ trashed }) => !trashed);
  }
}

export function exampleFixture(options?: LocalDriveOptions): ExampleFixture {
  return new ExampleFixture(options);
}
