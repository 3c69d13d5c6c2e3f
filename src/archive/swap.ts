/**
 * Moves the staged tree into the target. Old content is moved aside before new content takes its place, and a journal
 * lists all moves before the first of them. If the process is killed in between, a later run reads the journal and
 * completes the moves: which of them are done shows in the trees themselves.
 */
import type { Stats } from 'node:fs';
import { chmod, chown, lstat, mkdir, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DriveError, errorCode } from '../errors';
import { numberedName } from '../files/numbered-name';
import {
  entryBatches,
  exists,
  fileTime,
  flushFileSystem,
  flushToDisk,
  renameEntry,
  statsOf,
} from './durable';
import { readJsonLines } from './json-lines';
import { type FolderAttributes, type FolderEntry, SwapJournal, isInside } from './swap-journal';

export interface SwapPlaces {
  target: string;
  /** The work folder, on the target's file system. */
  work: string;
}

const OWNER_ALL = 0o700;
/** Folders that are flushed to disk one by one. */
const MAX_FLUSHED = 100;

export function stagedIn(work: string): string {
  return join(work, 'new');
}

function asideIn(work: string): string {
  return join(work, 'old');
}

/** The folder entries of the archive, as lines of JSON. */
export function foldersIn(work: string): string {
  return join(work, 'folders');
}

/**
 * Runs what was planned. If a move fails, the moves before it are undone.
 * @param onMovedAside called after that, with the new paths of what others created meanwhile where an entry belongs
 * @throws `conflict` with the policy `error`, `local_file` for an invalid plan, and errors of the file system
 */
export async function swap(places: SwapPlaces, onMovedAside?: (paths: string[]) => void): Promise<void> {
  const moves = new Swap(places, await SwapJournal.commit(places.work), false);
  try {
    await moves.complete();
  } catch (error) {
    await moves.undo();
    if (moves.movedAside.length > 0) onMovedAside?.(moves.movedAside);
    throw error;
  }
}

/**
 * Completes the swap of an earlier run that was killed; undoes it if that fails. Does nothing without a journal.
 * @returns the new paths of what was created in the meantime where an entry belongs
 * @throws `local_file` for an invalid journal
 */
export async function recoverSwap(places: SwapPlaces): Promise<string[]> {
  const journal = await SwapJournal.open(places.work);
  if (!journal) return [];
  const moves = new Swap(places, journal, true);
  try {
    await moves.complete();
  } catch {
    await moves.undo();
  }
  return moves.movedAside;
}

/** Every step can be repeated, because it begins with what is there. */
class Swap {
  /** New paths of what someone created between an interruption and this run. */
  readonly movedAside: string[] = [];
  private readonly staged: string;
  private readonly aside: string;
  private asideFolder: string | undefined;
  /** Paths that {@link keepNewEntries} has moved. */
  private readonly keptEntries: string[] = [];

  constructor(
    private readonly places: SwapPlaces,
    private readonly journal: SwapJournal,
    /** Whether some of the moves may be done. */
    private readonly isInterrupted: boolean,
  ) {
    this.staged = stagedIn(places.work);
    this.aside = asideIn(places.work);
  }

  async complete(): Promise<void> {
    const { journal } = this;
    for await (const { path, before } of journal.folders()) await this.makeWritable(path, before);
    for await (const path of journal.moves()) await this.move(path);
    for await (const path of journal.moves()) await this.keepNewEntries(path);
    for await (const { path, before } of journal.folders()) await this.restoreMode(path, before);
    if (journal.folderCount > 0) await this.setArchivedAttributes();
    await this.flush();
    await journal.remove();
  }

  async undo(): Promise<void> {
    const { journal } = this;
    for (const path of this.keptEntries) {
      await renameEntry(join(this.places.target, path), join(this.aside, path));
    }
    for await (const path of journal.moves()) await this.moveBack(path);
    for await (const { path, before } of journal.folders()) await this.setAttributes(path, before);
    await this.flush();
    await journal.remove();
  }

  /** Both the folder and the staged one, which entries are moved out of. */
  private async makeWritable(path: string, { mode }: FolderAttributes): Promise<void> {
    if (!isRoot()) await chmod(join(this.staged, path), OWNER_ALL);
    if ((mode & OWNER_ALL) === OWNER_ALL) return;
    await ifPermitted(chmod(join(this.places.target, path), mode | OWNER_ALL));
  }

  private async move(path: string): Promise<void> {
    const from = join(this.staged, path);
    const to = join(this.places.target, path);
    if (this.isInterrupted && !(await exists(from))) return;
    if (path !== '') await this.makeRoom(path, to);
    await renameEntry(from, to);
  }

