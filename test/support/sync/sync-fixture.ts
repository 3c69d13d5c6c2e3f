import type { CallOptions, SyncRequest, SyncResult } from '../../../src/index';
import { type DriveFixture, driveFixture } from '../client/drive-fixture';
import type { ClientOptions } from '../client/test-client';
import { useDisk } from '../disk';
import { type Tree, readDisk, readDrive, writeDisk, writeDrive } from './trees';

/** A local drive with an empty folder, and an empty folder on disk, both new for each test. */
export interface SyncFixture extends Pick<DriveFixture, 'drive' | 'client' | 'clock'> {
  /** Id of the folder on the drive. */
  readonly folderId: string;
  /** Absolute path of the folder on disk, or of a name in it. */
  path(...names: string[]): string;
  writeDisk(tree: Tree): Promise<void>;
  /** @returns the ids by path */
  writeDrive(tree: Tree): Promise<Record<string, string>>;
  readDisk(): Promise<Record<string, string>>;
  readDrive(): Promise<Record<string, string>>;
  request(direction: SyncRequest['direction'], more?: Partial<SyncRequest>): SyncRequest;
  up(more?: Partial<SyncRequest>, call?: CallOptions): Promise<SyncResult>;
  down(more?: Partial<SyncRequest>, call?: CallOptions): Promise<SyncResult>;
  /** The requests since the last call or the start of the test, as `GET /files` …, with the number of each. */
  requests(): Record<string, number>;
}

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

/** @param disk see {@link useDisk} */
export function syncFixture(options: ClientOptions = {}, disk = useDisk()): SyncFixture {
  const base = driveFixture({}, options);
  const path = (...names: string[]): string => disk('folder', ...names);
  let folderId = '';
  beforeEach(async () => {
    folderId = await base.drive.files.addFolder('folder');
    await writeDisk(path(), {});
  });
  const request = (direction: SyncRequest['direction'], more: Partial<SyncRequest> = {}): SyncRequest => ({
    ...SYNC_DEFAULTS,
    ...{ direction, localPath: path(), folderId, ...more },
  });
  return {
    get drive() {
      return base.drive;
    },
    get client() {
      return base.client;
    },
    get clock() {
      return base.clock;
    },
    get folderId() {
      return folderId;
    },
    path,
    writeDisk: (tree) => writeDisk(path(), tree),
    writeDrive: (tree) => writeDrive(base.drive, folderId, tree),
    readDisk: () => readDisk(path()),
    readDrive: () => readDrive(base.drive, folderId),
    request,
    up: (more, call) => base.client.sync(request('up', more), call),
    down: (more, call) => base.client.sync(request('down', more), call),
    requests: () => {
      const counts: Record<string, number> = {};
      for (const { method, path: url, params } of base.drive.requests.all) {
        const kind = url
          .replace(/^.*\/v3\//, '')
          .replace(/^files\/(?!generateIds).+/, params.get('alt') === 'media' ? 'content' : 'files/id');
        const name = `${method} ${url.startsWith('/upload') ? 'upload' : kind}`;
        counts[name] = (counts[name] ?? 0) + 1;
      }
      base.drive.requests.clear();
      return counts;
    },
  };
}
