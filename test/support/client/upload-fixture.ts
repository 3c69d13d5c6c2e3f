import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallOptions, DriveClient, UploadRequest, UploadResult } from '../../../src/index';
import type { FakeClock } from '../clock';
import { type StoredFile, UploadService } from '../http/upload-service';
import { type ClientOptions, type TestClient, createTestClient } from './test-client';
import { PLAIN_UPLOAD } from './drive-fixture';

/** An upload service, a client of it and an empty folder on disk, new for each test. */
export interface UploadFixture {
  readonly service: UploadService;
  readonly client: DriveClient;
  readonly clock: FakeClock;
  /** Path of the folder on disk. */
  readonly folder: string;
  upload(
    content: UploadRequest['content'],
    more?: Partial<UploadRequest>,
    call?: CallOptions,
  ): Promise<UploadResult>;
  /** Replaces the client. */
  restart(options: ClientOptions): void;
  /** Writes a file into the folder. @returns its path */
  onDisk(content: Buffer | string, name?: string): Promise<string>;
  /** @returns the service's only file. @throws if there is none, or more than one */
  onlyFile(): StoredFile;
}

export function uploadFixture(): UploadFixture {
  let service: UploadService;
  let current: TestClient;
  let folder: string;

  beforeEach(async () => {
    service = await UploadService.start();
    current = createTestClient(service.url);
    folder = await mkdtemp(join(tmpdir(), 'upload-'));
  });
  afterEach(async () => {
    current.close();
    await service.close();
    await rm(folder, { recursive: true });
  });

  return {
    get service() {
      return service;
    },
    get client() {
      return current.client;
    },
    get clock() {
      return current.clock;
    },
    get folder() {
      return folder;
    },
    upload: (content, more = {}, call = {}) =>
      current.client.upload({ ...PLAIN_UPLOAD, content, ...more }, call),
    restart(options) {
      current.close();
      current = createTestClient(service.url, options);
    },
    async onDisk(content, name = 'source.bin') {
      const path = join(folder, name);
      await writeFile(path, content);
      return path;
    },
    onlyFile() {
      const [file, ...more] = service.files;
      if (!file || more.length > 0) throw new Error(`${service.files.length} files instead of one`);
      return file;
    },
  };
}
