import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallOptions, DriveClient, UploadRequest, UploadResult } from '../../../src/index';
import type { FakeClock } from '../clock';
import { type StoredFile, UploadService } from '../http/upload-service';
import { type ClientOptions, type TestClient, createTestClient } from './test-client';
import { PLAIN_UPLOAD } from './drive-fixture';

/** An upload service, a client of it and an empty folder on disk, new for each test. */
export class UploadFixture {
  service!: UploadService;
  /** Path of the folder on disk. */
  folder = '';
  private current!: TestClient;

  constructor() {
    beforeEach(async () => {
      this.service = await UploadService.start();
      this.current = createTestClient(this.service.url);
      this.folder = await mkdtemp(join(tmpdir(), 'upload-'));
    });
    afterEach(async () => {
      this.current.close();
      await this.service.close();
      await rm(this.folder, { recursive: true });
    });
  }

  get client(): DriveClient {
    return this.current.client;
  }

  get clock(): FakeClock {
    return this.current.clock;
  }

  upload(
    content: UploadRequest['content'],
    more: Partial<UploadRequest> = {},
    call: CallOptions = {},
  ): Promise<UploadResult> {
    return this.client.upload({ ...PLAIN_UPLOAD, content, ...more }, call);
  }

  /** Replaces the client. */
  restart(options: ClientOptions): void {
    this.current.close();
    this.current = createTestClient(this.service.url, options);
  }

  /** Writes a file into the folder. @returns its path */
  async onDisk(content: Buffer | string, name = 'source.bin'): Promise<string> {
    const path = join(this.folder, name);
    await writeFile(path, content);
    return path;
  }

  /** @returns the service's only file. @throws if there is none, or more than one */
  onlyFile(): StoredFile {
    const [file, ...more] = this.service.files;
    if (!file || more.length > 0) throw new Error(`${this.service.files.length} files instead of one`);
    return file;
  }
}

export function uploadFixture(): UploadFixture {
  return new UploadFixture();
}
