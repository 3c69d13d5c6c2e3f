/**
 * The hidden folder in which a restore prepares everything, on the target's file system: `.<target>.restore-<owner>`
 * beside the target, or in it where that isn't possible. A run that was killed leaves it; the next restore to the same
 * target claims it by renaming it, which succeeds for only one process.
 */
import { createHash } from 'node:crypto';
import { lstat, mkdir, mkdtemp, readdir, rename, rmdir, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PinnedFolder } from './pinned-folder';
import { DriveError, errorCode } from '../errors';
import { type PartOwner, isOwnOrEnded, newOwnerName, parseOwner } from './part-owner';
import { type WaitOptions, claimByRename, startHeartbeat, withoutHeartbeat } from './heartbeat';
import { truncateName } from './safe-name';
import { PROBE_PREFIX } from './reserved-names';
import { WORK_FOLDER_NAME } from './work-folder-name';
import { exists, removeTree } from './durable';
import { isMounted } from './mount-points';
import { hasMoves } from './swap-journal';

/** Bytes of the target's name, so that the folder's name has at most 255. */
const MAX_TARGET_NAME = 180;
/** In the target, where its own name has no meaning. */
const INNER_NAME = 'cloud-drive';

export interface ClaimOptions extends WaitOptions {
  /** Called before a folder is touched. @throws if it isn't one that an earlier run has left */
  check: (folder: string) => Promise<void>;
}

/** Folders in use by this process, also while they are created or claimed. */
const openFolders = new Set<string>();

export class WorkFolder {
  private readonly heartbeat: NodeJS.Timeout;

  private constructor(
    /** For other processes. */
    readonly path: string,
    private readonly folder: PinnedFolder,
  ) {
    this.heartbeat = startHeartbeat((atime, mtime) => utimes(folder.path, atime, mtime));
  }

  /**
   * Claims the folders of earlier runs that have ended, and calls `recover` for each. The part of the archive in one of
   * them is used again; everything else in them is removed.
   * @param target absolute, without symbolic links; it may be missing, its parent exists
   * @throws `conflict` if another process restores to the target; as {@link ClaimOptions.check}
   */
  static async open(
    target: string,
    recover: (folder: WorkFolder) => Promise<void>,
    options: ClaimOptions,
  ): Promise<WorkFolder> {
    const own: WorkFolder[] = [];
    try {
      await WorkFolder.claimAll(target, own, options);
      for (const folder of own) await recover(folder);
      const created = await createFolder(await placeFor(target), target);
      const work = await WorkFolder.at(created);
      for (const folder of own.splice(0, own.length, work)) {
        await folder.moveParts(work).catch(() => undefined);
        await folder.remove();
      }
      // Restores that start at once find nothing to claim, but now see each other's folders.
      if ((await findFolders(target)).some(({ path }) => path !== created)) throw alreadyRunning(target);
      return work;
    } catch (error) {
      for (const folder of own) {
        await folder.close();
        // Only if it is empty: otherwise the next run needs it.
        await rmdir(folder.path).catch(() => undefined);
      }
      throw error;
    }
  }

  /** @param claimed gets the folders of earlier runs that have ended. @throws as {@link open} */
  static async claimAll(target: string, claimed: WorkFolder[], options: ClaimOptions): Promise<void> {
    const found = await findFolders(target);
    for (const { path, owner } of found)
      if (!(await isAbandoned(path, owner, options))) throw alreadyRunning(target);
    for (const { path } of found) await options.check(path);
    for (const each of found) {
      const path = await claim(each);
      if (path !== undefined) claimed.push(await WorkFolder.at(path));
    }
  }

  /**
   * Checks the folders that earlier runs, or other processes, have left while they replaced the target's content.
   * @throws as {@link open}
   */
  static async checkAll(target: string, options: ClaimOptions): Promise<void> {
    for (const { path, owner } of await findFolders(target)) {
      if (openFolders.has(path) || !(await hasMoves(path))) continue;
      if (!(await isAbandoned(path, owner, options))) throw alreadyRunning(target);
      await options.check(path);
    }
  }