  private async makeRoom(path: string, existing: string): Promise<void> {
    if (this.journal.policy === 'error') {
      if (await exists(existing)) throw targetNotEmpty(this.places.target);
      return;
    }
    const aside = join(this.aside, path);
    // After an interruption, the old entry may already be there: what has taken its place since then is someone else's.
    if (this.isInterrupted && (await exists(aside))) return this.keepForeign(existing);
    await this.createAsideFolder(dirname(aside));
    await renameEntry(existing, aside).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
    });
  }

  private async createAsideFolder(folder: string): Promise<void> {
    if (this.asideFolder === folder) return;
    await mkdir(folder, { recursive: true });
    this.asideFolder = folder;
  }

  private async moveBack(path: string): Promise<void> {
    const from = join(this.staged, path);
    const to = join(this.places.target, path);
    const aside = join(this.aside, path);
    const moved = (await exists(from)) ? undefined : await statsOf(to);
    // Someone has changed the file, or replaced it.
    const isForeign = moved?.isFile() && this.isLater(moved.mtimeMs);
    if (moved && !isForeign) await renameEntry(to, from);
    if (path !== '' && (await exists(aside))) {
      await this.keepForeign(to);
      await renameEntry(aside, to);
    }
    if (moved?.isDirectory()) await this.returnForeign(path, path);
  }

  /**
   * Moves what others have created or changed in a new folder, while it was in the target, from the staged folder back into
   * the target.
   * @param root what was moved
   */
  private async returnForeign(path: string, root: string): Promise<void> {
    const folder = join(this.staged, path);
    const hasNewEntries = this.isLater((await lstat(folder)).mtimeMs);
    const { birthtimeMs } = await lstat(this.staged);
    const [foreign, folders]: [string[], string[]] = [[], []];
    for await (const batch of entryBatches(folder)) {
      const all = await Promise.all(batch.map(({ name }) => statsOf(join(folder, name))));
      for (const [index, { name }] of batch.entries()) {
        const stats = all[index];
        if (!stats) continue;
        if (this.isForeign(stats, hasNewEntries, birthtimeMs)) foreign.push(join(path, name));
        else if (stats.isDirectory()) folders.push(join(path, name));
      }
    }
    for (const child of foreign) await this.returnEntry(child, root);
    for (const child of folders) await this.returnForeign(child, root);
  }

  /**
   * Renaming an entry changes its ctime, also if it has an earlier mtime. The ctime of a folder changes with its entries,
   * too, but only the archive's folders were created after the staged one and before the journal.
   * @param isInChanged whether entries were added to the folder that it is in
   */
  private isForeign(stats: Stats, isInChanged: boolean, stagedAt: number): boolean {
    if (!stats.isDirectory() && this.isLater(stats.mtimeMs)) return true;
    if (!isInChanged || !this.isLater(stats.ctimeMs)) return false;
    return !stats.isDirectory() || stats.birthtimeMs < stagedAt || this.isLater(stats.birthtimeMs);
  }

  private isLater(time: number): boolean {
    return time > this.journal.writtenAt;
  }

  private async returnEntry(path: string, root: string): Promise<void> {
    const { target } = this.places;
    const place = join(target, path);
    let to = place;
    try {
      await mkdir(dirname(to), { recursive: true });
    } catch {
      // The old content has a file where the archive has a folder.
      to = join(dirname(join(target, root)), basename(path));
    }
    if (await exists(to)) to = await freePath(to);
    if (to !== place) this.movedAside.push(to);
    await renameEntry(join(this.staged, path), to);
  }

  /** Renames an entry that isn't part of the swap to `name (1).ext`. */
  private async keepForeign(path: string): Promise<void> {
    if (!(await exists(path))) return;
    const kept = await freePath(path);
    await renameEntry(path, kept);
    this.movedAside.push(kept);
  }

  /** Moves entries that were created after the plan was made from a folder that was moved aside into the new one. */
  private async keepNewEntries(path: string): Promise<void> {
    const aside = join(this.aside, path);
    const current = join(this.places.target, path);
    if (path === '' || !(await isFolder(aside)) || !(await isFolder(current))) return;
    const folders: string[] = [];
    for await (const batch of entryBatches(aside)) {
      const others = await Promise.all(batch.map(({ name }) => exists(join(current, name))));
      for (const [index, entry] of batch.entries()) {
        const child = join(path, entry.name);
        if (others[index]) {
          if (entry.isDirectory()) folders.push(child);
          continue;
        }
        await renameEntry(join(this.aside, child), join(this.places.target, child));
        this.keptEntries.push(child);
      }
    }
    for (const folder of folders) await this.keepNewEntries(folder);
  }

  /** Of a folder that {@link makeWritable} has changed. */
  private async restoreMode(path: string, { mode }: FolderAttributes): Promise<void> {
    if ((mode & OWNER_ALL) !== OWNER_ALL) await ifPermitted(chmod(join(this.places.target, path), mode));
  }

  /** Folders of the archive that were moved aren't in the staged tree any more, and already have their attributes. */
  private async setArchivedAttributes(): Promise<void> {
    const entries = foldersIn(this.places.work);
    if (!(await exists(entries))) return;
    for await (const line of readJsonLines(entries)) {
      const { path, ...attributes } = line as FolderEntry;
      if (isInside(path) && (await isFolder(join(this.staged, path))))
        await this.setAttributes(path, attributes);
    }
  }

  private async setAttributes(path: string, { mode, mtime, uid, gid }: FolderAttributes): Promise<void> {
    const folder = join(this.places.target, path);
    if (uid !== undefined && gid !== undefined && isRoot()) await ifPermitted(chown(folder, uid, gid));
    await ifPermitted(chmod(folder, mode));
    await ifPermitted(utimes(folder, fileTime(mtime), fileTime(mtime)));
  }

  /** The moves have to be on disk before the journal and the old content are removed. */
  private async flush(): Promise<void> {
    const { target } = this.places;
    await flushToDisk(dirname(target));
    if (this.journal.folderCount > MAX_FLUSHED) return flushFileSystem(target, undefined);
    for await (const { path } of this.journal.folders()) await flushToDisk(join(target, path));
  }
}

/** @returns the first path `name (1).ext` that doesn't exist */
async function freePath(path: string): Promise<string> {
  for (let number = 1; ; number++) {
    const free = join(dirname(path), numberedName(basename(path), number));
    if (!(await exists(free))) return free;
  }
}

export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/** Changes attributes of a folder. Only its owner may, but others may be allowed to write into it. */
async function ifPermitted(change: Promise<void>): Promise<void> {
  await change.catch((error: unknown) => {
    if (errorCode(error) !== 'EPERM') throw error;
  });
}

export function targetNotEmpty(path: string): DriveError {
  return new DriveError('conflict', { text: 'conflict_target_not_empty', params: { path } });
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() ?? false;
}
