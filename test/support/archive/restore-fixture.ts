import { readdir } from 'node:fs/promises';
import type { ArchiveListRequest } from '../../../src/backup/list-archive';
import type { SwapOutcome } from '../../../src/backup/restore/swap';
import type { CallOptions, RestoreRequest, RestoreResult } from '../../../src/index';
import { DriveFixture } from '../client/drive-fixture';
import { useDisk } from '../disk';
import type { ListedEntry } from '../../../src/backup/entries/entry';

/** A local drive with an empty folder for archives, and an empty folder on disk, both new for each test. */
export class RestoreFixture extends DriveFixture {
  /** Id of the folder on the drive. */
  folderId = '';
  /** Absolute path of a name in the folder on disk. */
  readonly path = useDisk();

  constructor(
    /** What the client knows of interrupted swaps. */
    readonly records = new Map<string, string>(),
    /** Swaps that it has finished. */
    readonly finished: ({ target: string } & SwapOutcome)[] = [],
  ) {
    super({}, { swaps: { records, onFinished: (swap) => finished.push(swap) } });
    beforeEach(async () => {
      records.clear();
      finished.length = 0;
      this.folderId = await this.drive.files.addFolder('Backups');
    });
  }

  /** @returns the file's id */
  addArchive(name: string, content: Buffer): Promise<string> {
    return this.drive.files.add({ name, parent: this.folderId, content });
  }

  /** The newest archive. */
  get query() {
    const { folderId } = this;
    const choice = { which: 'newest' } as const;
    return { choice, folderId, folderName: '/Backups', pattern: '*', fields: 'id,name', include: [] };
  }

  /** Restores the newest archive to `target`. */
  restore(
    more: Partial<RestoreRequest> = {},
    call: CallOptions = {},
    client = this.client,
  ): Promise<RestoreResult> {
    const request = { ...this.query, path: this.path('target'), overwrite: 'error', ...more } as const;
    return client.restore(request, call);
  }

  /** Lists the newest archive. */
  async list(more: Partial<ArchiveListRequest> = {}) {
    let entries: ListedEntry[] = [];
    const archive = await this.client.listArchive({
      ...this.query,
      onEntries: (batch) => Promise.resolve(void entries.push(...batch)),
      mayRepeat: () => ((entries = []), true),
      ...more,
    });
    return { archive, entries, paths: entries.map(({ path }) => path) };
  }

  /** Names in the folder on disk, hidden ones too. */
  names(): Promise<string[]> {
    return readdir(this.path());
  }
}

export function restoreFixture(): RestoreFixture {
  return new RestoreFixture();
}
