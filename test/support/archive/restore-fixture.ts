import { readdir } from 'node:fs/promises';
import type { SwapOutcome } from '../../../src/disk/swap';
import type { CallOptions, DriveClient, RestoreRequest, RestoreResult } from '../../../src/index';
import { type DriveFixture, driveFixture } from '../client/drive-fixture';
import { useDisk } from '../disk';

/** A local drive with an empty folder for archives, and an empty folder on disk, both new for each test. */
export interface RestoreFixture extends Pick<DriveFixture, 'drive' | 'client' | 'clock'> {
  /** What the client knows of interrupted swaps. */
  readonly records: Map<string, string>;
  /** Swaps that it has finished. */
  readonly finished: ({ target: string } & SwapOutcome)[];
  /** Id of the folder on the drive. */
  readonly folderId: string;
  /** Absolute path of a name in the folder on disk. */
  path(...names: string[]): string;
  /** @returns the file's id */
  addArchive(name: string, content: Buffer): Promise<string>;
  /** Restores the newest archive to `target`. */
  restore(more?: Partial<RestoreRequest>, call?: CallOptions, client?: DriveClient): Promise<RestoreResult>;
  /** Names in the folder on disk, hidden ones too. */
  names(): Promise<string[]>;
}

export function restoreFixture(): RestoreFixture {
  const records = new Map<string, string>();
  const finished: RestoreFixture['finished'] = [];
  const base = driveFixture({}, { swaps: { records, onFinished: (swap) => finished.push(swap) } });
  const path = useDisk();
  let folderId = '';
  beforeEach(async () => {
    records.clear();
    finished.length = 0;
    folderId = await base.drive.files.addFolder('Backups');
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
    records,
    finished,
    get folderId() {
      return folderId;
    },
    path,
    addArchive: (name, content) => base.drive.files.add({ name, parent: folderId, content }),
    restore: (more = {}, call = {}, client = base.client) =>
      client.restore(
        {
          choice: { which: 'newest' },
          folderId,
          folderName: '/Backups',
          pattern: '*',
          fields: 'id,name',
          path: path('target'),
          overwrite: 'error',
          include: [],
          ...more,
        },
        call,
      ),
    names: () => readdir(path()),
  };
}
