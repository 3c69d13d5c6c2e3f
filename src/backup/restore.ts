/** Restores an archive of the drive to a folder on disk. Nothing in the folder changes before all of the archive is read. */
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { DriveError, cancelled } from '../errors';
import { CHECKSUM_FIELDS, sizeOf } from '../api/checksums';
import type { DriveContext } from '../api/drive-context';
import { withFields } from '../api/fields';
import { foldersOnDisk } from '../concurrency/folder-lock';
import type { Semaphore } from '../concurrency/semaphore';
import { downloadToDisk } from '../download/to-disk';
import { isWorkFolderName } from '../disk/work-folder-name';
import { localFileError } from '../disk/local-file-error';
import { Calendar } from '../retention/calendar';
import { createNameMatcher } from '../search/name-matcher';
import type { CallOptions, DriveFile, OnProgress } from '../types';
import { checkIdentities } from '../archive/age';
import { describeArchive, localDay } from './archive-file';
import { exists, flushFileSystem } from '../disk/durable';
import type { ExtractProgress, ReservedEntries } from '../archive/extract';
import type { ArchiveIndex } from '../archive/archive-index';
import type { ArchiveSecrets, ArchiveSource } from '../archive/open-archive';
import { isReplaced, withIndex, writeSelected } from './indexed-archive';
import { createPathMatcher } from '../search/path-globs';
import { type FinishedSwap, type SwapContext, claimOptions, finishSwaps } from '../disk/interrupted-swaps';
import { RestoreTarget } from '../disk/restore-target';
import { type ArchiveChoice, selectArchive } from './select-archive';
import { foldersIn, recoverSwap, stagedIn, swap, targetNotEmpty } from '../disk/swap';
import { type SwapPolicy, hasJournal, prepareRecord } from '../disk/swap-journal';
import { planSwap } from '../disk/swap-plan';
import { unpackInThread } from '../archive/unpack';
import { WorkFolder } from '../disk/work-folder';

export interface RestoreRequest {
  choice: ArchiveChoice;
  /** Ignored for a given file. */
  folderId: string;
  /** As the user gave it, for error messages. */
  folderName: string;
  /** Glob for names of archives. */
  pattern: string;
  /** Whether an archive that is marked incomplete may be chosen by its name, too. */
  allowIncomplete?: boolean;
  /** Metadata fields of the returned file. */
  fields: string;
  /** Absolute path of the folder to restore to; it is created if it is missing. */
  path: string;
  /** `error` refuses a folder that isn't empty; `replace` keeps only what the archive doesn't contain. */
  overwrite: SwapPolicy;
  /** Globs for entries, as in path-globs.ts; none for all entries. */
  include: readonly string[];
  /** Whether the contents of the archive's only top folder are restored directly to `path`. */
  stripTop?: boolean | undefined;
  /** For archives encrypted with a passphrase. */
  passphrase?: string | undefined;
  /** For archives encrypted for public keys: private keys `AGE-SECRET-KEY-1…`. */
  identities?: readonly string[];
  /** How often the archive's size its contents may have; 0 for no limit; default 100, but at least `minLimit`. */
  maxRatio?: number | undefined;
  /** Bytes that every archive may be unpacked to by default; default 1 GiB. */
  minLimit?: number;
  /** While the archive is fetched. */
  onProgress?: OnProgress;
  /** While the archive is unpacked, from time to time, and at the end. */
  onEntry?: (progress: ExtractProgress) => void;
  /**
   * While the swap of a killed run is completed, or a failed one is undone, with the new paths of what was created in the
   * meantime where another entry belongs.
   */
  onMovedAside?: (paths: string[]) => void;
  /** The archive is read completely, although it has an index. */
  onIndexIgnored?: (reason: string) => void;
  /** The archive is read completely, although only some entries are selected. */
  onUnindexed?: () => void;
  /** With the entries of the archive that aren't restored, because their names are reserved for work files. */
  onReserved?: (entries: ReservedEntries) => void;
}

export interface RestoreResult extends ExtractProgress {
  /** Of the folder. */
  path: string;
  /** The archive. */
  file: DriveFile;
  /** In the archive's name. */
  number: number | null;
  /** `2026-11-22`, the day in the archive's name, or the day when it was created. */
  date: string | null;
  /** Of an incomplete archive. */
  complete?: false;
}

export interface RestoreContext {
  drive: DriveContext;
  transfers: Semaphore;
  swaps: SwapContext;
}

