import type { DriveClient, DriveFile, UploadRequest } from '../../../src/index';
import { type LocalDrive, type LocalDriveOptions, startLocalDrive } from '../../local-drive';
import type { HttpClient } from '../../../src/http/client';
import type { FakeClock } from '../clock';
import { type ClientOptions, TOKEN, createTestClient } from './test-client';

/** One local drive for all tests of a suite, and a new client of it for each test. */
export class DriveFixture {
  drive!: LocalDrive;
  client!: DriveClient;
  clock!: FakeClock;
  http!: HttpClient;

  constructor(options: LocalDriveOptions = {}, clientOptions: ClientOptions = {}) {
    before(async () => {
      this.drive = await startLocalDrive({ token: TOKEN, ...options });
    });
    after(() => this.drive.close());
    beforeEach(() => {
      this.drive.requests.clear();
      this.drive.faults.clear();
      const baseUrl = this.drive.url + (options.pathPrefix ?? '');
      const { client, clock, http } = createTestClient(baseUrl, clientOptions);
      Object.assign(this, { client, clock, http });
    });
    afterEach(() => this.http.close());
  }
}

export function driveFixture(options?: LocalDriveOptions, clientOptions?: ClientOptions): DriveFixture {
  return new DriveFixture(options, clientOptions);
}

export const PLAIN_UPLOAD: Omit<UploadRequest, 'content'> = {
  name: 'backup.tar',
  folderId: '',
  mimeType: '',
  ifExists: 'duplicate',
  keepModifiedTime: false,
  metadata: {},
  fields: 'id,name,mimeType,size,md5Checksum,parents',
};

/** All files of all pages. */
export async function collectFiles(pages: AsyncIterable<{ files: DriveFile[] }>): Promise<DriveFile[]> {
  const found: DriveFile[] = [];
  for await (const { files } of pages) found.push(...files);
  return found;
}

/** Names with characters that need escaping or have a special meaning somewhere. */
export const ODD_NAMES = [
  "it's",
  'back\\slash',
  "both\\' at once",
  'new\nline',
  'emoji 😀 👩‍👩‍👧',
  '‏עברית‎ (1).txt',
  'a+b & c=d #e %41 ?',
  '"double"',
  '  spaces  ',
  '..',
  'a/b',
  "' or name contains '",
];
