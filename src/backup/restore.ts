/** Restores an archive of the drive to a folder on disk. Nothing in it changes before all of the archive was read. */
import { DriveError } from '../errors';
import { CHECKSUM_FIELDS, sizeOf } from '../drive/checksums';
import type { DriveContext } from '../drive/drive-context';
import { withFields } from '../drive/fields';
import type { Semaphore } from '../core/semaphore';
import { downloadToDisk } from '../transfer/download/to-disk';
import { Calendar } from './retention/calendar';
import { createNameMatcher } from '../drive/name-matcher';
import type { CallOptions, DriveFile, OnProgress } from '../types';
import { checkIdentities } from './archive/age';
import { describeArchive, localDay } from './archive-file';
import type { ExtractProgress, ReservedEntries, SkippedEntry } from './entries/extract';
import type { ArchiveIndex } from './archive/archive-index';
import { unpackInThread } from './archive/archive-thread';
import type { ArchiveSecrets, ArchiveSource } from './archive/open-archive';
import { isReplaced, withIndex, writeSelected } from './indexed-archive';
import { createPathMatcher } from '../core/globs/path-globs';
import type { SwapContext } from './restore/interrupted-swaps';
import { type FolderRequest, restoreFolder, stagingIn } from './restore/restore-folder';
import { type ArchiveChoice, selectArchive } from './select-archive';
import type { WorkFolder } from './restore/work-folder';

export interface RestoreRequest extends FolderRequest {
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
  /** The archive is read completely, although it has an index, or the index doesn't match what is restored. */
  onIndexIgnored?: (reason: string) => void;
  /** The archive is read completely, although only some entries are selected: it has no index. */
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
  /** What can't be restored. */
  skipped?: SkippedEntry[];
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
 * @throws `not_found` if no archive or no entry matches, `conflict` for a target that isn't empty, `bad_response` for
 *   an archive that is damaged or isn't safe, `too_large`, `invalid_input` for a wrong passphrase or key, `local_file`,
 *   …
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
  const { file: selected } = await selectArchive(context.drive, query, call);
  const fill = (work: WorkFolder): Promise<Restored> =>
    new ArchiveRestore(context, request, call).run(work, selected);
  const { file, progress, skipped } = await restoreFolder(context.swaps, request, fill, call);
  const { number, time, isComplete } = describeArchive(file, new Calendar(''));
  return {
    path: request.path,
    file,
    number,
    date: time === null ? null : localDay(time),
    ...(!isComplete && { complete: false }),
    ...progress,
    ...(skipped.length > 0 && { skipped }),
  };
}

interface Restored {
  file: DriveFile;
  progress: ExtractProgress;
  skipped: SkippedEntry[];
}

/** Fetches and unpacks an archive. */
class ArchiveRestore {
  /** Whether the warning about the index was shown. */
  private isIndexIgnored = false;

  constructor(
    private readonly context: RestoreContext,
    private readonly request: RestoreRequest,
    private readonly call: CallOptions,
  ) {}

  async run(work: WorkFolder, archive: DriveFile): Promise<Restored> {
    const isSelected = await this.fetchSelected(archive, work);
    const fetched = isSelected
      ? { file: archive, path: work.child('archive') }
      : await this.fetch(archive, work);
    // Without metadata requests, only the list has the name.
    const file = Object.assign({}, archive, fetched.file);
    const source = { path: fetched.path, name: file.name ?? file.id };
    const selected = { ...source, size: sizeOf(file), isPlainTar: true };
    return { file, ...(await this.extract(work, isSelected ? selected : source)) };
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
    const { include, fields, onProgress, onUnindexed } = this.request;
    if (include.length === 0) return false;
    const onIndexIgnored = (reason: string): void => this.warnOfIndex(reason);
    const request = { file, secrets: secretsOf(this.request), fields, onIndexIgnored, onUnindexed };
    const selection = { include, path: work.child('archive'), onProgress };
    const use = (index: ArchiveIndex): Promise<true | undefined> => writeSelected(index, selection);
    const run = (): Promise<true | undefined> => withIndex(drive, request, use, this.call);
    const isFetched = await transfers.run(run, this.call.signal).catch((error: unknown) => {
      // Reading all of it starts with its current content.
      if (isReplaced(error)) return undefined;
      throw error;
    });
    return isFetched ?? false;
  }

  private warnOfIndex(reason: string): void {
    if (!this.isIndexIgnored) this.request.onIndexIgnored?.(reason);
    this.isIndexIgnored = true;
  }

  private async extract(
    work: WorkFolder,
    archive: Omit<PackedSource, 'secrets'>,
  ): Promise<Omit<Restored, 'file'>> {
    const { include, stripTop, maxRatio, minLimit, onEntry, onReserved } = this.request;
    const job = {
      source: { ...archive, secrets: secretsOf(this.request) },
      ...{ include, stripTop },
      ...(await stagingIn(work)),
      limits: { maxRatio, minLimit },
    };
    const { progress, reserved, skipped, indexProblem } = await unpackInThread(job, onEntry, this.call);
    if (indexProblem !== undefined) this.warnOfIndex(indexProblem);
    if (include.length > 0 && progress.entries + skipped.length === 0) throw noEntries(archive.name, include);
    if (reserved.count > 0) onReserved?.(reserved);
    return { progress, skipped };
  }
}

/** @param name of the archive or snapshot */
export function noEntries(name: string, include: readonly string[]): DriveError {
  const params = { name, pattern: include.join(', ') };
  return new DriveError('not_found', { text: 'not_found_entries', params });
}

type PackedSource = Extract<ArchiveSource, { path: string }>;

function secretsOf({ passphrase, identities = [] }: RestoreRequest): ArchiveSecrets {
  return { passphrase, identities };
}
