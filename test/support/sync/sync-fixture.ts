import type { CallOptions, SyncRequest, SyncResult } from '../../../src/index';
import type { LocalDrive } from '../../local-drive';
import { DriveFixture } from '../client/drive-fixture';
import type { ClientOptions } from '../client/test-client';
import { useDisk } from '../disk';
import { type Tree, readDisk, readDrive, writeDisk, writeDrive } from './trees';

export const SYNC_DEFAULTS: Omit<SyncRequest, 'direction' | 'localPath' | 'folderId'> = {
  include: [],
  exclude: [],
  compare: 'time',
  extra: 'keep',
  maxRemovals: 50,
  symlinks: 'skip',
  exportFormat: '',
  dryRun: false,
};

type AddedFile = Parameters<LocalDrive['files']['add']>[0];

/** A local drive with an empty folder, and an empty folder on disk, both new for each test. */
export class SyncFixture extends DriveFixture {
  /** Id of the folder on the drive. */
  folderId = '';

  /** @param disk see {@link useDisk} */
  constructor(
    options: ClientOptions = {},
    private readonly disk = useDisk(),
  ) {
    super({}, options);
    beforeEach(async () => {
      this.folderId = await this.drive.files.addFolder('folder');
      await this.writeDisk({});
    });
  }

  /** Absolute path of the folder on disk, or of a name in it. */
  path = (...names: string[]): string => this.disk('folder', ...names);

  writeDisk(tree: Tree): Promise<void> {
    return writeDisk(this.path(), tree);
  }

  /** @returns the ids by path */
  writeDrive(tree: Tree): Promise<Record<string, string>> {
    return writeDrive(this.drive, this.folderId, tree);
  }

  /** Adds a file to the folder on the drive. @returns its id */
  add(name: string, more: Partial<AddedFile> = {}): Promise<string> {
    return this.drive.files.add({ name, parent: this.folderId, ...more });
  }

  readDisk(): Promise<Record<string, string>> {
    return readDisk(this.path());
  }

  readDrive(): Promise<Record<string, string>> {
    return readDrive(this.drive, this.folderId);
  }

  async namesOnDisk(): Promise<string[]> {
    return Object.keys(await this.readDisk()).sort();
  }

  request(direction: SyncRequest['direction'], more: Partial<SyncRequest> = {}): SyncRequest {
    const { folderId } = this;
    return { ...SYNC_DEFAULTS, ...{ direction, localPath: this.path(), folderId, ...more } };
  }

  up(more?: Partial<SyncRequest>, call?: CallOptions): Promise<SyncResult> {
    return this.client.sync(this.request('up', more), call);
  }

  down(more?: Partial<SyncRequest>, call?: CallOptions): Promise<SyncResult> {
    return this.client.sync(this.request('down', more), call);
  }

  /** The requests since the last call or the start of the test, as `GET /files` …, with the number of each. */
  requests(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { method, path: url, params } of this.drive.requests.all) {
      const kind = url
        .replace(/^.*\/v3\//, '')
        .replace(/^files\/(?!generateIds).+/, params.get('alt') === 'media' ? 'content' : 'files/id');
      const name = `${method} ${url.startsWith('/upload') ? 'upload' : kind}`;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    this.drive.requests.clear();
    return counts;
  }
}

export function syncFixture(options?: ClientOptions, disk?: ReturnType<typeof useDisk>): SyncFixture {
  return new SyncFixture(options, disk);
}
