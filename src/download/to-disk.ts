/** Downloads a file to disk: into a part file beside the target, which is renamed once its checksum is verified. */
import { extname } from 'node:path';
import { type ErrorCode, isDriveError } from '../errors';
import type { DriveContext } from '../api/drive-context';
import type { CallOptions, DriveFile } from '../types';
import { type OverwritePolicy, checkExisting, commit } from '../disk/commit';
import { type DownloadTarget, resolveTarget } from '../disk/download-target';
import { fetchContent } from './fetch-content';
import { PartFile } from './part-file';
import { type DownloadRequest, getRemoteFile } from './remote-file';
import { isReservedName } from '../disk/reserved-names';
import { safeName } from '../disk/safe-name';
import { exportName } from './workspace-export';

export interface DiskDownload extends DownloadRequest {
  /** Absolute. In an existing folder, or if it ends in a separator, the file keeps its own name, made safe. */
  path: string;
  overwrite: OverwritePolicy;
}

export interface TargetDownload extends DownloadRequest {
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
  const target = await resolveTarget(request.path);
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
  const remote = await getRemoteFile(drive, download, budgeted);
  const nameOf = (file: DriveFile): string => target.name ?? nameOnDisk(ownName(file, remote.exportMimeType));
  const named = { ...target, name: nameOf(remote.file) };
  const isNameFinal = target.name !== undefined || remote.hasMetadata;
  if (isNameFinal) await checkExisting(named, overwrite);
  const { partNames } = request;
  const options = { clock: drive.clock, signal: call.signal, partNames };
  const part = await PartFile.open({ ...named, folder: target.pinned.path }, remote, options);
  // Reading a large part takes time, but no retries.
  if (part.position > 0) budgeted.budget.restart();
  try {
    const file = await fetchContent(drive, download, { remote, destination: part }, budgeted);
    const partPath = await part.flushAndClose(call.signal);
    const final = { ...target, name: nameOf(file) };
    await request.beforeCommit?.(partPath);
    const path = await commit(partPath, final, overwrite);
    await part.removeOrphans();
    return { file, path };
  } catch (error) {
    if (isResumable(error)) await part.closeForResume();
    throw error;
  } finally {
    await part.discard();
  }
}

/** A later run would take a file with a reserved name for its own. */
function nameOnDisk(name: string): string {
  const safe = safeName(name);
  return isReservedName(safe) ? safeName(`_${safe}`) : safe;
}

function ownName({ name, id }: DriveFile, exportMimeType: string | undefined): string {
  return exportMimeType === undefined ? (name ?? id) : exportName(name ?? id, exportMimeType);
}

/** Errors after which the part file is of no use: resuming would fail the same way, or the disk needs the space. */
const FINAL_ERRORS: readonly ErrorCode[] = [
  'not_found',
  'not_downloadable',
  'checksum_mismatch',
  'conflict',
  'local_file',
];

function isResumable(error: unknown): boolean {
  return isDriveError(error) && !FINAL_ERRORS.includes(error.code);
}
