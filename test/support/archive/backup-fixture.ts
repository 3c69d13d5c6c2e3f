import { mkdir, writeFile } from 'node:fs/promises';
import {
  type BackupRequest,
  type BackupResult,
  Calendar,
  type CallOptions,
  type RetentionRules,
} from '../../../src/index';
import { TestClock } from '../../local-drive';
import { DriveFixture } from '../client/drive-fixture';
import { useDisk } from '../disk';

export const NO_RULES: RetentionRules = {
  ...{ keepNewest: 0, keepDays: 0, daily: 0, weekly: 0, monthly: 0, yearly: 0, minimum: 1 },
};

/** A local drive with an empty folder for archives, and a folder `home` on disk, both new for each test. */
export class BackupFixture extends DriveFixture {
  /** Id of the folder on the drive. */
  folderId = '';
  readonly disk = useDisk();

  constructor() {
    // The time of the client's clock: archives of the future count for no rule.
    super({ clock: new TestClock(Date.parse('2024-05-17T10:00:00Z')) });
    beforeEach(async () => {
      await mkdir(this.source);
      await writeFile(this.disk('home', 'notes.txt'), 'notes');
      this.folderId = await this.drive.files.addFolder('Backups');
    });
  }

  get source(): string {
    return this.disk('home');
  }

  request(more: Partial<BackupRequest> = {}): BackupRequest {
    const { source, folderId } = this;
    return {
      ...{ sources: [source], folderId, targetName: '{name}-{number}', exclude: [], compression: 'gzip' },
      ...{ calendar: new Calendar('UTC'), host: 'pi', temporaryFolder: this.disk() },
      ...{ fields: 'id,name,size', ...more },
    };
  }

  backup(
    more: Partial<BackupRequest> = {},
    call: CallOptions = {},
    client = this.client,
  ): Promise<BackupResult> {
    return client.backup(this.request(more), call);
  }

  /** An archive of another run. @returns its id */
  add(name: string, more: Record<string, unknown> = {}): Promise<string> {
    const file = { name, parent: this.folderId, content: 'old', mimeType: 'application/gzip' };
    return this.drive.files.add({ ...file, ...more });
  }
}