  private static async at(path: string): Promise<WorkFolder> {
    try {
      return new WorkFolder(path, await PinnedFolder.open(path));
    } catch (error) {
      openFolders.delete(path);
      throw error;
    }
  }

  /** The path for this process, which leads to the same folder even if someone replaces it. */
  get ownPath(): string {
    return this.folder.path;
  }

  child(name: string): string {
    return this.folder.pathOf(name);
  }

  /** Removes everything but the parts of archives. */
  async clear(): Promise<void> {
    const parts = await this.parts();
    for (const name of await readdir(this.ownPath))
      if (!parts.includes(name)) await removeTree(this.child(name));
  }

  /** Part files of downloads. A link with such a name would lead a download elsewhere. */
  async parts(): Promise<string[]> {
    const entries = await readdir(this.ownPath, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile() && entry.name.endsWith('.part')).map(({ name }) => name);
  }

  /** Leaves the folder for a later run. */
  async close(): Promise<void> {
    clearInterval(this.heartbeat);
    openFolders.delete(this.path);
    await this.folder.close();
  }

  /** A folder that can't be removed now is removed by the next run. @returns whether it was removed */
  async remove(): Promise<boolean> {
    try {
      for (const name of await readdir(this.ownPath)) await removeTree(this.child(name));
      await rmdir(this.path);
      return true;
    } catch {
      return false;
    } finally {
      await this.close();
    }
  }

  private async moveParts(to: WorkFolder): Promise<void> {
    // On another file system, the part is fetched again.
    for (const name of await this.parts())
      await rename(this.child(name), to.child(name)).catch(() => undefined);
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
  const path = join(parent, `.${name}.restore-${newOwnerName()}`);
  openFolders.add(path);
  return path;
}

interface FoundFolder {
  place: Place;
  path: string;
  owner: PartOwner;
}

/**
 * The work folders of a target. Symbolic links with such names, and folders of other users, may be prepared by anyone.
 */
async function findFolders(target: string): Promise<FoundFolder[]> {
  const found: FoundFolder[] = [];
  for (const place of [siblingPlace(target), innerPlace(target)]) {
    for (const entry of await readdir(place.parent).catch((): string[] => [])) {
      const [, name, ...groups] = WORK_FOLDER_NAME.exec(entry) ?? [];
      const owner = parseOwner(groups);
      if (name !== place.name || !owner) continue;
      const path = join(place.parent, entry);
      if (await isOwn(path)) found.push({ place, path, owner });
    }
  }
  return found;
}

/** Whether this process's user created the folder. A network share may store another owner than the process's user. */
async function isOwn(path: string): Promise<boolean> {
  const uid = await uidOf(path);
  if (uid === undefined || process.geteuid?.() === uid) return uid !== undefined;
  const probe = await mkdtemp(join(dirname(path), PROBE_PREFIX)).catch(() => undefined);
  if (probe === undefined) return false;
  const usual = await uidOf(probe);
  await rmdir(probe);
  return usual === uid;
}

/** @returns undefined for anything but a folder */
async function uidOf(path: string): Promise<number | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isDirectory() ? stats.uid : undefined;
}

/** @returns the new path; undefined if another process has claimed the folder */
async function claim({ place: { parent, name }, path }: FoundFolder): Promise<string | undefined> {
  const folder = newPath(parent, name);
  try {
    await claimByRename(path, folder);
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

async function isAbandoned(path: string, owner: PartOwner, wait: ClaimOptions): Promise<boolean> {
  if (openFolders.has(path)) return false;
  if (isOwnOrEnded(owner)) return true;
  // The owner is alive, or in another container. Its age says nothing: the clock of its machine may be wrong, or this
  // one.
  const found = await lstat(path).catch(() => undefined);
  return !found || (await withoutHeartbeat([found], () => path, wait)).length > 0;
}
