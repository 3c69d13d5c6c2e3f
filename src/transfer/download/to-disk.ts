/**
 * Downloads a file to disk: into a part file beside the target, which is renamed once its checksum is verified. After
 * an error the part stays for the next download, unless that can't help, as with a full disk.
 */
import { extname } from 'node:path';
import type { DriveContext } from '../../drive/drive-context';
import type { CallOptions, DriveFile } from '../../types';
import { type OverwritePolicy, checkExisting, commit, type DownloadTarget, openTarget } from './commit';
import { type DownloadRequest, getDownloadFile, type DownloadFile } from './download-file';
import { isReservedName } from '../../fs/reserved-names';
import { safeName } from '../../fs/safe-name';
import { exportName } from './workspace-export';
import { type ErrorCode, isDriveError } from '../../errors';
import type { BudgetedCall } from '../../http/retry';
import { fetchContent } from './fetch-content';
import { PartFile, type PartTarget } from './part-file';

export interface DiskDownload extends DownloadRequest {
  /** Absolute. In an existing folder, or if it ends in a separator, the file keeps its own name, made safe. */
  path: string;
  overwrite: OverwritePolicy;
}

interface TargetDownload extends DownloadRequest {
  target: DownloadTarget;
  overwrite: OverwritePolicy;
  /** Names of the target's part files, if a listing of its folder is known. */
  partNames?: readonly string[] | undefined;
  /** Called once the content is complete and verified. @throws to keep what is at the path */
  beforeCommit?: (partPath: string) => Promise<void>;
}

/**
 * Resumes an interrupted download of the same content to the same path.
 * @returns the metadata and the path that was written
 * @throws `local_file`, `conflict` (overwrite `error`), `not_downloadable`, `checksum_mismatch`, `not_found`, …
 */
export async function downloadToDisk(
  drive: DriveContext,
  request: DiskDownload,
  call: CallOptions,
): Promise<{ file: DriveFile; path: string }> {
  const target = await openTarget(request.path);
  try {
    return await downloadToTarget(drive, { ...request, target }, call);
  } finally {
    await target.pinned.close();
  }
}

/** As {@link downloadToDisk}. */
export async function downloadToTarget(
  drive: DriveContext,
  request: TargetDownload,
  call: CallOptions,
): Promise<{ file: DriveFile; path: string }> {
  const { overwrite, target } = request;
  // Without an explicit format, a Workspace document is exported to the format of the path's extension.
  const exportFormat = request.exportFormat || extname(target.name ?? '');
  const download = { ...request, exportFormat };
  const budgeted = drive.engine.withRetryBudget(call);
  const remote = await getDownloadFile(drive, download, budgeted);
  const nameOf = (file: DriveFile): string => target.name ?? nameOnDisk(ownName(file, remote.exportMimeType));
  const named = { ...target, name: nameOf(remote.file) };
  const isNameFinal = target.name !== undefined || remote.hasMetadata;
  if (isNameFinal) await checkExisting(named, overwrite);
  const part = {
    target: { ...named, folder: target.pinned.path, replaces: overwrite === 'replace' },
    remote,
    partNames: request.partNames,
    commit: async (partPath: string, file: DriveFile) => {
      await request.beforeCommit?.(partPath);
      return { file, path: await commit(partPath, { ...target, name: nameOf(file) }, overwrite) };
    },
  };
  return downloadPart(drive, download, part, budgeted);
}

/** A later run would take a file with a reserved name for its own. */
function nameOnDisk(name: string): string {
  const safe = safeName(name);
  return isReservedName(safe) ? safeName(`_${safe}`) : safe;
}

function ownName({ name, id }: DriveFile, exportMimeType: string | undefined): string {
  return exportMimeType === undefined ? (name ?? id) : exportName(name ?? id, exportMimeType);
}

interface PartDownload<T> {
  target: PartTarget;
  remote: DownloadFile;
  /** Names of the target's part files, if a listing of its folder is known. */
  partNames?: readonly string[] | undefined;
  /** Renames the part file, which is complete, verified and on disk. */
  commit: (partPath: string, file: DriveFile) => Promise<T>;
}

/** Resumes an interrupted download of the same content to the same target. @returns the result of `commit` */
export async function downloadPart<T>(
  drive: DriveContext,
  request: DownloadRequest,
  { target, remote, partNames, commit }: PartDownload<T>,
  call: BudgetedCall,
): Promise<T> {
  const part = await PartFile.open(target, remote, { clock: drive.clock, signal: call.signal, partNames });
  // Reading a large part takes time, but no retries.
  if (part.position > 0) call.budget.restart();
  try {
    const file = await fetchContent(drive, request, { remote, destination: part }, call);
    const result = await commit(await part.flushAndClose(call.signal), file);
    await part.removeOrphans();
    return result;
  } catch (error) {
    if (isResumable(error)) await part.closeForResume();
    throw error;
  } finally {
    await part.discard();
  }
}

/** Errors after which the part file is of no use: resuming would fail the same way, or the disk needs the space. */
const FINAL_ERRORS: readonly ErrorCode[] = [
  'not_found',
  'not_downloadable',
  'checksum_mismatch',
  'conflict',
  'local_file', // such as a full disk
];

function isResumable(error: unknown): boolean {
  return isDriveError(error) && !FINAL_ERRORS.includes(error.code);
}