/** Checks what can be checked without a request. @throws `invalid_input` for a malformed glob or private key */
export function checkRestore(request: Pick<RestoreRequest, 'include' | 'pattern' | 'identities'>): void {
  createPathMatcher(request.include, 'include');
  createNameMatcher({ match: 'glob', text: request.pattern, caseSensitive: true });
  checkIdentities(request.identities ?? []);
}

/**
 * @throws `not_found` if no archive or no entry matches, `conflict` for a target that isn't empty, `bad_response` for an
 *   archive that is damaged or isn't safe, `too_large`, `invalid_input` for a wrong passphrase or key, `local_file`, …
 */
export async function restore(
  context: RestoreContext,
  request: RestoreRequest,
  call: CallOptions,
): Promise<RestoreResult> {
  checkRestore(request);
  const { choice, folderId, folderName, pattern, allowIncomplete } = request;
  // For a few entries, ranges may be read without another request for the metadata.
  const fields = request.include.length > 0 ? withFields(request.fields, CHECKSUM_FIELDS) : 'id';
  const query = { choice, folderId, folderName, pattern, allowIncomplete, fields };
  const { file } = await selectArchive(context.drive, query, call);
  const { path } = await RestoreTarget.resolve(request.path);
  const completed: string[] = [];
  const onFinished = (finished: FinishedSwap): void => {
    const { isComplete, movedAside, target } = finished;
    if (isComplete) completed.push(target);
    context.swaps.onFinished?.({ ...finished, movedAside: [] });
    if (movedAside.length > 0) request.onMovedAside?.(movedAside);
  };
  const swaps = { ...context.swaps, onFinished };
  // Its own one, if there is any, would be completed below, but those in nested folders need their own locks.
  await finishSwaps(swaps, path, call);
  const run = async (): Promise<RestoreResult> => {
    // Again: earlier work may have created or removed its parents.
    const target = await RestoreTarget.resolve(request.path);
    try {
      await target.createParents();
      return await new Restore({ ...context, swaps }, request, target.path, call).run(file);
    } catch (error) {
      await target.removeEmptyParents();
      if (isNotEmpty(error) && completed.includes(target.path)) throw completedBefore(request.path);
      throw localFileError(error, request.path);
    }
  };
  return foldersOnDisk.run(path, run, call);
}

/** One run. */
class Restore {
  /** Whether the record of the target is that of a work folder which this run has created or claimed. */
  private ownsRecord = false;

  constructor(
    private readonly context: RestoreContext,
    private readonly request: RestoreRequest,
    private readonly target: string,
    private readonly call: CallOptions,
  ) {}

  async run(archive: DriveFile): Promise<RestoreResult> {
    const { target } = this;
    const { swaps } = this.context;
    const recover = async ({ ownPath }: WorkFolder): Promise<void> => {
      this.ownsRecord = true;
      const outcome = await recoverSwap({ target, work: ownPath }, swaps.records);
      if (outcome) swaps.onFinished?.({ target, ...outcome });
    };
    const work = await WorkFolder.open(target, recover, claimOptions(swaps, target, this.call));
    const { file, progress } = await this.fetchAndReplace(work, archive);
    // The next run needs the record of what stays.
    if (await work.remove()) await swaps.records.delete(target);
    const { number, time, isComplete } = describeArchive(file, new Calendar(''));
    return {
      path: this.request.path,
      file,
      number,
      date: time === null ? null : localDay(time),
      ...(!isComplete && { complete: false }),
      ...progress,
    };
  }

  private async fetchAndReplace(
    work: WorkFolder,
    archive: DriveFile,
  ): Promise<{ file: DriveFile; progress: ExtractProgress }> {
    try {
      await this.checkTarget();
      const isSelected = await this.fetchSelected(archive, work);
      const fetched = isSelected
        ? { file: archive, path: work.child('archive') }
        : await this.fetch(archive, work);
      // Without metadata requests, only the list has the name.
      const file = Object.assign({}, archive, fetched.file);
      const source = { path: fetched.path, name: file.name ?? file.id };
      const selected = { ...source, size: sizeOf(file), isPlainTar: true };
      return { file, progress: await this.replaceTarget(work, isSelected ? selected : source) };
    } catch (error) {
      await this.leave(work);
      throw error;
    }
  }

  /** After a failure. */
  private async leave(work: WorkFolder): Promise<void> {
    if (await hasJournal(work.ownPath)) return work.close();
    const isCleared = await work.clear().then(
      () => true,
      () => false,
    );
    if (!isCleared || (await work.parts()).length > 0) await work.close();
    else await work.remove();
    // The next run needs the record of what stays. Without a folder that belongs to it, its disk may not be mounted.
    if (isCleared && this.ownsRecord) await this.context.swaps.records.delete(this.target);
  }

