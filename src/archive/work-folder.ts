/**
 * The hidden folder in which a restore prepares everything, on the target's file system: `.<target>.restore-<owner>`
 * beside the target, or in it where that isn't possible. A run that was killed leaves it; the next restore to the same
 * target claims it by renaming it, which succeeds for only one process.
 */
import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rmdir, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DriveError, errorCode } from '../errors';
import { type PartOwner, currentOwner, hasEnded } from '../download/part-owner';
import { HEARTBEAT_INTERVAL } from '../download/part-lock';
import { truncateName } from '../download/safe-name';
import { WORK_FOLDER_NAME } from '../download/work-folder-name';
import type { Clock } from '../types';
import { exists, removeTree } from './durable';
import { isMounted } from './mount-points';

/** Bytes of the target's name, so that the folder's name has at most 255. */
const MAX_TARGET_NAME = 180;
/** In the target, where its own name has no meaning. */
const INNER_NAME = 'cloud-drive';
/** ms for which a folder of a process that can't be seen is watched for a heartbeat. */
const HEARTBEAT_TIMEOUT = 3 * HEARTBEAT_INTERVAL;
const POLL_INTERVAL = 1_000;

interface WaitOptions {
  clock: Clock;
  signal: AbortSignal | undefined;
}

/** Folders in use by this process, also while they are created or claimed. */
const openFolders = new Set<string>();
let folderCount = 0;

export class WorkFolder {
  private heartbeat: NodeJS.Timeout | undefined;

  private constructor(readonly path: string) {
    this.heartbeat = setInterval(() => void touch(path), HEARTBEAT_INTERVAL).unref();
  }

  /**
   * Claims the folders of earlier runs that have ended, and calls `recover` for each. One of them is used again, for the
   * part of the archive in it; the others are removed.
   * @param target absolute, without symbolic links; it may be missing, its parent exists
   * @throws `conflict` if another process restores to the target
   */
  static async open(
    target: string,
    recover: (folder: string) => Promise<void>,
    wait: WaitOptions,
  ): Promise<WorkFolder> {
    const own: string[] = [];
    try {
      await claimAll(target, own, wait);
      for (const folder of own) await recover(folder);
      const place = await placeFor(target);
      const [reused, ...others] = own.filter((folder) => dirname(folder) === place.parent);
      const unused = [...others, ...own.filter((folder) => dirname(folder) !== place.parent)];
      for (const folder of unused) await removeTree(folder);
      unused.forEach((folder) => openFolders.delete(folder));
      const folder = reused ?? (await createFolder(place, target));
      if (folder !== reused) own.push(folder);
      // Restores that start at once find nothing to claim, but now see each other's folders.
      if ((await findFolders(target)).some(({ path }) => path !== folder)) throw alreadyRunning(target);
      return new WorkFolder(folder);
    } catch (error) {
      for (const folder of own) {
        // Only if it is empty: otherwise the next run needs it.
        await rmdir(folder).catch(() => undefined);
        openFolders.delete(folder);
      }
      throw error;
    }
  }

  child(name: string): string {
    return join(this.path, name);
  }

  /** Leaves the folder for a later run. */
  close(): void {
    clearInterval(this.heartbeat);
    openFolders.delete(this.path);
  }

  /** A folder that can't be removed now is removed by the next run. */
  async remove(): Promise<void> {
    await removeTree(this.path).catch(() => undefined);
    this.close();
  }
}

interface Place {
  parent: string;
  /** Of the target, in the folder's name. */
  name: string;
}

function siblingPlace(target: string): Place {
  const [parent, name] = [dirname(target), basename(target)];
  if (Buffer.byteLength(name) <= MAX_TARGET_NAME) return { parent, name };
  // Targets with the same beginning must not recover each other's swaps.
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return { parent, name: `${truncateName(name, MAX_TARGET_NAME - hash.length - 1)}-${hash}` };
}

function innerPlace(target: string): Place {
  return { parent: target, name: INNER_NAME };
}

