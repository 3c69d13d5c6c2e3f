/**
 * Downloads a file into a part file beside its target, which is renamed once its checksum is verified. A later download
 * resumes: {@link PartFile.open} finds the part of the same content, and {@link fetchContent} requests the rest.
 */
import type { DriveContext } from '../../drive/drive-context';
import { type ErrorCode, isDriveError } from '../../errors';
import type { BudgetedCall } from '../../http/retry';
import type { DriveFile } from '../../types';
import { fetchContent } from './fetch-content';
import { PartFile, type PartTarget } from './part-file';
import type { DownloadRequest, DownloadFile } from './download-file';

export interface PartDownload<T> {
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