  /** @throws `conflict` */
  private async checkTarget(): Promise<void> {
    if (this.request.overwrite === 'replace' || !(await exists(this.target))) return;
    const names = await readdir(this.target);
    if (names.some((name) => !isWorkFolderName(name))) throw targetNotEmpty(this.request.path);
  }

  /** If the download fails, its part file stays in the work folder, and the next run resumes it. */
  private fetch(archive: DriveFile, work: WorkFolder): Promise<{ file: DriveFile; path: string }> {
    const { drive, transfers } = this.context;
    const { fields, onProgress } = this.request;
    const download = {
      id: archive.id,
      fields: [fields, 'name,createdTime,modifiedTime'].join(),
      acknowledgeAbuse: false,
      path: work.child('archive'),
      overwrite: 'replace',
      onProgress,
    } as const;
    return transfers.run(() => downloadToDisk(drive, download, this.call), this.call.signal);
  }

  /** Fetches only what was selected, if the archive has an index. */
  private async fetchSelected(file: DriveFile, work: WorkFolder): Promise<boolean> {
    const { drive, transfers } = this.context;
    const { include, fields, onProgress, onIndexIgnored, onUnindexed } = this.request;
    if (include.length === 0) return false;
    const request = { file, secrets: secretsOf(this.request), fields, onIndexIgnored };
    const selection = { include, path: work.child('archive'), onProgress };
    const use = (index: ArchiveIndex): Promise<true | undefined> => writeSelected(index, selection);
    const run = (): Promise<true | undefined> => withIndex(drive, request, use, this.call);
    const isFetched = await transfers.run(run, this.call.signal).catch((error: unknown) => {
      // Reading all of it starts with its current content.
      if (isReplaced(error)) return undefined;
      throw error;
    });
    if (!isFetched) onUnindexed?.();
    return isFetched ?? false;
  }

  private async replaceTarget(
    work: WorkFolder,
    archive: Omit<PackedSource, 'secrets'>,
  ): Promise<ExtractProgress> {
    const traits = await findTraits(work);
    const progress = await this.extract(work, archive, traits);
    await flushFileSystem(work.path, this.call.signal);
    const places = { target: this.target, work: work.ownPath };
    this.ownsRecord = true;
    await prepareRecord(places, this.context.swaps.records);
    await planSwap({ ...places, policy: this.request.overwrite, isIgnored: isWorkFolderName });
    if (this.call.signal?.aborted) throw cancelled();
    await this.checkTarget();
    await swap(places, this.context.swaps.records, this.request.onMovedAside);
    return progress;
  }

  private async extract(
    work: WorkFolder,
    archive: Omit<PackedSource, 'secrets'>,
    traits: DiskTraits,
  ): Promise<ExtractProgress> {
    const { include, stripTop, maxRatio, minLimit, onEntry, onReserved } = this.request;
    const staged = stagedIn(work.ownPath);
    await mkdir(staged);
    const job = {
      source: { ...archive, secrets: secretsOf(this.request) },
      places: {
        ...{ staged, folders: foldersIn(work.ownPath) },
        ...{ links: work.child('links'), unselected: work.child('unselected') },
      },
      ...{ include, stripTop },
      ...traits,
      limits: { maxRatio, minLimit },
    };
    const { progress, reserved } = await unpackInThread(job, onEntry, this.call);
    if (include.length > 0 && progress.entries === 0) {
      const params = { name: archive.name, pattern: include.join(', ') };
      throw new DriveError('not_found', { text: 'not_found_entries', params });
    }
    if (reserved.count > 0) onReserved?.(reserved);
    return progress;
  }
}

type PackedSource = Extract<ArchiveSource, { path: string }>;

function secretsOf({ passphrase, identities = [] }: RestoreRequest): ArchiveSecrets {
  return { passphrase, identities };
}

function isNotEmpty(error: unknown): boolean {
  return error instanceof DriveError && error.text === 'conflict_target_not_empty';
}

function completedBefore(path: string): DriveError {
  return new DriveError('conflict', { text: 'conflict_target_completed', params: { path } });
}

interface DiskTraits {
  isCaseSensitive: boolean;
  /** See {@link ExtractOptions}. */
  creationMode: number;
}

/** Finds out what the disk and the process do with names and modes. */
async function findTraits(work: WorkFolder): Promise<DiskTraits> {
  await writeFile(work.child('case'), '', { mode: 0o777 });
  const { mode } = await stat(work.child('case'));
  return { isCaseSensitive: !(await exists(work.child('CASE'))), creationMode: mode & 0o777 };
}
