import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { FOLDER, type FileRecord, type Role } from './storage/file-record';
import type { DriveBackend } from './api/backend';
import { createFile } from './api/save-file';
import type { IncomingContent } from './storage/content-store';
import type { MetadataInput } from './api/metadata-input';
import { granteeId } from './api/user';
import { receiveContent } from './upload/upload-target';
import type { UploadSessions } from './upload/upload-sessions';

/** `path` is a file on disk, which is streamed. */
type Content = Buffer | string | { path: string };

/** A file that a test adds directly. */
export interface DriveFile extends Omit<MetadataInput, 'parents'> {
  name: string;
  /** Id of the folder; My Drive if absent. */
  parent?: string;
  content?: Content;
  /** Flagged as malware or spam: a download needs `acknowledgeAbuse=true`. */
  abusive?: boolean;
  /** The address of another user, who owns it and shared it; it has no parent. */
  sharedBy?: string;
  /** The user's role in what another user shared. */
  sharedRole?: Role;
}

/** Direct access to the files of a drive, without requests. */
export class DriveFiles {
  constructor(
    private readonly drive: DriveBackend,
    private readonly sessions: UploadSessions,
  ) {}

  get rootId(): string {
    return this.drive.store.rootId;
  }

  /** The IDs of My Drive, the app data folder and all shared drives. */
  get topFolders(): string[] {
    const { rootId, appDataId } = this.drive.store;
    return [rootId, appDataId, ...this.drive.store.sharedDrives().map(({ id }) => id)];
  }

  /** Adds a file, folder or Workspace document, depending on its `mimeType`. @returns its id */
  async add({ parent, content, abusive, sharedBy, sharedRole, ...input }: DriveFile): Promise<string> {
    const metadata = { ...input, parents: parent === undefined ? undefined : [parent] };
    const upload = content === undefined ? undefined : { incoming: await this.receive(content) };
    const record = await createFile(this.drive, metadata, upload);
    if (abusive) await this.drive.store.update(record, { abusive });
    if (sharedBy !== undefined) {
      const sharedWithMe = { owner: sharedBy, role: sharedRole ?? 'reader', time: this.drive.clock.now() };
      await this.drive.store.update(record, { sharedWithMe, parent: undefined });
    }
    return record.id;
  }

  /** @returns the id of the new folder */
  addFolder(name: string, parent?: string): Promise<string> {
    return this.add({ name, parent, mimeType: FOLDER });
  }

  /** @returns the id of the new shared drive, which is also the id of its top folder */
  async addSharedDrive(name: string, role: Role = 'organizer'): Promise<string> {
    return (await this.drive.store.addSharedDrive(name, role)).id;
  }

  /** Changes the user's role in a shared drive. */
  async setRole(driveId: string, sharedDrive: Role): Promise<void> {
    const drive = this.drive.store.get(driveId);
    if (drive) await this.drive.store.update(drive, { sharedDrive });
  }

  /** Shares a file, folder or shared drive with a service account. */
  async share(id: string, account: string, role: Role = 'writer'): Promise<void> {
    const record = this.drive.store.get(id);
    const others = record?.permissions?.filter((each) => each.emailAddress !== account) ?? [];
    const permission = { id: granteeId(account), type: 'user' as const, role, emailAddress: account };
    if (record) await this.drive.store.update(record, { permissions: [...others, permission] });
  }

  /** The stored record of a file; undefined if there is none. */
  find(id: string): Readonly<FileRecord> | undefined {
    return this.drive.store.get(id);
  }

  /** Removes a file, or a folder with everything in it. */
  async remove(id: string): Promise<void> {
    const record = this.drive.store.get(id);
    if (record) await this.drive.store.remove(record);
  }

  /** The direct children of a folder, in the order of creation. */
  in(folder: string): Readonly<FileRecord>[] {
    const id = this.drive.store.get(folder)?.id ?? folder;
    return [...this.drive.store.childrenOf(id)].sort((a, b) => a.order - b.order);
  }

  /** The names of the direct children of a folder, in the order of creation. */
  names(folder: string): string[] {
    return this.in(folder).map(({ name }) => name);
  }

  /** The names of those that aren't in the trash. */
  untrashedNames(folder: string): string[] {
    return this.in(folder).flatMap(({ trashed, name }) => (trashed ? [] : [name]));
  }

  /** The content of a file. */
  async contentOf(id: string): Promise<Buffer> {
    const blob = this.drive.store.get(id)?.content?.blob;
    return blob === undefined ? Buffer.alloc(0) : readFile(this.drive.content.pathOf(blob));
  }

  /** Number of incomplete upload sessions. */
  get openUploadSessions(): number {
    return this.sessions.open;
  }

  private receive(content: Content): Promise<IncomingContent> {
    // Thousands of empty files are added without writing to disk.
    if (content === '') return Promise.resolve(this.drive.content.create());
    return receiveContent(this.drive, chunksOf(content));
  }
}

async function* chunksOf(content: Content): AsyncGenerator<Buffer> {
  if (typeof content === 'string' || Buffer.isBuffer(content)) yield Buffer.from(content);
  else yield* createReadStream(content.path) as AsyncIterable<Buffer>;
}
