/**
 * The hidden folder in which a restore prepares everything, on the target's file system: `.<target>.restore-<owner>`
 * beside the target, or in it where that isn't possible. A run that was killed leaves it; the next restore to the same
 * target claims it by renaming it, which succeeds for only one process.
 */
import { mkdir, readdir, rename, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DriveError, errorCode } from '../errors';
import { type PartOwner, currentOwner, hasEnded } from '../download/part-owner';
import { HEARTBEAT_INTERVAL } from '../download/part-lock';
import { truncateName } from '../download/safe-name';
import type { Clock } from '../types';
import { exists, removeTree } from './durable';
import { isMounted } from './mount-points';

/** Bytes of the target's name, so that the folder's name has at most 255. */
const MAX_TARGET_NAME = 180;
/** In the target, where its own name has no meaning. */
const INNER_NAME = 'cloud-drive';
const PATTERN = /^\.(.+)\.restore-([0-9a-f]{8})-(\d{1,10})-([0-9a-z]{1,10})-([0-9a-f]{8})-\d{1,6}$/s;
/** ms for which a folder of a process that can't be seen is watched for a heartbeat. */
const HEARTBEAT_TIMEOUT = 3 * HEARTBEAT_INTERVAL;
const POLL_INTERVAL = 1_000;

interface WaitOptions {
  clock: Clock;
  signal: AbortSignal | undefined;
}

const openFolders = new Set<string>();
let folderCount = 0;

export function isWorkFolderName(name: string): boolean {
  return PATTERN.test(name);
}

export class WorkFolder {
  private heartbeat: NodeJS.Timeout | undefined;

  private constructor(readonly path: string) {
    openFolders.add(path);
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
    const claimed = await claimAll(target, wait);
    for (const folder of claimed) await recover(folder);
    const place = await placeFor(target);
    const [reused, ...others] = claimed.filter((folder) => dirname(folder) === place.parent);
    const unused = [...others, ...claimed.filter((folder) => dirname(folder) !== place.parent)];
    for (const folder of unused) await removeTree(folder);
    return new WorkFolder(reused ?? (await createFolder(place, target)));
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
  return { parent: dirname(target), name: truncateName(basename(target), MAX_TARGET_NAME) };
}

function innerPlace(target: string): Place {
  return { parent: target, name: INNER_NAME };
}

async function placeFor(target: string): Promise<Place> {
  const isInner = dirname(target) === target || ((await exists(target)) && (await isMounted(target)));
  return isInner ? innerPlace(target) : siblingPlace(target);
}

async function createFolder({ parent, name }: Place, target: string): Promise<string> {
  const folder = join(parent, newName(name));
  try {
    await mkdir(folder, 0o700);
    return folder;
  } catch (error) {
    const isDenied = ['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '');
    if (!isDenied || parent === target || !(await exists(target))) throw error;
    return createFolder(innerPlace(target), target);
  }
}

function newName(name: string): string {
  const { pidNamespace, pid, startTime, token } = currentOwner();
  const number = folderCount++ % 1_000_000;
  return `.${name}.restore-${[pidNamespace, pid, startTime, token, number].join('-')}`;
}

async function claimAll(target: string, wait: WaitOptions): Promise<string[]> {
  const claimed: string[] = [];
  for (const place of [siblingPlace(target), innerPlace(target)]) {
    for (const fileName of await readdir(place.parent).catch((): string[] => [])) {
      const folder = await claim(place, fileName, { target, wait });
      if (folder !== undefined) claimed.push(folder);
    }
  }
  return claimed;
}

async function claim(
  { parent, name }: Place,
  fileName: string,
  { target, wait }: { target: string; wait: WaitOptions },
): Promise<string | undefined> {
  const [, ofTarget, pidNamespace = '', pid, startTime = '', token = ''] = PATTERN.exec(fileName) ?? [];
  if (ofTarget !== name) return undefined;
  const path = join(parent, fileName);
  const owner = { pidNamespace, pid: Number(pid), startTime, token };
  if (!(await isAbandoned(path, owner, wait))) {
    throw new DriveError('conflict', { text: 'conflict_restore_running', params: { path: target } });
  }
  const folder = join(parent, newName(name));
  try {
    await touch(path);
    await rename(path, folder);
    return folder;
  } catch (error) {
    // Another process has claimed it.
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
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
