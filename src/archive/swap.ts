/**
 * Moves the staged tree into the target. Old content is moved aside before new content takes its place, and a journal
 * lists all moves before the first of them. If the process is killed in between, a later run reads the journal and
 * completes the moves: which of them are done shows in the trees themselves.
 */
import { chmod, chown, lstat, mkdir, readdir, rename, rm, utimes } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { DriveError, errorCode } from '../errors';
import { numberedName } from '../files/numbered-name';
import { exists, fileTime, flushToDisk, renameEntry } from './durable';
import { relativePath } from './entry-path';
import { JsonLinesWriter, readJsonLines } from './json-lines';
import type { FolderAttributes, MergedFolder, SwapPlan } from './swap-plan';

export interface SwapPlaces {
  target: string;
  /** The work folder, on the target's file system. */
  work: string;
}

/** Replaces what is in the target, or accepts only new names. */
export type SwapPolicy = 'replace' | 'error';

const VERSION = 1;
const OWNER_ALL = 0o700;

export function stagedIn(work: string): string {
  return join(work, 'new');
}

function asideIn(work: string): string {
  return join(work, 'old');
}

function journalIn(work: string): string {
  return join(work, 'journal');
}

/** True while a swap isn't completed or undone. */
export function hasJournal(work: string): Promise<boolean> {
  return exists(journalIn(work));
}

/**
 * Runs a plan. If a move fails, the moves before it are undone.
 * @throws `conflict` with the policy `error`, and errors of the file system
 */
export async function swap(places: SwapPlaces, plan: SwapPlan, policy: SwapPolicy): Promise<void> {
  await writeJournal(places.work, plan, policy);
  const moves = new Swap(places, plan, policy);
  try {
    await moves.complete();
  } catch (error) {
    await moves.undo();
    throw error;
  }
}

/**
 * Completes the swap of an earlier run that was killed; undoes it if that fails. Does nothing without a journal.
 * @returns the new paths of what was created in the meantime where an entry belongs
 */
