/** A temporary folder for each test, or for all tests of a suite. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** @returns a function for use inside a test: the absolute path of a name in the folder, which is empty at first */
export function useDisk(lifetime: 'test' | 'suite' = 'test'): (...names: string[]) => string {
  let folder: string | undefined;
  const [begin, end] = lifetime === 'test' ? [beforeEach, afterEach] : [before, after];
  begin(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cloud-drive-'));
  });
  end(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });
  return (...names) => {
    if (folder === undefined) throw new Error('the folder exists only while a test runs');
    return path.join(folder, ...names);
  };
}
