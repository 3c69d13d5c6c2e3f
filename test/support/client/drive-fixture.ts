import type { DriveFile, UploadRequest } from '../../../src/index';
import { type LocalDrive, type LocalDriveOptions, startLocalDrive } from '../../local-drive';
import { type ClientOptions, TOKEN, type TestClient, createTestClient } from './test-client';

/** For all tests of a suite one local drive, for each one a client of it. */
export interface DriveFixture {
  readonly drive: LocalDrive;
  readonly under: TestClient;
}

export function driveFixture(options: LocalDriveOptions = {}, client: ClientOptions = {}): DriveFixture {
  let drive: LocalDrive;
  let under: TestClient;
  before(async () => {
    drive = await startLocalDrive({ token: TOKEN, ...options });
  });
  after(() => drive.close());
  beforeEach(() => {
    drive.requests.clear();
    drive.faults.clear();
    under = createTestClient(drive.url + (options.pathPrefix ?? ''), client);
  });
  afterEach(() => under.close());
  return {
    get drive() {
      return drive;
    },
    get under() {
      return under;
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

/** Everything that a generator of pages yields. */
export async function allFiles(pages: AsyncIterable<{ files: DriveFile[] }>): Promise<DriveFile[]> {
  const found: DriveFile[] = [];
  for await (const { files } of pages) found.push(...files);
  return found;
}

/** Names that break what takes names for harmless. */
export const ODD_NAMES = [
  "it's",
  'back\\slash',
  "both\\' at once",
  'new\nline',
  'emoji 😀 👩‍👩‍👧',
  '‏עברית‎ (1).txt',
  'a+b & c=d #e %41 ?',
  '"double"',
  '  blanks  ',
  '..',
  'a/b',
  "' or name contains '",
];
