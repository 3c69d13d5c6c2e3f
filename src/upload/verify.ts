/** That what the service holds is what was sent. */
import { isDriveError } from '../errors';
import {
  type ChecksumAlgorithm,
  CHECKSUM_FIELDS,
  algorithmFor,
  verifyChecksum,
  verifySize,
} from '../api/checksums';
import { deletePermanently } from '../api/delete';
import { withFields } from '../api/fields';
import { getMetadataIfSupported } from '../api/metadata';
import type { DriveFile } from '../types';
import type { UploadJob } from './upload-job';

/**
 * Which checksums the service gives, learnt from its answers: hashing is what bounds a transfer, so only what will be
 * compared is computed. Until it is known, both are.
 */
export class GivenChecksums {
  private given: readonly ChecksumAlgorithm[] = ['sha256', 'md5'];

  get algorithms(): readonly ChecksumAlgorithm[] {
    return this.given;
  }

  learn(file: DriveFile): void {
    const algorithm = algorithmFor(file);
    if (algorithm) this.given = [algorithm];
  }
}

/**
 * @param file the service's answer, with what it chose to answer
 * @returns the file with all the fields that can be had; the upload has succeeded, whether they can or not
 * @throws `cancelled`
 */
export async function fetchMissingFields(
  { drive, destination, call }: UploadJob,
  file: DriveFile,
): Promise<DriveFile> {
  const fields = withFields(destination.fields, CHECKSUM_FIELDS);
  const isMissing = CHECKSUM_FIELDS.slice(0, 2).some((name) => file[name] === undefined);
  if (drive.service.kind !== 'custom' || !isMissing) return file;
  const more = await getMetadataIfSupported(drive, file.id, fields, call).catch((error: unknown) => {
    // If it failed the upload, whoever repeats that would have the file twice.
    if (!isDriveError(error) || error.code === 'cancelled') throw error;
    return undefined;
  });
  return { ...more, ...file };
}

/** @throws `checksum_mismatch` */
export async function verify({ content }: UploadJob, file: DriveFile): Promise<void> {
  verifySize(file, content.length);
  const algorithm = algorithmFor(file);
  if (algorithm) verifyChecksum(file, algorithm, await content.digest(algorithm));
}

/**
 * Removes a file that this upload has created, for sure: a custom service that chose the id may have taken the upload
 * for new content of a file that was there.
 * @returns whether the drive is as it was, or the same upload would make it right
 * @throws `cancelled`
 */
export async function undo({ drive, destination, call }: UploadJob, file: DriveFile): Promise<boolean> {
  if (destination.method === 'PATCH') return true;
  if (drive.service.kind === 'custom' && file.id !== destination.id) return false;
  try {
    await deletePermanently(drive, file.id, call);
    return true;
  } catch (error) {
    if (!isDriveError(error) || error.code === 'cancelled') throw error;
    return false;
  }
}
