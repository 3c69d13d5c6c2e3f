/**
 * Moves the staged tree into the target. Old content is moved aside before new content takes its place, and a journal
 * lists all moves before the first of them. If the process is killed in between, a later run reads the journal and
 * completes the moves: which of them are done shows in the trees themselves. No move follows a symbolic link.
 */
import type { Stats } from 'node:fs';
import { chmod, chown, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { withPinnedFolder } from '../../fs/pinned-folder';
import { isRoot } from '../../fs/part-owner';
import { DriveError, errorCode } from '../../errors';
import { numberedName } from '../../core/names';
import {
  OWNER_ALL,
  entryBatches,
  exists,
  fileTime,
  flushFileSystem,
  flushToDisk,
  isEmptyFolder,
  renameEntry,
  statsOf,
} from '../../fs/durable';
import { readJsonLines } from '../../fs/json-lines';
import { diskPath, readablePath } from '../../fs/path-bytes';
import { SwapJournal, type SwapPlaces, type SwapRecords, isInTarget } from './swap-journal';
import { Tree } from '../../fs/tree';
import type { FolderAttributes, FolderEntry } from '../entries/extract';

/** Folders that are flushed to disk one by one. */
const MAX_FLUSHED = 100;

export function stagedIn(work: string): string {
  return join(work, 'new');
}

/** The folder entries of the archive, as lines of JSON. */
export function foldersIn(work: string): string {
  return join(work, 'folders');
}

export interface SwapOutcome {
  /** False if the swap was undone. */
  isComplete: boolean;
  /** New paths of what others created meanwhile where an entry belongs. */
  movedAside: string[];
}

/**
 * Runs what was planned. If a move fails, the moves before it are undone.
 * @param onMovedAside called at the end, with the new paths of what others created meanwhile where an entry belongs
 * @throws `conflict` with the policy `error`, `local_file` for an invalid plan or a folder that was replaced, and
 *   errors of the file system
 */
export async function swap(
  places: SwapPlaces,
  records: SwapRecords,
  onMovedAside?: (paths: string[]) => void,
): Promise<void> {
  const journal = await SwapJournal.commit(places, records);
  await Swap.run(places, journal, async (moves) => {
    try {
      await moves.complete();
    } catch (error) {
      await moves.undo();
      throw error;
    } finally {
      if (moves.movedAside.length > 0) onMovedAside?.(moves.movedAside);
    }
  });
}

/**
 * Completes the swap of an earlier run that was killed; undoes it if that fails.
 * @returns undefined without a journal
 * @throws `local_file` for an invalid journal
 */
export async function recoverSwap(
  places: SwapPlaces,
  records: SwapRecords,
): Promise<SwapOutcome | undefined> {
  const journal = await SwapJournal.open(places, records);
  if (!journal) return undefined;
  return Swap.run(
    places,
    journal,
    async (moves) => {
      const isComplete = await moves.complete().then(
        () => true,
        () => false,
      );
      if (!isComplete) await moves.undo();
      return { isComplete, movedAside: moves.movedAside };
    },
    true,
  );
}

/** Every step can be repeated, because it begins with what is there. All paths are relative to the target. */
class Swap {
  /** New paths of what someone created between an interruption and this run. */
  readonly movedAside: string[] = [];
  private readonly target: Tree;
  private readonly staged: Tree;
  private readonly aside: Tree;
  private asideFolder: string | undefined;
  /** Paths that {@link keepNewEntries} has moved. */
  private readonly keptEntries: string[] = [];

  private constructor(
    private readonly places: SwapPlaces,
    private readonly journal: SwapJournal,
    parent: string,
    /** Whether some of the moves may be done. */
    private readonly isInterrupted: boolean,
  ) {
    this.target = new Tree(parent, basename(places.target));
    this.staged = new Tree(places.work, 'new');
    this.aside = new Tree(places.work, 'old');
  }

  static async run<T>(
    places: SwapPlaces,
    journal: SwapJournal,
    work: (moves: Swap) => Promise<T>,
    isInterrupted = false,
  ): Promise<T> {
    return withPinnedFolder(dirname(places.target), async (parent) => {
      const moves = new Swap(places, journal, parent.path, isInterrupted);
      try {
        return await work(moves);
      } finally {
        for (const tree of [moves.target, moves.staged, moves.aside]) await tree.close();
      }
    });
  }

  async complete(): Promise<void> {
    try {
      await this.moveAll();
    } catch (error) {
      throw await this.explain(error);
    }
    await this.flush();
    await this.journal.remove();
  }

  /** What can't be moved back stays in the work folder, with the journal. */
  async undo(): Promise<void> {
    const { journal } = this;
    const failures: unknown[] = [];
    const attempt = async (step: Promise<void>): Promise<void> => {
      await step.catch((error: unknown) => failures.push(error));
    };
    for (const path of this.keptEntries) await attempt(this.rename([this.target, path], [this.aside, path]));
    for await (const path of journal.moves()) await attempt(this.moveBack(path));
    for await (const { path, before } of journal.folders()) await attempt(this.resetAttributes(path, before));
    if (failures.length > 0) throw await this.explain(failures[0]);
    await this.flush();
    await journal.remove();
  }

  private async moveAll(): Promise<void> {
    const { journal } = this;
    for await (const { path, before } of journal.folders()) await this.makeWritable(path, before);
    for await (const path of journal.moves()) await this.move(path);
    for await (const path of journal.moves()) await this.keepNewEntries(path);
    for await (const { path, before } of journal.folders()) await this.restoreMode(path, before);
    if (journal.folderCount > 0) await this.setArchivedAttributes();
  }

  /** Both the folder and the staged one, which entries are moved out of. */
  private async makeWritable(path: string, { mode }: FolderAttributes): Promise<void> {
    if (!isRoot()) await chmod(diskPath(await this.staged.folder(path)), OWNER_ALL);
    if ((mode & OWNER_ALL) === OWNER_ALL) return;
    await ifPermitted(chmod(diskPath(await this.target.folder(path)), mode | OWNER_ALL));
  }

  private async move(path: string): Promise<void> {
    if (this.isInterrupted && !(await this.staged.exists(path))) return;
    if (path !== '') await this.makeRoom(path);
    await this.rename([this.staged, path], [this.target, path]);
  }

  private async makeRoom(path: string): Promise<void> {
    if (this.journal.policy === 'error') {
      if (await this.target.exists(path)) throw targetNotEmpty(this.places.target);
      return;
    }
    // After an interruption, the old entry may already be there: what has taken its place since then is someone else's.
    if (this.isInterrupted && ((await this.aside.exists(path)) || (await this.isChanged(path))))
      return this.keepForeign(path);
    await this.createAsideFolder(dirname(path));
    await this.rename([this.target, path], [this.aside, path]).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
    });
  }

  /** Whether someone has written the file since the plan was made. */
  private async isChanged(path: string): Promise<boolean> {
    const stats = await this.target.stats(path);
    return stats !== undefined && stats.isFile() && this.isLater(stats.mtimeMs);
  }

  private async createAsideFolder(path: string): Promise<void> {
    if (this.asideFolder === path) return;
    await this.aside.createFolder(path);
    this.asideFolder = path;
  }

  private async moveBack(path: string): Promise<void> {
    const moved = (await this.staged.exists(path)) ? undefined : await this.target.stats(path);
    // Someone has changed the file, or put something else there.
    const isForeign =
      moved?.isDirectory() === true
        ? this.isForeignFolder(moved, await this.stagedAt())
        : moved?.isFile() === true && this.isLater(moved.mtimeMs);
    if (moved && !isForeign) await this.rename([this.target, path], [this.staged, path]);
    if (path !== '' && (await this.aside.exists(path))) {
      await this.keepForeign(path);
      await this.rename([this.aside, path], [this.target, path]);
    }
    if (moved?.isDirectory() && !isForeign) await this.returnForeign(path, path);
  }

  /**
   * Moves what others have created or changed in a new folder, while it was in the target, from the staged folder back
   * into the target.
   * @param root what was moved
   */
  private async returnForeign(path: string, root: string): Promise<void> {
    const folder = await this.staged.folder(path);
    const hasNewEntries = this.isLater((await stat(diskPath(folder))).mtimeMs);
    const stagedAt = await this.stagedAt();
    const [foreign, folders]: [string[], string[]] = [[], []];
    for await (const batch of entryBatches(await this.staged.folder(path))) {
      const current = await this.staged.folder(path);
      const all = await Promise.all(batch.map(({ name }) => statsOf(join(current, name))));
      for (const [index, { name }] of batch.entries()) {
        const stats = all[index];
        if (!stats) continue;
        if (this.isForeign(stats, hasNewEntries, stagedAt)) foreign.push(join(path, name));
        else if (stats.isDirectory()) folders.push(join(path, name));
      }
    }
    for (const child of foreign) await this.returnEntry(child, root);
    for (const child of folders) await this.returnForeign(child, root);
  }

  /**
   * Renaming an entry changes its ctime, also if it has an earlier mtime. The ctime of a folder changes with its
   * entries, too, but only the archive's folders were created after the staged one and before the journal.
   * @param isInChanged whether entries were added to the folder that it is in
   */
  private isForeign(stats: Stats, isInChanged: boolean, stagedAt: number): boolean {
    if (!stats.isDirectory() && this.isLater(stats.mtimeMs)) return true;
    if (!isInChanged || !this.isLater(stats.ctimeMs)) return false;
    return !stats.isDirectory() || this.isForeignFolder(stats, stagedAt);
  }

  private isForeignFolder({ birthtimeMs }: Stats, stagedAt: number): boolean {
    return birthtimeMs < stagedAt || this.isLater(birthtimeMs);
  }

  private async stagedAt(): Promise<number> {
    return (await this.staged.stats(''))?.birthtimeMs ?? 0;
  }

  private isLater(time: number): boolean {
    return time > this.journal.writtenAt;
  }

  private async returnEntry(path: string, root: string): Promise<void> {
    let to = path;
    try {
      await this.target.createFolder(dirname(to));
    } catch {
      // The old content has a file where the archive has a folder.
      to = join(dirname(root), basename(path));
    }
    if (await this.target.exists(to)) to = await this.freePath(to);
    if (to !== path) this.movedAside.push(join(this.places.target, to));
    await this.rename([this.staged, path], [this.target, to]);
  }

  /** Renames an entry that isn't part of the swap to `name (1).ext`. */
  private async keepForeign(path: string, from = this.target): Promise<void> {
    if (!(await from.exists(path))) return;
    const kept = await this.freePath(path);
    await this.rename([from, path], [this.target, kept]);
    this.movedAside.push(join(this.places.target, kept));
  }

  /** @returns the first path `name (1).ext` that doesn't exist */
  private async freePath(path: string): Promise<string> {
    for (let number = 1; ; number++) {
      const free = join(dirname(path), numberedName(basename(path), number));
      if (!(await this.target.exists(free))) return free;
    }
  }

  /** Moves entries that were created after the plan was made from a folder that was moved aside into the new one. */
  private async keepNewEntries(path: string): Promise<void> {
    if (path === '' || !(await this.aside.isFolder(path))) return;
    if (!(await this.target.isFolder(path))) return this.keepReplaced(path);
    const folders: string[] = [];
    for await (const batch of entryBatches(await this.aside.folder(path))) {
      const current = await this.target.folder(path);
      const others = await Promise.all(batch.map(({ name }) => exists(join(current, name))));
      for (const [index, entry] of batch.entries()) {
        const child = join(path, entry.name);
        if (others[index]) {
          if (entry.isDirectory()) folders.push(child);
          continue;
        }
        await this.rename([this.aside, child], [this.target, child]);
        this.keptEntries.push(child);
      }
    }
    for (const folder of folders) await this.keepNewEntries(folder);
  }

  /** No plan replaces a folder with content by something else: someone has put it there since. */
  private async keepReplaced(path: string): Promise<void> {
    if (!(await isEmptyFolder(await this.aside.folder(path)))) await this.keepForeign(path, this.aside);
  }

  private async rename([from, path]: [Tree, string], [to, newPath]: [Tree, string]): Promise<void> {
    const [source, destination] = [await from.entry(path), await to.entry(newPath)];
    await renameEntry(source, destination).catch((error: unknown) => {
      const place = from === this.target ? path : newPath;
      throw mountError(error, join(this.places.target, place));
    });
  }

  /** Of a folder that {@link makeWritable} has changed. */
  private async restoreMode(path: string, { mode }: FolderAttributes): Promise<void> {
    if ((mode & OWNER_ALL) !== OWNER_ALL)
      await ifPermitted(chmod(diskPath(await this.target.folder(path)), mode));
  }

  /** Folders of the archive that were moved aren't in the staged tree any more, and already have their attributes. */
  private async setArchivedAttributes(): Promise<void> {
    const entries = foldersIn(this.places.work);
    if (!(await exists(entries))) return;
    for await (const line of readJsonLines(entries)) {
      const { path, ...attributes } = line as FolderEntry;
      if (isInTarget(path) && (await this.staged.isFolder(path))) await this.setAttributes(path, attributes);
    }
  }

  private async setAttributes(path: string, { mode, mtime, uid, gid }: FolderAttributes): Promise<void> {
    const folder = diskPath(await this.target.folder(path));
    if (uid !== undefined && gid !== undefined && isRoot()) await ifPermitted(chown(folder, uid, gid));
    await ifPermitted(chmod(folder, mode));
    await ifPermitted(utimes(folder, fileTime(mtime), fileTime(mtime)));
  }

  /** Unless the folder isn't there any more. */
  private async resetAttributes(path: string, before: FolderAttributes): Promise<void> {
    if (await this.target.isFolder(path)) await this.setAttributes(path, before);
  }

  /** The moves have to be on disk before the journal and the old content are removed. */
  private async flush(): Promise<void> {
    const { target } = this.places;
    await flushToDisk(dirname(target));
    if (this.journal.folderCount > MAX_FLUSHED) return flushFileSystem(target, undefined);
    for await (const { path } of this.journal.folders()) await flushToDisk(join(target, path));
  }

  /** @returns an error that names the folder that someone has replaced, if that is why a move failed */
  private async explain(error: unknown): Promise<unknown> {
    if (errorCode(error) !== 'ENOTDIR') return error;
    const { target } = this.places;
    for await (const { path } of this.journal.folders()) {
      if (await this.target.isFolder(path)) continue;
      const params = { path: join(target, path), reason: 'ENOTDIR' };
      return new DriveError('local_file', { text: 'local_file_folder_replaced', params, reason: 'ENOTDIR' });
    }
    return error;
  }
}

/**
 * A mounted file or folder has EBUSY, and a folder in a lower layer of overlayfs has EXDEV, as in an image of Docker.
 */
function mountError(error: unknown, path: string): unknown {
  const reason = errorCode(error);
  if ((reason !== 'EBUSY' && reason !== 'EXDEV') || process.platform === 'win32') return error;
  const params = { path: readablePath(path), reason };
  return new DriveError('local_file', { text: 'local_file_swap_mount', params, reason });
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
