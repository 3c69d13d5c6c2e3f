/**
 * All moves of a swap, in a file, because they may be too many for memory. It is written as a draft: no move is made until
 * the file has its final name.
 */
import { rename, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
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
  ) {}

  /** @returns undefined without a valid journal. A draft counts for nothing: no move was made then. */
  static async open(work: string): Promise<SwapJournal | undefined> {
    if (!(await hasJournal(work))) return undefined;
    let policy: SwapPolicy = 'error';
    let folderCount = 0;
    for await (const line of readJsonLines(journalIn(work))) {
      const step = line as SwapStep | { policy: SwapPolicy };
      if ('policy' in step) policy = step.policy;
      else if (!isInside('move' in step ? step.move : step.folder.path)) return undefined;
      else if ('folder' in step) folderCount += 1;
    }
    return new SwapJournal(work, policy, folderCount);
  }

  async *moves(): AsyncGenerator<string> {
    for await (const step of this.steps()) if ('move' in step) yield step.move;
  }

  /** Each after the folders in it. */
  async *folders(): AsyncGenerator<MergedFolder> {
    if (this.folderCount === 0) return;
    for await (const step of this.steps()) if ('folder' in step) yield step.folder;
  }

  async remove(): Promise<void> {
    await rm(journalIn(this.work), { force: true });
    await flushToDisk(this.work);
  }

  private steps(): AsyncGenerator<SwapStep> {
    return readJsonLines(journalIn(this.work)) as AsyncGenerator<SwapStep>;
  }
}

/** False for a path that leads out of the target. No plan has one. */
export function isInside(path: string): boolean {
  return relativePath(path.split(sep).join('/')) !== undefined;
}