async function placeFor(target: string): Promise<Place> {
  const isInner = dirname(target) === target || ((await exists(target)) && (await isMounted(target)));
  return isInner ? innerPlace(target) : siblingPlace(target);
}

async function createFolder({ parent, name }: Place, target: string): Promise<string> {
  const folder = newPath(parent, name);
  try {
    await mkdir(folder, 0o700);
    return folder;
  } catch (error) {
    openFolders.delete(folder);
    const isDenied = ['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '');
    if (!isDenied || parent === target || !(await exists(target))) throw error;
    return createFolder(innerPlace(target), target);
  }
}

/** @returns a unique path, which counts as in use from now on */
function newPath(parent: string, name: string): string {
  const { pidNamespace, pid, startTime, token } = currentOwner();
  const owner = [pidNamespace, pid, startTime, token, folderCount++ % 1_000_000].join('-');
  const path = join(parent, `.${name}.restore-${owner}`);
  openFolders.add(path);
  return path;
}

interface FoundFolder {
  place: Place;
  path: string;
  owner: PartOwner;
}

/** The work folders of a target. Symbolic links with such names, and folders of other users, may be prepared by anyone. */
async function findFolders(target: string): Promise<FoundFolder[]> {
  const found: FoundFolder[] = [];
  for (const place of [siblingPlace(target), innerPlace(target)]) {
    for (const entry of await readdir(place.parent, { withFileTypes: true }).catch((): Dirent[] => [])) {
      const [, name, pidNamespace = '', pid, startTime = '', token = ''] =
        WORK_FOLDER_NAME.exec(entry.name) ?? [];
      if (name !== place.name || !entry.isDirectory()) continue;
      const path = join(place.parent, entry.name);
      const owner = { pidNamespace, pid: Number(pid), startTime, token };
      if (await isOwn(path)) found.push({ place, path, owner });
    }
  }
  return found;
}

/** Whether this process's user created the folder. A network share may store another owner than the process's user. */
async function isOwn(path: string): Promise<boolean> {
  const uid = await uidOf(path);
  if (uid === undefined || process.geteuid?.() === uid) return uid !== undefined;
  const probe = await mkdtemp(join(dirname(path), '.restore-probe-')).catch(() => undefined);
  if (probe === undefined) return false;
  const usual = await uidOf(probe);
  await rmdir(probe);
  return usual === uid;
}

async function uidOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.uid;
}

/** @param claimed gets the new paths. @throws `conflict` */
async function claimAll(target: string, claimed: string[], wait: WaitOptions): Promise<void> {
  for (const found of await findFolders(target)) {
    if (!(await isAbandoned(found.path, found.owner, wait))) throw alreadyRunning(target);
    const folder = await claim(found);
    if (folder !== undefined) claimed.push(folder);
  }
}

/** @returns the new path; undefined if another process has claimed the folder */
async function claim({ place: { parent, name }, path }: FoundFolder): Promise<string | undefined> {
  const folder = newPath(parent, name);
  try {
    await touch(path);
    await rename(path, folder);
    return folder;
  } catch (error) {
    openFolders.delete(folder);
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function alreadyRunning(target: string): DriveError {
  return new DriveError('conflict', { text: 'conflict_restore_running', params: { path: target } });
}

async function isAbandoned(path: string, owner: PartOwner, wait: WaitOptions): Promise<boolean> {
  if (openFolders.has(path)) return false;
  if (owner.token === currentOwner().token || hasEnded(owner)) return true;
  // The owner is alive, or in another container.
  const before = await changedAt(path);
  if (before === undefined || Date.now() - before > HEARTBEAT_TIMEOUT * 4) return true;
  for (let waited = 0; waited < HEARTBEAT_TIMEOUT; waited += POLL_INTERVAL) {
    await wait.clock.sleep(POLL_INTERVAL, wait.signal);
    if ((await changedAt(path)) !== before) return false;
  }
  return true;
}

async function changedAt(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.mtimeMs;
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined);
}
