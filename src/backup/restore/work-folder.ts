/**
 * The hidden folder in which a restore prepares everything, on the target's file system: `.<target>.restore-<owner>`
 * beside the target, or in it where that isn't possible. A run that was killed leaves it; the next restore to the same
 * target claims it by renaming it, which succeeds for only one process.
 *
 * Others may be allowed to rename folders there, so a name proves nothing: only a folder with the right {@link PROOF},
 * or with a recorded journal, is claimed and removed.
 */
import { createHash } from 'node:crypto';
import { lstat, mkdir, open, readdir, rename, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  isOwn,
  type PartOwner,
  isOwnOrEnded,
  newOwnerName,
  parseOwner,
  type WaitOptions,
  claimByRename,
  startHeartbeat,
  withoutHeartbeat,
} from '../../fs/part-owner';
import { PinnedFolder, READ_UNLINKED_FLAGS, replacedFolder } from '../../fs/pinned-folder';
import { DriveError, errorCode } from '../../errors';
import { truncateName } from '../../fs/safe-name';
import { WORK_FOLDER_NAME } from '../../fs/reserved-names';
import { exists, removeTree } from '../../fs/durable';
import { isMounted } from '../../fs/mount-points';
import { hasMoves } from './swap-journal';

/** Bytes of the target's name, so that the folder's name has at most 255. */
const MAX_TARGET_NAME = 180;
/** In the target, where its own name has no meaning. */
const INNER_NAME = 'cloud-drive';
/** In a work folder: a file that only this Node-RED can have made. No other user can read it to copy it. */
const PROOF = 'proof';

export interface ClaimOptions extends WaitOptions {
  /**
   * Called before a folder is touched.
   * @returns whether a record proves that a restore has left it. @throws if it may not be touched
   */
  check: (folder: string) => Promise<boolean>;
  /** The content of the file {@link PROOF} in the work folders of the target. */
  proof: () => Promise<string>;
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
      const foreign = await WorkFolder.claimAll(target, own, options);
      for (const folder of own) await recover(folder);
      const work = await WorkFolder.create(target, options);
      for (const folder of own.splice(0, own.length, work)) {
        await folder.moveParts(work).catch(() => undefined);
        await folder.remove();
      }
      // Restores that start at once find nothing to claim, but now see each other's folders.
      const others = (await findWorkFolders(target)).filter(({ path }) => path !== work.path);
      if (others.some(({ path }) => !foreign.has(path))) throw alreadyRunning(target);
      return work;
    } catch (error) {
      for (const folder of own) await folder.leave();
      throw error;
    }
  }

  /**
   * @param claimed gets the folders of earlier runs that have ended
   * @returns the paths of folders that only have such a name. @throws as {@link open}
   */
  static async claimAll(
    target: string,
    claimed: WorkFolder[],
    options: ClaimOptions,
  ): Promise<ReadonlySet<string>> {
    const foreign = new Set<string>();
    const found = await findWorkFolders(target);
    for (const { path, owner } of found)
      if (!(await isAbandoned(path, owner, options))) throw alreadyRunning(target);
    for (const { path } of found) if (!(await isProven(path, options))) foreign.add(path);
    for (const each of found) {
      const path = foreign.has(each.path) ? undefined : await claim(each);
      if (path === undefined) continue;
      const folder = await WorkFolder.at(path);
      if (await isProven(folder.ownPath, options)) claimed.push(folder);
      else await folder.giveBack(each.path);
    }
    return foreign;
  }

  /**
   * Checks the folders that earlier runs, or other processes, have left while they replaced the target's content.
   * @throws as {@link open}
   */
  static async checkAll(target: string, options: ClaimOptions): Promise<void> {
    for (const { path, owner } of await findWorkFolders(target)) {
      if (openFolders.has(path) || !(await hasMoves(path))) continue;
      if (!(await isAbandoned(path, owner, options))) throw alreadyRunning(target);
      await options.check(path);
    }
  }

  /** @throws `local_file` if someone has put another folder in its place */
  private static async create(target: string, { proof }: ClaimOptions): Promise<WorkFolder> {
    const work = await WorkFolder.at(await createWorkFolder(await placeFor(target), target));
    const isNew = (await isOwn(await stat(work.ownPath), dirname(work.path))) && (await work.isEmpty());
    try {
      if (!isNew) throw replacedFolder(work.path);
      await writeFile(work.child(PROOF), await proof(), { flag: 'wx', mode: 0o600 });
      return work;
    } catch (error) {
      await (isNew ? work.leave() : work.close());
      throw error;
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
      if (name !== PROOF && !parts.includes(name)) await removeTree(this.child(name));
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
      const names = (await readdir(this.ownPath)).filter((name) => name !== PROOF);
      // Last, so that the next run recognizes what is left.
      for (const name of [...names, PROOF]) await removeTree(this.child(name));
      await rmdir(this.path);
      return true;
    } catch {
      return false;
    } finally {
      await this.close();
    }
  }

  /** Removes it if it is empty: otherwise the next run needs it. */
  private async leave(): Promise<void> {
    await ((await this.isEmpty().catch(() => false)) ? this.remove() : this.close());
  }

  private async isEmpty(): Promise<boolean> {
    return (await readdir(this.ownPath)).every((name) => name === PROOF);
  }

  /** Someone has put it in the place of a work folder since that was found. */
  private async giveBack(path: string): Promise<void> {
    await rename(this.path, path).catch(() => undefined);
    await this.close();
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

async function createWorkFolder({ parent, name }: Place, target: string): Promise<string> {
  const folder = newPath(parent, name);
  try {
    await mkdir(folder, 0o700);
    return folder;
  } catch (error) {
    openFolders.delete(folder);
    const isDenied = ['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '');
    if (!isDenied || parent === target || !(await exists(target))) throw error;
    return createWorkFolder(innerPlace(target), target);
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
async function findWorkFolders(target: string): Promise<FoundFolder[]> {
  const found: FoundFolder[] = [];
  for (const place of [siblingPlace(target), innerPlace(target)]) {
    for (const entry of await readdir(place.parent).catch((): string[] => [])) {
      const [, name, ...groups] = WORK_FOLDER_NAME.exec(entry) ?? [];
      const owner = parseOwner(groups);
      if (name !== place.name || !owner) continue;
      const path = join(place.parent, entry);
      const stats = await lstat(path).catch(() => undefined);
      const isFolder = stats?.isDirectory() && (await isOwn({ uid: stats.uid }, place.parent));
      if (isFolder) found.push({ place, path, owner });
    }
  }
  return found;
}

/** An empty folder needs no proof: a run was killed when it had just created it, or removed everything else. */
async function isProven(folder: string, { check, proof }: ClaimOptions): Promise<boolean> {
  if (await check(folder)) return true;
  return (await readdir(folder)).length === 0 || (await hasProof(folder, await proof()));
}

async function hasProof(folder: string, proof: string): Promise<boolean> {
  const file = await open(join(folder, PROOF), READ_UNLINKED_FLAGS).catch(() => undefined);
  try {
    const content = Buffer.alloc(proof.length + 1);
    const { bytesRead = 0 } = (await file?.read(content, 0, content.length, 0)) ?? {};
    return content.toString('latin1', 0, bytesRead) === proof;
  } catch {
    return false;
  } finally {
    await file?.close();
  }
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
