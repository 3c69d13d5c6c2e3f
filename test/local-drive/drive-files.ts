import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { FOLDER, type FileRecord, type Role } from './storage/file-record';
import type { DriveBackend } from './api/backend';
import { createFile } from './api/save-file';
import type { MetadataInput } from './api/metadata-input';
import { receiveContent } from './upload/upload-target';
import type { UploadSessions } from './upload/upload-sessions';

/** A file that a test puts there directly. */
export interface DriveFile extends Omit<MetadataInput, 'parents'> {
  name: string;
  /** Folder; the root if absent. */
  parent?: string;
  /** A file on disk by its `path`: it is read in pieces. */
  content?: Buffer | string | { path: string };
  /** Flagged as harmful: a download needs `acknowledgeAbuse=true`. */
  abusive?: boolean;
}

/** Direct access to files, without a request. */
export class DriveFiles {
  constructor(
    private readonly drive: DriveBackend,
    private readonly sessions: UploadSessions,
  ) {}

  get rootId(): string {
    return this.drive.store.rootId;
  }

  /** Adds a file (empty without content, native or folder by its mimeType); its id. */
  async add({ parent, content, abusive, ...input }: DriveFile): Promise<string> {
    const whole = { ...input, ...(parent !== undefined && { parents: [parent] }) };
    const upload =
      content === undefined ? undefined : { incoming: await receiveContent(this.drive, chunksOf(content)) };
    const record = await createFile(this.drive, whole, upload);
    if (abusive) await this.drive.store.update(record, { abusive });
    return record.id;
  }

  /** Adds a folder; its id. */
  addFolder(name: string, parent?: string): Promise<string> {
    return this.add({ name, parent, mimeType: FOLDER });
  }

  /** Adds a shared drive; its id, which is also its top folder's. */
  async addSharedDrive(name: string, role: Role = 'organizer'): Promise<string> {
    return (await this.drive.store.addSharedDrive(name, role)).id;
  }

  /** Gives the person another role in a shared drive. */
  async setRole(driveId: string, sharedDrive: Role): Promise<void> {
    const drive = this.drive.store.get(driveId);
    if (drive) await this.drive.store.update(drive, { sharedDrive });
  }

  /** What is stored of a file; undefined if there is none. */
  find(id: string): Readonly<FileRecord> | undefined {
    return this.drive.store.get(id);
  }

  /** What lies directly in a folder, in the order of creation. */
  in(folder: string): Readonly<FileRecord>[] {
    const id = this.drive.store.get(folder)?.id ?? folder;
    return [...this.drive.store.childrenOf(id)].sort((a, b) => a.order - b.order);
  }

  /** A file's bytes. */
  async contentOf(id: string): Promise<Buffer> {
    const blob = this.drive.store.get(id)?.content?.blob;
    return blob === undefined ? Buffer.alloc(0) : readFile(this.drive.content.pathOf(blob));
  }

  /** Resumable uploads that are neither complete nor forgotten. */
  get openUploadSessions(): number {
    return this.sessions.open;
  }
}

async function* chunksOf(content: Buffer | string | { path: string }): AsyncGenerator<Buffer> {
  if (typeof content === 'string' || Buffer.isBuffer(content)) yield Buffer.from(content);
  else yield* createReadStream(content.path) as AsyncIterable<Buffer>;
}