export async function recoverSwap(places: SwapPlaces): Promise<string[]> {
  const journal = await readJournal(places.work);
  if (!journal) return [];
  const moves = new Swap(places, journal.plan, journal.policy);
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
  private readonly asideFolders = new Set<string>();
  /** Paths that {@link keepNewEntries} has moved. */
  private readonly keptEntries: string[] = [];

  constructor(
    private readonly places: SwapPlaces,
    private readonly plan: SwapPlan,
    private readonly policy: SwapPolicy,
  ) {
    this.staged = stagedIn(places.work);
    this.aside = asideIn(places.work);
  }

  async complete(): Promise<void> {
    const { moves, folders } = this.plan;
    for (const { path, before } of folders) await this.makeWritable(path, before);
    for (const path of moves) await this.move(path);
    for (const path of moves) await this.keepNewEntries(path);
    for (const folder of [...folders].reverse()) await this.setAttributes(folder, folder.after);
    await this.flush();
    await this.removeJournal();
  }

  async undo(): Promise<void> {
    const { moves, folders } = this.plan;
    for (const path of this.keptEntries) {
      await renameEntry(join(this.places.target, path), join(this.aside, path));
    }
    for (const path of [...moves].reverse()) await this.moveBack(path);
    for (const folder of [...folders].reverse()) await this.setAttributes(folder, folder.before);
    await this.flush();
    await this.removeJournal();
  }

  private async makeWritable(path: string, { mode }: FolderAttributes): Promise<void> {
    if ((mode & OWNER_ALL) === OWNER_ALL) return;
    await ifPermitted(chmod(join(this.places.target, path), mode | OWNER_ALL));
  }

  private async move(path: string): Promise<void> {
    const from = join(this.staged, path);
    const to = join(this.places.target, path);
    if (!(await exists(from))) return;
    if (path !== '') await this.makeRoom(path, to);
    await renameEntry(from, to);
  }

  private async makeRoom(path: string, existing: string): Promise<void> {
    if (this.policy === 'error') {
      if (await exists(existing)) throw targetNotEmpty(this.places.target);
      return;
    }
    const aside = join(this.aside, path);
    // After an interruption, the old entry may already be there: what has taken its place since then is someone else's.
    if (await exists(aside)) return this.keepForeign(existing);
    await this.createAsideFolder(dirname(aside));
    await renameEntry(existing, aside).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
    });
  }

  private async createAsideFolder(folder: string): Promise<void> {
    if (this.asideFolders.has(folder)) return;
    await mkdir(folder, { recursive: true });
    this.asideFolders.add(folder);
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
    const names = new Set(await readdir(current));
    for (const entry of await readdir(aside, { withFileTypes: true })) {
      const child = join(path, entry.name);
      const to = join(this.places.target, child);
      // On a disk that ignores case, a name that isn't listed may exist nevertheless.
      if (names.has(entry.name) || (await exists(to))) {
        if (entry.isDirectory()) await this.keepNewEntries(child);
        continue;
      }
      await renameEntry(join(this.aside, child), to);
      this.keptEntries.push(child);
    }
  }

  private async setAttributes(
    { path, before }: MergedFolder,
    attributes: FolderAttributes | undefined,
  ): Promise<void> {
    const folder = join(this.places.target, path);
    const { mode, mtime, uid, gid } = attributes ?? before;
    if (attributes?.uid !== undefined && attributes.gid !== undefined && isRoot())
      await ifPermitted(chown(folder, uid ?? 0, gid ?? 0));
    if (attributes || (mode & OWNER_ALL) !== OWNER_ALL) await ifPermitted(chmod(folder, mode));
    if (attributes) await ifPermitted(utimes(folder, fileTime(mtime), fileTime(mtime)));
  }

  /** The moves have to be on disk before the journal and the old content are removed. */
  private async flush(): Promise<void> {
    const { target } = this.places;
    await flushToDisk(dirname(target));
    for (const { path } of this.plan.folders) await flushToDisk(join(target, path));
  }

  private async removeJournal(): Promise<void> {
    await rm(journalIn(this.places.work), { force: true });
    await flushToDisk(this.places.work);
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

type JournalLine = { version: number; policy: SwapPolicy } | { move: string } | { folder: MergedFolder };

/** Exported for tests, which stop a swap at every point. */
export async function writeJournal(
  work: string,
  { moves, folders }: SwapPlan,
  policy: SwapPolicy,
): Promise<void> {
  const draft = `${journalIn(work)}.draft`;
  const writer = await JsonLinesWriter.create(draft);
  const add = (line: JournalLine): Promise<void> => writer.add(line);
  await add({ version: VERSION, policy });
  for (const move of moves) await add({ move });
  for (const folder of folders) await add({ folder });
  await writer.close({ flush: true });
  await rename(draft, journalIn(work));
  await flushToDisk(work);
}

/** @returns undefined without a valid journal. A draft counts for nothing: no move was made then. */
async function readJournal(work: string): Promise<{ plan: SwapPlan; policy: SwapPolicy } | undefined> {
  const path = journalIn(work);
  if (!(await exists(path))) return undefined;
  const plan: SwapPlan = { moves: [], folders: [] };
  let policy: SwapPolicy = 'error';
  for await (const value of readJsonLines(path)) {
    const line = value as JournalLine;
    if ('move' in line) plan.moves.push(line.move);
    else if ('folder' in line) plan.folders.push(line.folder);
    else policy = line.policy;
  }
  const paths = [...plan.moves, ...plan.folders.map((folder) => folder.path)];
  return paths.every(isInside) ? { plan, policy } : undefined;
}

/** False for a path that {@link planSwap} never writes, because it leads out of the target. */
function isInside(path: string): boolean {
  return relativePath(path.split(sep).join('/')) !== undefined;
}
