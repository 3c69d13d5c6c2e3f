/**
 * Moves the staged tree into the target. Old content is moved aside before new content takes its place, and a journal
 * lists all moves before the first of them. If the process is killed in between, a later run reads the journal and
 * completes the moves: which of them are done shows in the trees themselves.
 */
import { chmod, chown, lstat, mkdir, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DriveError, errorCode } from '../errors';
import { numberedName } from '../files/numbered-name';
import { entryBatches, exists, fileTime, flushFileSystem, flushToDisk, renameEntry } from './durable';
import { readJsonLines } from './json-lines';
import {
  type FolderAttributes,
  type FolderEntry,
  SwapJournal,
  commitJournal,
  isInside,
} from './swap-journal';

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
 * @throws `conflict` with the policy `error`, and errors of the file system
 */
export async function swap(places: SwapPlaces): Promise<void> {
  await commitJournal(places.work);
  const moves = await openSwap(places, false);
  try {
    await moves?.complete();
  } catch (error) {
    await moves?.undo();
    throw error;
  }
}

/**
 * Completes the swap of an earlier run that was killed; undoes it if that fails. Does nothing without a journal.
 * @returns the new paths of what was created in the meantime where an entry belongs
 */
export async function recoverSwap(places: SwapPlaces): Promise<string[]> {
  const moves = await openSwap(places, true);
  if (!moves) return [];
  try {
    await moves.complete();
  } catch {
    await moves.undo();
  }
  return moves.movedAside;
}

async function openSwap(places: SwapPlaces, isInterrupted: boolean): Promise<Swap | undefined> {
  const journal = await SwapJournal.open(places.work);
  return journal && new Swap(places, journal, isInterrupted);
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
    if (!(await exists(from)) && (await exists(to))) await renameEntry(to, from);
    if (path === '' || !(await exists(aside))) return;
    await this.keepForeign(to);
    await renameEntry(aside, to);
  }

  /** Renames an entry that isn't part of the swap to `name (1).ext`. */
  private async keepForeign(path: string): Promise<void> {
    if (!(await exists(path))) return;
    for (let number = 1; ; number++) {
      const kept = join(dirname(path), numberedName(basename(path), number));
      if (await exists(kept)) continue;
      await renameEntry(path, kept);
      this.movedAside.push(kept);
      return;
    }
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
