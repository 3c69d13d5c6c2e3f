/** A local drive around the tests of a describe block. */
import { type LocalDrive, type LocalDriveOptions, startLocalDrive } from '../../local-drive';
import { CLIENT, REFRESH_TOKEN } from './account';

/**
 * Starts it before the tests and closes it after them; each test finds no recorded request and no fault.
 * @returns the drive, for use inside a test
 */
export function useDrive(options: LocalDriveOptions = {}): () => LocalDrive {
  let drive: LocalDrive | undefined;
  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH_TOKEN, ...options });
  });
  beforeEach(() => {
    drive?.requests.clear();
    drive?.faults.clear();
  });
  after(() => drive?.close());
  return () => {
    if (!drive) throw new Error('the drive is there inside of tests only');
    return drive;
  };
}

/** What a test sees that wants to know of the files interface only: nothing of sign-in and tokens. */
export function fileRequests(drive: LocalDrive): string[] {
  return drive.requests.all
    .filter(({ path }) => path.includes('/drive/v3/'))
    .map(({ method, url }) => `${method} ${decodeURIComponent(url.replace(/\+/g, ' '))}`);
}
