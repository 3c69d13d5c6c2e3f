/**
 * All moves of a swap, in a file, because they may be too many for memory. It is written as a draft: no move is made until
 * the file has its final name.
 */
import { lstat, rename, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { DriveError } from '../errors';
import { exists, flushToDisk } from './durable';
import { relativePath } from './entry-path';
import { JsonLinesWriter, type ListEnd, readJsonLines } from './json-lines';

/** Replaces what is in the target, or accepts only new names. */
export type SwapPolicy = 'replace' | 'error';

/** Attributes of a folder. Times are in seconds since 1970. */
export interface FolderAttributes {
  mode: number;
  mtime: number;
  /** Only if the owner is restored. */
  uid?: number;
  gid?: number;
}

/** A folder entry of the archive. */
export interface FolderEntry extends FolderAttributes {
  path: string;
}

/** A folder that stays in the target and gets new entries. */
export interface MergedFolder {
  /** Relative; `''` for the target. */
  path: string;
  before: FolderAttributes;
}

/** A file, link or folder to move from the staged tree to the target (`''` for the whole tree), or a folder that stays. */
export type SwapStep = { move: string } | { folder: MergedFolder };

const VERSION = 2;

function journalIn(work: string): string {
  return join(work, 'journal');
}

function draftIn(work: string): string {
  return `${journalIn(work)}.draft`;
}

/** True while a swap isn't completed or undone. */
export function hasJournal(work: string): Promise<boolean> {
  return exists(journalIn(work));
}

export class JournalDraft {
  private constructor(private readonly writer: JsonLinesWriter) {}

  static async create(work: string, policy: SwapPolicy): Promise<JournalDraft> {
    const writer = await JsonLinesWriter.create(draftIn(work));
    await writer.add({ version: VERSION, policy });
    return new JournalDraft(writer);
  }

  get end(): ListEnd {
    return this.writer.end;
  }

  add(step: SwapStep): Promise<void> {
    return this.writer.add(step);
  }

  /** Removes all steps after an earlier {@link end}. */
  truncate(end: ListEnd): Promise<void> {
    return this.writer.truncate(end);
  }

  close(): Promise<void> {
    return this.writer.close({ flush: true });
  }
}

/** Gives the draft its final name. */
export async function commitJournal(work: string): Promise<void> {
  await rename(draftIn(work), journalIn(work));
  await flushToDisk(work);
}

export class SwapJournal {
  private constructor(
    private readonly work: string,
    readonly policy: SwapPolicy,
    /** How many folders stay in the target. */
    readonly folderCount: number,
    /** ms since 1970, by the clock of the file system: before the first move. */
    readonly writtenAt: number,
  ) {}

  /** Makes the draft the journal. @throws `local_file` for an invalid draft, which stays one: no move is made then */
  static async commit(work: string): Promise<SwapJournal> {
    const journal = await SwapJournal.read(work, draftIn(work));
    if (!journal) throw invalidJournal('local_file_restore_plan', work);
    await commitJournal(work);
    return journal;
  }

  /**
   * @returns undefined without a journal. A draft counts for nothing: no move was made then.
   * @throws `local_file` for an invalid journal: what it says is unknown, and the work folder may contain old content
   */
  static async open(work: string): Promise<SwapJournal | undefined> {
    if (!(await hasJournal(work))) return undefined;
    const journal = await SwapJournal.read(work, journalIn(work));
    if (!journal) throw invalidJournal('local_file_restore_journal', work);
    return journal;
  }

  /** @returns undefined for an invalid journal */
  private static async read(work: string, file: string): Promise<SwapJournal | undefined> {
    let policy: SwapPolicy | undefined;
    let folderCount = 0;
    try {
      for await (const line of readJsonLines(file)) {
        if (policy === undefined) policy = policyOf(line);
        else if (isFolderStep(line)) folderCount += 1;
        else if (!isMoveStep(line)) return undefined;
      }
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
    if (policy === undefined) return undefined;
    return new SwapJournal(work, policy, folderCount, (await lstat(file)).mtimeMs);
  }

  async *moves(): AsyncGenerator<string> {
    for await (const step of this.steps()) if (isMoveStep(step)) yield step.move;
  }

  /** Each after the folders in it. */
  async *folders(): AsyncGenerator<MergedFolder> {
    if (this.folderCount === 0) return;
    for await (const step of this.steps()) if (isFolderStep(step)) yield step.folder;
  }

  async remove(): Promise<void> {
    await rm(journalIn(this.work), { force: true });
    await flushToDisk(this.work);
  }

  private steps(): AsyncGenerator<unknown> {
    return readJsonLines(journalIn(this.work));
  }
}

/** @throws {@link SyntaxError} for anything but the first line of a journal */
function policyOf(line: unknown): SwapPolicy {
  const { version, policy } = { ...(line as Partial<{ version: number; policy: SwapPolicy }>) };
  if (version === VERSION && (policy === 'replace' || policy === 'error')) return policy;
  throw new SyntaxError('no journal');
}

function isMoveStep(step: unknown): step is { move: string } {
  const { move } = { ...(step as Partial<{ move: string }>) };
  return typeof move === 'string' && isInside(move);
}

function isFolderStep(step: unknown): step is { folder: MergedFolder } {
  const { folder } = { ...(step as Partial<{ folder: MergedFolder }>) };
  return typeof folder?.path === 'string' && isInside(folder.path) && typeof folder.before?.mode === 'number';
}

function invalidJournal(text: string, path: string): DriveError {
  return new DriveError('local_file', { text, params: { path } });
}

/** False for a path that leads out of the target. No plan has one. */
export function isInside(path: string): boolean {
  return relativePath(path.split(sep).join('/')) !== undefined;
}
