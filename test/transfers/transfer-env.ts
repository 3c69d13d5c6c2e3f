/** The environment of the fault matrix: a drive, a folder on disk, and contents of every size. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT, REFRESH_TOKEN } from '../support/node-red/account';
import { TOKEN, createTestClient } from '../support/client/test-client';
import { bytes, md5, sha256 } from '../support/content';

export class TransferEnv {
  private readonly contents = new Map<number, Buffer>();
  private readonly remoteFiles = new Map<number, Record<string, string>>();

  private constructor(
    readonly drive: LocalDrive,
    readonly disk: string,
    /** Folder on the drive that uploads go to. */
    readonly folderId: string,
  ) {}

  static async open(): Promise<TransferEnv> {
    const drive = await startLocalDrive({
      token: TOKEN,
      clients: [{ ...CLIENT }],
      refreshToken: REFRESH_TOKEN,
    });
    const disk = await mkdtemp(path.join(tmpdir(), 'transfers-'));
    return new TransferEnv(drive, disk, await drive.files.addFolder('transfers'));
  }

  async close(): Promise<void> {
    await this.drive.close();
    await rm(this.disk, { recursive: true });
  }

  content(size: number): Buffer {
    const content = this.contents.get(size) ?? bytes(size, size + 1);
    this.contents.set(size, content);
    return content;
  }

  /** Metadata of the file with this size on the drive. */
  async remoteMetadata(size: number): Promise<Record<string, string>> {
    const existing = this.remoteFiles.get(size);
    if (existing) return existing;
    const content = this.content(size);
    const name = `${size}.bin`;
    const file = {
      id: await this.drive.files.add({ name, content }),
      name,
      mimeType: 'application/octet-stream',
      size: String(size),
      md5Checksum: md5(content),
      sha256Checksum: sha256(content),
    };
    this.remoteFiles.set(size, file);
    return file;
  }

  /** Path of the file with this size on disk. */
  async localFile(size: number): Promise<string> {
    const file = path.join(this.disk, `source-${size}`);
    if (!existsSync(file)) await writeFile(file, this.content(size));
    return file;
  }

  /** Contents of the files in a folder on disk, by name. */
  async filesOnDisk(folder: string): Promise<Map<string, Buffer>> {
    const names = await readdir(folder);
    return new Map(
      await Promise.all(
        names.map(async (name): Promise<[string, Buffer]> => [name, await readFile(path.join(folder, name))]),
      ),
    );
  }

  /** Deletes all uploads. */
  async deleteUploads(): Promise<void> {
    const fixture = createTestClient(this.drive.url);
    for (const { id } of this.drive.files.in(this.folderId)) await fixture.client.delete(id);
    fixture.close();
  }

  /** Contents of the uploaded files by id. */
  async filesOnDrive(): Promise<Map<string, Buffer>> {
    const files = this.drive.files.in(this.folderId);
    return new Map(
      await Promise.all(
        files.map(async ({ id }): Promise<[string, Buffer]> => [id, await this.drive.files.contentOf(id)]),
      ),
    );
  }
}
