/** Whether this process's user has made a file or folder. Where others may write to a folder, a name doesn't say that. */
import { lstat, mkdtemp, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PROBE_PREFIX } from './reserved-names';

/** The access of the group and of all users. */
const OTHERS = 0o077;

/**
 * A network share may store another owner than the process's user, and a disk without permissions has the same ones for
 * everything. There, the entry has to be like a new folder that was created for this user only.
 * @param entry its owner; the mode only of a folder that was created for this user only
 * @param folder that contains it
 */
export async function isOwn(entry: { uid: number; mode?: number }, folder: string): Promise<boolean> {
  if (!process.geteuid) return true;
  const access = (entry.mode ?? 0) & OTHERS;
  if (entry.uid === process.geteuid() && access === 0) return true;
  const probe = await mkdtemp(join(folder, PROBE_PREFIX)).catch(() => undefined);
  if (probe === undefined) return false;
  const usual = await lstat(probe);
  await rmdir(probe);
  return entry.uid === usual.uid && (access & ~usual.mode) === 0;
}
