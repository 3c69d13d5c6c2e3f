/** A local drive for the tests of a describe block. */
import { type LocalDrive, type LocalDriveOptions, startLocalDrive } from '../../local-drive';
import { CLIENT, REFRESH_TOKEN } from './account';

/**
 * Starts the drive before the tests and closes it after them. Each test starts without recorded requests and faults.
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
    if (!drive) throw new Error('the drive is available inside tests only');
    return drive;
  };
}

/** The recorded requests to the Drive API, without those for tokens, as `METHOD url`. */
export function fileRequests(drive: LocalDrive): string[] {
  return drive.requests.all
    .filter(({ path }) => path.includes('/drive/v3/'))
    .map(({ method, url }) => `${method} ${decodeURIComponent(url.replace(/\+/g, ' '))}`);
}
