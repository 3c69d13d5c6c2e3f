import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallOptions, Upload, Uploaded } from '../../../src/index';
import { type ClientOptions, type TestClient, clientOf } from './client';
import { type Stored, UploadService } from '../http/upload-service';

/** For each test an upload service, a client of it and an empty folder. */
export interface UploadFixture {
  readonly service: UploadService;
  readonly under: TestClient;
  readonly folder: string;
  upload(content: Upload['content'], more?: Partial<Upload>, call?: CallOptions): Promise<Uploaded>;
  /** Another client of the same service. */
  restart(options: ClientOptions): void;
  /** Writes a file into the folder. @returns its path */
  onDisk(content: Buffer | string, name?: string): Promise<string>;
  /** The only file of the service. */
  only(): Stored;
}

export function uploadFixture(): UploadFixture {
  let service: UploadService;
  let under: TestClient;
  let folder: string;

  beforeEach(async () => {
    service = await UploadService.start();
    under = clientOf(service.wire.url);
    folder = await mkdtemp(join(tmpdir(), 'upload-'));
  });
  afterEach(async () => {
    under.close();
    await service.wire.close();
    await rm(folder, { recursive: true });
  });

  return {
    get service() {
      return service;
    },
    get under() {
      return under;
    },
    get folder() {
      return folder;
    },
    upload: (content, more = {}, call = {}) => under.client.upload({ ...PLAIN, content, ...more }, call),
    restart(options) {
      under.close();
      under = clientOf(service.wire.url, options);
    },
    async onDisk(content, name = 'source.bin') {
      const path = join(folder, name);
      await writeFile(path, content);
      return path;
    },
    only() {
      const [file, ...more] = service.files;
      if (!file || more.length > 0) throw new Error(`${service.files.length} files instead of one`);
      return file;
    },
  };
}

const PLAIN: Omit<Upload, 'content'> = {
  name: 'backup.tar',
  folderId: '',
  mimeType: '',
  ifExists: 'duplicate',
  keepModifiedTime: false,
  metadata: {},
  fields: 'id,name,mimeType,size,md5Checksum,parents',
};
