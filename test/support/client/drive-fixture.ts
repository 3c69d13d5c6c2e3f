import type { DriveClient, DriveFile, UploadRequest } from '../../../src/index';
import { type LocalDrive, type LocalDriveOptions, startLocalDrive } from '../../local-drive';
import type { HttpClient } from '../../../src/http/client';
import type { FakeClock } from '../clock';
import { type ClientOptions, TOKEN, type TestClient, createTestClient } from './test-client';

/** One local drive for all tests of a suite, and a new client of it for each test. */
export interface DriveFixture {
  readonly drive: LocalDrive;
  readonly client: DriveClient;
  readonly clock: FakeClock;
  readonly http: HttpClient;
}

export function driveFixture(options: LocalDriveOptions = {}, client: ClientOptions = {}): DriveFixture {
  let drive: LocalDrive;
  let testClient: TestClient;
  before(async () => {
    drive = await startLocalDrive({ token: TOKEN, ...options });
  });
  after(() => drive.close());
  beforeEach(() => {
    drive.requests.clear();
    drive.faults.clear();
    testClient = createTestClient(drive.url + (options.pathPrefix ?? ''), client);
  });
  afterEach(() => testClient.close());
  return {
    get drive() {
      return drive;
    },
    get client() {
      return testClient.client;
    },
    get clock() {
      return testClient.clock;
    },
    get http() {
      return testClient.http;
    },
  };
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
