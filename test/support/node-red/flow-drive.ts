/** A local drive for the tests of a describe block. */
import type { NodeMessage } from 'node-red';
import { type LocalDrive, type LocalDriveOptions, startLocalDrive } from '../../local-drive';
import { CLIENT, REFRESH_TOKEN } from './account';
import { type Ending, type LoadOptions, node, runNode } from './load';

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

type Run = (
  settings?: object,
  msg?: NodeMessage & Record<string, unknown>,
  more?: LoadOptions,
) => Promise<Ending>;

/**
 * @param type of the node, without `cloud-drive-`
 * @param usual members of each message
 * @returns a function that loads such a node with an account at the drive, and sends it a message: see {@link runNode}
 */
export function nodeRunner(
  type: string,
  drive: () => LocalDrive,
  options: LoadOptions = {},
  usual: () => object = () => ({}),
): Run {
  return (settings = {}, msg = {}, more = {}) =>
    runNode(node(type, settings), { ...usual(), ...msg }, { url: drive().url, ...options, ...more });
}
