/**
 * All moves of a swap, in a file, because they may be too many for memory. It is written as a draft: no move is made
 * until the file has its final name. Anyone could put such a file into a folder, with an archive for example, so a
 * journal only counts if there is a record of it: see {@link SwapRecords}. After a `kill -9`: interrupted-swaps.ts.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { lstat, realpath, rename, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { DriveError, type TextWith } from '../../errors';
import { exists, flushToDisk } from '../../fs/durable';
import { relativePath } from '../../fs/safe-name';
import type { FolderAttributes } from '../entries/extract';
import { JsonLinesWriter, readJsonLines } from '../../fs/json-lines';

export interface SwapPlaces {
  /** Absolute, without symbolic links. */
  target: string;
  /** The work folder, on the target's file system. */
  work: string;
}

/** Replaces what is in the target, or accepts only new names. */
export type SwapPolicy = 'replace' | 'error';

/** A folder that stays in the target and gets new entries. */
export interface MergedFolder {
  /** Relative; `''` for the target. */
  path: string;
  before: FolderAttributes;
}

/**
 * A file, link or folder to move from the staged tree to the target (`''` for the whole tree), or a folder that stays.
 */
export type SwapStep = { move: string } | { folder: MergedFolder };

/**
 * Digests of the journals of unfinished swaps, by target. They are stored where restores don't write. A swap that was
 * finished may have a record, too, until its work folder is removed. A Map keeps them in memory only.
 */
export interface SwapRecords {
  /** For {@link proofOf}: no other user knows it. By default, it is that of this process. */
  secret?: () => string | Promise<string>;
  get(target: string): string | undefined;
  keys(): Iterable<string>;
  set(target: string, digest: string): unknown;
  delete(target: string): unknown;
}

/** Instead of a digest, which it never equals. */
const NO_JOURNAL = '';
const VERSION = 3;
/** Bytes that make each journal different, so that nobody can guess what its digest belongs to. */
const NONCE = 16;
const PROCESS_SECRET = randomBytes(32).toString('hex');

/** Where the old content is during a swap. */
function asideIn(work: string): string {
  return join(work, 'old');
}

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

/** False for a work folder in which a restore has only prepared something, such as a part of the archive. */
export async function hasMoves(work: string): Promise<boolean> {
  return (await hasJournal(work)) || (await exists(asideIn(work)));
}

/** Creates the draft of a journal, for lines of {@link SwapStep}. It has to be flushed to disk when it is closed. */
export async function createDraft(work: string, policy: SwapPolicy): Promise<JsonLinesWriter> {
  const draft = await JsonLinesWriter.create(draftIn(work));
  await draft.add({ version: VERSION, policy, nonce: randomBytes(NONCE).toString('hex') });
  return draft;
}

/**
 * Call it before the swap is planned: the records may be a new file in the target, and a plan that doesn't know it
 * could move it aside.
 */
export async function prepareRecord({ target }: SwapPlaces, records: SwapRecords): Promise<void> {
  await records.set(target, NO_JOURNAL);
}

/** Stores the record of the draft, and gives it its final name. */
export async function commitJournal({ target, work }: SwapPlaces, records: SwapRecords): Promise<void> {
  await records.set(target, await fileDigest(draftIn(work)));
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
  static async commit(places: SwapPlaces, records: SwapRecords): Promise<SwapJournal> {
    const { work } = places;
    const journal = await SwapJournal.read(work, draftIn(work));
    if (!journal) throw await invalidJournal('local_file_restore_plan', work);
    await commitJournal(places, records);
    return journal;
  }

  /**
   * @returns undefined without a journal. A draft counts for nothing: no move was made then.
   * @throws as {@link checkJournal}: what an invalid journal says is unknown, and the work folder may contain old
   *   content
   */
  static async open(places: SwapPlaces, records: SwapRecords): Promise<SwapJournal | undefined> {
    const { work } = places;
    if (!(await checkJournal(places, records))) return undefined;
    const journal = await SwapJournal.read(work, journalIn(work));
    if (!journal) throw await invalidJournal('local_file_restore_journal', work);
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

/** Shows in a work folder of the target that it was made by a process with these records. */
export async function proofOf(target: string, records: SwapRecords): Promise<string> {
  return createHmac('sha256', (await records.secret?.()) ?? PROCESS_SECRET)
    .update(target)
    .digest('hex');
}

/**
 * Without a journal, old content is what a finished swap has left, if there is a record of it.
 * @returns whether there is a journal, which is the recorded one
 * @throws `local_file` for a work folder whose journal isn't the recorded one, or with old content that has no record
 */
export async function checkJournal({ target, work }: SwapPlaces, records: SwapRecords): Promise<boolean> {
  const digest = records.get(target);
  if (digest === undefined && (await hasMoves(work)))
    throw await invalidJournal('local_file_restore_unknown', work);
  if (!(await hasJournal(work))) return false;
  if ((await fileDigest(journalIn(work))) === digest) return true;
  throw await invalidJournal('local_file_restore_journal', work);
}

async function fileDigest(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** @throws {@link SyntaxError} for anything but the first line of a journal */
function policyOf(line: unknown): SwapPolicy {
  const { version, policy } = { ...(line as Partial<{ version: number; policy: SwapPolicy }>) };
  if (version === VERSION && (policy === 'replace' || policy === 'error')) return policy;
  throw new SyntaxError('no journal');
}

function isMoveStep(step: unknown): step is { move: string } {
  const { move } = { ...(step as Partial<{ move: string }>) };
  return typeof move === 'string' && isInTarget(move);
}

function isFolderStep(step: unknown): step is { folder: MergedFolder } {
  const { folder } = { ...(step as Partial<{ folder: MergedFolder }>) };
  return (
    typeof folder?.path === 'string' && isInTarget(folder.path) && typeof folder.before?.mode === 'number'
  );
}

async function invalidJournal(text: TextWith<'path'>, work: string): Promise<DriveError> {
  const path = await realpath(work);
  return new DriveError('local_file', { text, params: { path } });
}

/** False for a path that leads out of the target. No plan has one. */
export function isInTarget(path: string): boolean {
  return relativePath(path.split(sep).join('/')) !== undefined;
}
