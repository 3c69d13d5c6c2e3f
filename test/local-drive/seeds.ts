import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { FOLDER, type FileRecord, type Role } from './metadata/file-record';
import type { DriveContext } from './files/drive';
import { createFile } from './files/write';
import type { MetadataInput } from './files/metadata-input';
import { receive } from './upload/commit';
import type { Sessions } from './upload/sessions';

/** A file that a test puts there directly. */
export interface Seed extends Omit<MetadataInput, 'parents'> {
  name: string;
  /** Folder; the root if absent. */
  parent?: string;
  /** A file on disk by its `path`: it is read in pieces. */
  content?: Buffer | string | { path: string };
  /** Flagged as harmful: a download needs `acknowledgeAbuse=true`. */
  abusive?: boolean;
}

/** Direct access to files, without a request. */
export class Seeds {
  constructor(
    private readonly drive: DriveContext,
    private readonly sessions: Sessions,
  ) {}

  get rootId(): string {
    return this.drive.store.rootId;
  }

  /** Adds a file (empty without content, native or folder by its mimeType); its id. */
  async add({ parent, content, abusive, ...input }: Seed): Promise<string> {
    const whole = { ...input, ...(parent !== undefined && { parents: [parent] }) };
    const upload =
      content === undefined ? undefined : { incoming: await receive(this.drive, piecesOf(content)) };
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
  get openSessions(): number {
    return this.sessions.open;
  }
}

async function* piecesOf(content: Buffer | string | { path: string }): AsyncGenerator<Buffer> {
  if (typeof content === 'string' || Buffer.isBuffer(content)) yield Buffer.from(content);
  else yield* createReadStream(content.path) as AsyncIterable<Buffer>;
}
