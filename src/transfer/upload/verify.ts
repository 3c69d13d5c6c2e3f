/** Verifies that the service has stored what was sent, and undoes an upload that fails. */
import { isDriveError } from '../../errors';
import { checksumAlgorithm, verifyChecksum, verifySize } from '../../drive/checksums';
import { deletePermanently, trash } from '../../drive/delete';
import { getMetadataIfSupported } from '../../drive/metadata';
import type { DriveFile } from '../../types';
import type { SessionAttempt } from './upload-job';

/**
 * Requests the metadata if a custom service has left the size or checksum out of its response. Errors are ignored: the
 * upload has succeeded, and a user who repeated it would get the file twice.
 * @param file the response to the upload
 * @throws `cancelled`
 */
export async function fetchMissingFields(
  { drive, target, call }: SessionAttempt,
  file: DriveFile,
): Promise<DriveFile> {
  const isMissing = file.size === undefined || file.md5Checksum === undefined;
  if (drive.service.can.uploadFields || !isMissing) return file;
  const complete = await getMetadataIfSupported(drive, file.id, target.fields, call).catch(
    (error: unknown) => {
      if (!isDriveError(error) || error.code === 'cancelled') throw error;
      return undefined;
    },
  );
  return { ...complete, ...file };
}

/** @throws `checksum_mismatch` */
export async function verify({ body }: SessionAttempt, file: DriveFile): Promise<void> {
  if (body.length !== undefined) verifySize(file, body.length);
  const algorithm = checksumAlgorithm(file);
  if (algorithm) verifyChecksum(file, algorithm, await body.digest(algorithm));
}

/**
 * Removes the file if this upload has certainly created it. A custom service that chose the id may have treated the
 * upload as new content of an existing file.
 * @returns whether the upload can be repeated without leaving two files
 * @throws `cancelled`
 */
export async function undo(
  { drive, target, resumeState, call }: SessionAttempt,
  file: DriveFile,
): Promise<boolean> {
  if (target.method === 'PATCH') return true;
  if (!drive.service.can.duplicateNames && file.id !== target.id) return false;
  // A user may have edited what an earlier run has created, but not in the hidden app data folder, which has no trash.
  const mayBeEdited = resumeState && 'file' in resumeState && drive.service.space === undefined;
  const remove = mayBeEdited ? trash : deletePermanently;
  try {
    await remove(drive, file.id, call);
    return true;
  } catch (error) {
    if (!isDriveError(error) || error.code === 'cancelled') throw error;
    return false;
  }
}
