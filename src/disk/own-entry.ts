/** Whether this process's user has made a file or folder. Where others may write to a folder, a name doesn't say that. */
import type { Stats } from 'node:fs';
import { lstat, mkdtemp, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PROBE_PREFIX } from './reserved-names';

/** The access of the group and of all users. */
const OTHERS = 0o077;

/**
 * A network share may store another owner than the process's user, and a disk without permissions has the same ones for
 * everything. There, the entry has to be like a new folder that was created for this user only.
 * @param stats of a file, or of a folder that was created for this user only
 * @param folder that contains it
 */
export async function isOwn(stats: Stats, folder: string): Promise<boolean> {
  if (!process.geteuid) return true;
  const access = stats.isDirectory() ? stats.mode & OTHERS : 0;
  if (stats.uid === process.geteuid() && access === 0) return true;
  const probe = await mkdtemp(join(folder, PROBE_PREFIX)).catch(() => undefined);
  if (probe === undefined) return false;
  const usual = await lstat(probe);
  await rmdir(probe);
  return stats.uid === usual.uid && (access & ~usual.mode) === 0;
}
