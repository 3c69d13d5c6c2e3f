/** Reads the index of an archive, and what it leads to, as long as the archive stays the same. */
import { open, rm } from 'node:fs/promises';
import { checksumAlgorithm, sizeOf } from '../drive/checksums';
import type { DriveContext } from '../drive/drive-context';
import { relativePath } from '../fs/safe-name';
import { type DownloadFile, getDownloadFile, isSameContent } from '../transfer/download/download-file';
import { DriveError, isDriveError } from '../errors';
import type { CallOptions, DriveFile, OnProgress } from '../types';
import { type ArchiveIndex, type EntryRun, IndexError } from './archive/archive-index';
import { BLOCK_SIZE, type PlacedEntry } from './archive/index-format';
import type { ArchiveSecrets } from './archive/open-archive';
import { createPathMatcher } from '../core/globs/path-globs';
import { openIndex } from './archive-ranges';

export interface IndexedRequest {
  file: DriveFile;
  secrets: ArchiveSecrets;
  /** Metadata fields of the file. */
  fields: string;
  /** The index can't be used. */
  onIndexIgnored: ((reason: string) => void) | undefined;
  /** There is no index. */
  onUnindexed?: (() => void) | undefined;
}

/**
 * @param use what it returns may be undefined if reading all of the archive is better
 * @returns undefined for an archive without an index, or with one that can't be used
 * @throws `conflict` if the archive is replaced meanwhile
 */
export async function withIndex<T>(
  drive: DriveContext,
  { file, secrets, fields, onIndexIgnored, onUnindexed }: IndexedRequest,
  use: (index: ArchiveIndex) => Promise<T | undefined>,
  call: CallOptions,
): Promise<T | undefined> {
  const checkUnchanged = (): Promise<void> =>
    rejectReplaced(drive, { remote: toDownloadFile(file), fields }, call);
  try {
    const index = await openIndex(drive, file, secrets, call);
    if (!index) {
      onUnindexed?.();
      return undefined;
    }
    const result = await use(index);
    if (result !== undefined) await checkUnchanged();
    return result;
  } catch (error) {
    const isIndexError = error instanceof IndexError;
    if (!isIndexError && !isDriveError(error, 'bad_response')) throw error;
    await checkUnchanged();
    // If not the index but the archive is damaged, the error of reading all of it says where.
    onIndexIgnored?.(isIndexError ? error.message : error.code);
    return undefined;
  }
}

function toDownloadFile(file: DriveFile): DownloadFile {
  return { file, hasMetadata: true, size: sizeOf(file), algorithm: checksumAlgorithm(file) };
}

/** @throws `conflict` if the archive has other content now */
export async function rejectReplaced(
  drive: DriveContext,
  { remote, fields }: { remote: DownloadFile; fields: string },
  call: CallOptions,
): Promise<void> {
  if (!remote.hasMetadata) return;
  const { id, name = id } = remote.file;
  const now = await getDownloadFile(drive, { id, fields, acknowledgeAbuse: false }, call);
  if (now.hasMetadata && !isSameContent(remote, now)) throw archiveReplaced(name);
}

export function archiveReplaced(name: string): DriveError {
  return new DriveError('conflict', { text: 'conflict_archive_replaced', params: { name } });
}

export function isReplaced(error: unknown): boolean {
  return isDriveError(error) && error.text === 'conflict_archive_replaced';
}

/** With more, reading all of the archive takes hardly longer. */
const LIMITS = { entries: 20_000, runs: 200, share: 0.5, names: 16 * 1024 * 1024 };
/** Blocks between two entries that are read rather than requesting the second one on its own. */
const MAX_GAP = 2;
/** How often hard links to hard links are followed. */
const MAX_LINKS = 8;

interface SelectedRequest {
  include: readonly string[];
  /** Of the file to write. */
  path: string;
  onProgress: OnProgress | undefined;
}

/**
 * Writes a tar on disk with the selected entries, and the files that hard links among them refer to.
 * @returns undefined if reading all of the archive is better
 */
export async function writeSelected(
  index: ArchiveIndex,
  { include, path, onProgress }: SelectedRequest,
): Promise<true | undefined> {
  const runs = await findRuns(index, include);
  if (!runs) return undefined;
  const entries = runs.flatMap((run) => run.entries);
  const total = entries.reduce((sum, { start, end }) => sum + end - start, 0);
  const file = await open(path, 'wx', 0o600);
  try {
    let written = 0;
    const write = async (bytes: Buffer): Promise<void> => {
      await file.appendFile(bytes);
      onProgress?.((written += bytes.length), total, 0);
    };
    for (const run of runs) await index.readRun(run, write);
    await file.appendFile(Buffer.alloc(1_024));
    return true;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function findRuns(index: ArchiveIndex, include: readonly string[]): Promise<EntryRun[] | undefined> {
  const isIncluded = createPathMatcher(include);
  /** What hard links refer to. */
  const targets = new Set<string>();
  for (let pass = 0; pass <= MAX_LINKS; pass++) {
    const before = targets.size;
    const selected: PlacedEntry[] = [];
    let names = 0;
    for await (const entries of index.entries()) {
      for (const entry of entries) {
        if (!isIncluded(entry.path, entry.type === 'folder') && !targets.has(entry.path)) continue;
        selected.push(entry);
        names += entry.path.length + entry.target.length;
        if (entry.type === 'link') targets.add(relativePath(entry.target) ?? entry.target);
      }
      if (selected.length > LIMITS.entries || names > LIMITS.names) return undefined;
    }
    if (targets.size === before) return toRuns(index, selected);
  }
  return undefined;
}

function toRuns(index: ArchiveIndex, selected: readonly PlacedEntry[]): EntryRun[] | undefined {
  const runs: PlacedEntry[][] = [];
  for (const entry of selected) {
    const [last] = runs.at(-1)?.slice(-1) ?? [];
    const isNear = last && entry.start - last.end <= MAX_GAP * BLOCK_SIZE;
    if (isNear) runs.at(-1)?.push(entry);
    else runs.push([entry]);
  }
  const found = runs.map((entries) => ({ entries }));
  const bytes = found.map((run) => index.rangeOf(run)).reduce((sum, { start, end }) => sum + end - start, 0);
  return runs.length > LIMITS.runs || bytes > index.size * LIMITS.share ? undefined : found;
}
