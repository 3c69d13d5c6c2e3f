/** A folder to back up, a folder on the drive for the repository, and restic for a copy of it. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  Calendar,
  type CallOptions,
  type DriveClient,
  type RetentionRules,
  type SnapshotBackupRequest,
  type SnapshotBackupResult,
  type SnapshotQuery,
} from '../../../src/index';
import type { LocalDriveOptions } from '../../local-drive';
import { type DriveFixture, driveFixture } from '../client/drive-fixture';
import { TOKEN, type TestClient, createTestClient } from '../client/test-client';
import { describeTree } from '../archive/tree';
import { bytes } from '../content';
import { restic } from './disk-repository';
import { addRepository, exportFolder, importFolder } from './drive-repository';

export const PASSPHRASE = 'correct horse battery';
export const RULES: RetentionRules = {
  ...{ keepNewest: 0, keepDays: 0, daily: 0, weekly: 0, monthly: 0, yearly: 0, minimum: 1 },
};

export class SnapshotFixture {
  folder = '';
  source = '';
  folderId = '';
  /** MiB; less than what users can choose makes several packs of little content. */
  packSize = 4;
  readonly on: DriveFixture;

  constructor(options: LocalDriveOptions = {}) {
    this.on = driveFixture(options);
    beforeEach(async () => {
      this.packSize = 4;
      this.folder = await mkdtemp(path.join(tmpdir(), 'snapshot-'));
      this.source = path.join(this.folder, 'home');
      await mkdir(this.source);
      await writeFile(path.join(this.source, 'notes.txt'), 'notes');
      await this.useEmptyFolder();
      await addRepository(this.on.drive, this.folderId, PASSPHRASE);
    });
    afterEach(() => rm(this.folder, { recursive: true, force: true }));
  }

  /** For the creation of a repository; otherwise there is one without snapshots. */
  async useEmptyFolder(): Promise<void> {
    this.folderId = await this.on.drive.files.addFolder('Repository');
  }

  /** Adds a folder to the source, whose files need this many packs of 0.5 MiB, whatever the polynomial. */
  async writePacks(name: string, count: number, seed = 1): Promise<void> {
    this.packSize = 0.5;
    await mkdir(path.join(this.source, name));
    for (let file = 0; file < count; file++)
      await writeFile(path.join(this.source, name, String(file)), bytes(400_000, 100 * seed + file));
  }

  /** Uses a repository in a new shared drive. @returns its ID, and a client with this role there */
  async useSharedDrive(
    role: 'writer' | 'fileOrganizer' | 'organizer',
  ): Promise<{ team: string; other: TestClient }> {
    const { drive } = this.on;
    const team = await drive.files.addSharedDrive('Team');
    this.folderId = await drive.files.addFolder('Repository', team);
    await addRepository(drive, this.folderId, PASSPHRASE);
    await drive.files.setRole(team, role);
    return { team, other: createTestClient(drive.url, { service: { driveId: team } }) };
  }

  request(more: Partial<SnapshotBackupRequest> = {}): SnapshotBackupRequest {
    return {
      ...{
        sources: [this.source],
        exclude: [],
        tags: [],
        packSize: this.packSize,
        maxUnused: 5,
        mode: 'permanent',
      },
      ...{ calendar: new Calendar('UTC'), folderId: this.folderId, passphrase: PASSPHRASE },
      ...{ cacheFolder: path.join(this.folder, 'cache'), host: 'pi', username: 'root' },
      ...more,
    };
  }

  backUp(
    more: Partial<SnapshotBackupRequest> = {},
    call: CallOptions = {},
    client: DriveClient = this.on.client,
  ): Promise<SnapshotBackupResult> {
    return client.backupSnapshot(this.request(more), call);
  }

  /** For reading the newest snapshot. */
  query(): SnapshotQuery {
    const choice = { which: 'newest', sources: 'any', host: 'pi', allowIncomplete: true } as const;
    return { ...this.request(), folderName: '/Repository', choice, include: [], onProgress: undefined };
  }

  /** Moves a file or folder, as a user does in a browser. */
  async moveTo(folder: string, id: string): Promise<void> {
    const { url, files } = this.on.drive;
    const parents = `addParents=${folder}&removeParents=${files.find(id)?.parent ?? ''}`;
    const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
    const { ok } = await fetch(`${url}/drive/v3/files/${id}?${parents}`, {
      method: 'PATCH',
      headers,
      body: '{}',
    });
    ok.should.be.true();
  }

  /** Names in a folder of the repository. */
  names(type: string): string[] {
    const { files } = this.on.drive;
    const folders = files.in(this.folderId).filter(({ name, trashed }) => name === type && !trashed);
    return folders.flatMap(({ id }) => files.untrashedNames(id));
  }

  /** The ID on the drive of a file in a folder of the repository. */
  idOf(type: string, name: string): string {
    const { files } = this.on.drive;
    const folder = files.in(this.folderId).find((each) => each.name === type);
    return files.in(folder?.id ?? '').find((each) => each.name === name)?.id ?? '';
  }

  packs(): string[] {
    const { files } = this.on.drive;
    const data = files.in(this.folderId).filter(({ name }) => name === 'data');
    return data.flatMap(({ id }) => files.in(id).flatMap((part) => files.untrashedNames(part.id)));
  }

  /** The IDs on the drive of all packs. */
  packIds(): string[] {
    const { files } = this.on.drive;
    const data = files.in(this.folderId).filter(({ name }) => name === 'data');
    return data.flatMap(({ id }) => files.in(id).flatMap((part) => files.in(part.id).map((each) => each.id)));
  }

  /** Runs restic on a copy of the repository. */
  async restic(...args: string[]): Promise<string> {
    return restic(await this.exported(), args);
  }

  /** Copies the repository to the disk. @returns the path of the copy */
  async exported(): Promise<string> {
    const copy = path.join(this.folder, 'copy');
    await exportFolder(this.on.drive, this.folderId, copy);
    return copy;
  }

  /** As {@link restic}, and then makes the repository equal to the copy. */
  async resticWrites(...args: string[]): Promise<string> {
    const output = await this.restic(...args);
    await importFolder(this.on.drive, this.folderId, path.join(this.folder, 'copy'));
    return output;
  }

  /** Also reads all packs. @throws the messages of restic */
  async check(): Promise<void> {
    const output = await this.restic('check', '--read-data');
    if (!output.includes('no errors were found')) throw new Error(output);
  }

  /** What restic restores of a source, by default of the newest snapshot. */
  async restored(snapshot = 'latest', source = this.source): Promise<Record<string, string>> {
    const target = path.join(this.folder, 'restored');
    await rm(target, { recursive: true, force: true });
    await this.restic('restore', snapshot, '--target', target);
    return describeTree(path.join(target, source));
  }
}
