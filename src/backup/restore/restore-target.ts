/** The folder to restore to. */
import { mkdir, realpath, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type DriveError, errorCode } from '../../errors';
import { localFileError } from '../../fs/local-file-error';

export class RestoreTarget {
  /** The highest first. */
  private readonly created: string[] = [];

  private constructor(
    /** Absolute; symbolic links on the way are resolved. */
    readonly path: string,
    /** Parents that have to be created, the highest first. */
    private readonly missing: readonly string[],
  ) {}

  /** @throws `local_file` for a file, or a path below one */
  static async resolve(path: string): Promise<RestoreTarget> {
    try {
      return await resolveExisting(resolve(path), []);
    } catch (error) {
      throw localFileError(error, path);
    }

    async function resolveExisting(folder: string, below: readonly string[]): Promise<RestoreTarget> {
      try {
        const real = await realpath(folder);
        if (!(await stat(real)).isDirectory()) throw notFolder(path);
        const parents = below.slice(0, -1).map((_, index) => join(real, ...below.slice(0, index + 1)));
        return new RestoreTarget(join(real, ...below), parents);
      } catch (error) {
        if (errorCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
        return resolveExisting(dirname(folder), [basename(folder), ...below]);
      }
    }
  }

  async createParents(): Promise<void> {
    for (const parent of this.missing) {
      try {
        await mkdir(parent);
        this.created.push(parent);
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error;
      }
    }
  }

  /** Removes what {@link createParents} has created, after a failure. */
  async removeEmptyParents(): Promise<void> {
    for (const parent of this.created.reverse()) await rmdir(parent).catch(() => undefined);
  }
}

function notFolder(path: string): DriveError {
  return localFileError({ code: 'ENOTDIR' }, path, { ENOTDIR: 'local_file_sync_not_folder' });
}
