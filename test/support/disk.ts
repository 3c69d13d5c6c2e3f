/** A folder of the disk around the tests of a describe block. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** @returns for use inside a test: the absolute path of a name in a new folder, empty at each test's beginning */
export function useDisk(): (...names: string[]) => string {
  let folder: string | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cloud-drive-'));
  });
  afterEach(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });
  return (...names) => {
    if (folder === undefined) throw new Error('the folder is there inside of tests only');
    return path.join(folder, ...names);
  };
}
