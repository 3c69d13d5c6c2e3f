/**
 * Part files of downloads that failed or were killed. A later download of the same content resumes one; the others are
 * removed. To claim a part means to rename it, which succeeds for only one of several downloads.
 *
 * Other users may write to the folder, too. A user who has made a part can read it, or change it after it was verified.
 * So a part is only claimed if it looks like one that this process creates.
 */
import type { Stats } from 'node:fs';
import { lstat, readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import {
  isOwn,
  type WaitOptions,
  claimByRename,
  withoutHeartbeat,
  isOwnOrEnded,
  startHeartbeat,
} from '../../fs/part-owner';
import { newPartName, parsePartName, targetInPartName } from '../../fs/reserved-names';

/** ms after which a part of another target is removed: as long as an upload session can be resumed. */
const MAX_AGE = 7 * 24 * 60 * 60 * 1_000;
/** ms without a heartbeat after which a download that can't be checked otherwise has certainly ended. */
const STALE_AFTER = 60 * 60 * 1_000;

/** The mode says, too, that it is a file. It has another link if the process was killed while it renamed the part. */
const ATTRIBUTES = ['uid', 'gid', 'mode', 'nlink'] as const;
type Attributes = Pick<Stats, (typeof ATTRIBUTES)[number]>;

interface Part extends Attributes {
  fileName: string;
  contentKey: string;
  /** Bytes. */
  size: number;
  mtimeMs: number;
  /** False if its owner may be alive, for example in another container. */
  isOrphaned: boolean;
}

/** @param created by this process for the same target */
export function isLike(part: Attributes, created: Attributes): boolean {
  return ATTRIBUTES.every((name) => part[name] === created[name]);
}

export class OrphanedParts {
  private constructor(
    private readonly folder: string,
    private readonly name: string,
    private readonly parts: readonly Part[],
  ) {}

  /**
   * Finds nothing in a folder that can't be read.
   * @param name of the target file
   * @param known names of part files, which saves listing the folder
   */
  static async find(folder: string, name: string, known?: readonly string[]): Promise<OrphanedParts> {
    const target = targetInPartName(name);
    await closingParts((fileName) => parsePartName(fileName)?.target === target);
    const fileNames = known ?? (await readdir(folder).catch(() => []));
    const parts = await Promise.all(fileNames.map((fileName) => inspectPart(folder, fileName, target)));
    return new OrphanedParts(
      folder,
      name,
      parts.filter((part) => part !== undefined),
    );
  }

  /** Whether there is a part of the content. */
  has(contentKey: string): boolean {
    return this.parts.some((part) => part.contentKey === contentKey && part.size > 0);
  }

  /**
   * Claims the longest part of a content. A part whose owner may be alive is watched for a heartbeat first.
   * @param created attributes of a part that this process has just created
   * @returns the lock of the renamed part. @throws `cancelled`
   */
  async claim(contentKey: string, created: Attributes, wait: WaitOptions): Promise<PartLock | undefined> {
    const isCandidate = (part: Part): boolean =>
      part.contentKey === contentKey && part.size > 0 && isLike(part, created);
    const candidates = this.parts.filter(isCandidate);
    const orphaned = candidates.filter(({ isOrphaned }) => isOrphaned);
    const others = candidates.filter(({ isOrphaned }) => !isOrphaned);
    const claimed = await this.claimLongest(orphaned);
    if (claimed) return claimed;
    return this.claimLongest(await withoutHeartbeat(others, ({ fileName }) => this.pathOf(fileName), wait));
  }

  /**
   * Removes the remaining parts of the target, and the parts of other targets that are too old. They are checked again:
   * an owner that was suspended may have continued, and a complete part has the old time of its file until it is
   * renamed.
   */
  async remove(): Promise<void> {
    const orphaned = this.parts.filter(({ isOrphaned }) => isOrphaned);
    await Promise.all(orphaned.map(({ fileName }) => removeOrphanedPart(this.folder, fileName)));
  }

  private async claimLongest(parts: readonly Part[]): Promise<PartLock | undefined> {
    for (const { fileName, contentKey } of [...parts].sort((a, b) => b.size - a.size)) {
      const lock = new PartLock(newPartName(this.name, contentKey));
      try {
        await claimByRename(this.pathOf(fileName), this.pathOf(lock.fileName));
        return lock;
      } catch {
        // Another download has claimed it.
        lock.unlock();
      }
    }
    return undefined;
  }

  private pathOf(fileName: string): string {
    return join(this.folder, fileName);
  }
}

/** Removes a part file that no download uses, whatever its target is. */
export async function removeOrphanedPart(folder: string, fileName: string): Promise<void> {
  const target = parsePartName(fileName)?.target;
  const part = target === undefined ? undefined : await inspectPart(folder, fileName, target);
  if (part?.isOrphaned) await rm(join(folder, fileName)).catch(() => undefined);
}

/** @returns undefined for other files, for those of other users, for parts in use, and for recent parts of other targets */
async function inspectPart(folder: string, fileName: string, target: string): Promise<Part | undefined> {
  const part = parsePartName(fileName);
  if (!part || isLocked(fileName)) return undefined;
  const file = await statFile(join(folder, fileName));
  if (!file) return undefined;
  const { size, mtimeMs, uid, gid, mode, nlink } = file;
  const age = Date.now() - mtimeMs;
  if (part.target !== target && age < MAX_AGE) return undefined;
  if (!(await isOwn({ uid }, folder))) return undefined;
  const isOrphaned = age > STALE_AFTER || (part.owner !== undefined && isOwnOrEnded(part.owner));
  return { fileName, contentKey: part.contentKey, size, mtimeMs, isOrphaned, uid, gid, mode, nlink };
}

/** @returns undefined for folders, links and missing files */
async function statFile(path: string) {
  const file = await lstat(path).catch(() => undefined);
  return file?.isFile() ? file : undefined;
}

const lockedNames = new Set<string>();
/** Parts that are being closed: a slow disk may take many seconds. */
const closingNames = new Map<string, Promise<void>>();

export function isLocked(fileName: string): boolean {
  return lockedNames.has(fileName);
}

/** Resolves when the parts that are being closed are unlocked. @param includes selects them by name */
async function closingParts(includes: (fileName: string) => boolean): Promise<void> {
  await Promise.all([...closingNames].filter(([name]) => includes(name)).map(([, closed]) => closed));
}

/** Reserves a part file for the download that writes it: its name in this process, and with a heartbeat for others. */
export class PartLock {
  private heartbeat: NodeJS.Timeout | undefined;

  constructor(readonly fileName: string) {
    lockedNames.add(fileName);
  }

  /** Until the part is unlocked or closed. */
  startHeartbeat(handle: FileHandle): void {
    this.heartbeat = startHeartbeat((atime, mtime) => handle.utimes(atime, mtime));
  }

  stopHeartbeat(): void {
    clearInterval(this.heartbeat);
  }

  unlock(): void {
    this.stopHeartbeat();
    lockedNames.delete(this.fileName);
  }

  /** @param closed must not reject */
  unlockAfter(closed: Promise<void>): void {
    this.stopHeartbeat();
    const unlocked = closed.then(() => {
      closingNames.delete(this.fileName);
      this.unlock();
    });
    closingNames.set(this.fileName, unlocked);
  }
}
