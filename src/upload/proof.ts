/** That what the service holds is what was sent. */
import { isDriveError } from '../errors';
import { type Algorithm, PROOF_FIELDS, algorithmFor, compareChecksum, compareSize } from '../files/checksums';
import { deleteForEver } from '../files/delete';
import { withFields } from '../files/file-fields';
import { metadataIfKnown } from '../files/metadata';
import type { DriveFile } from '../types';
import type { Sending } from './destination';

/**
 * Which checksums the service gives, learnt from its answers: hashing is what bounds a transfer, so only what will be
 * compared is computed. Until it is known, both are.
 */
export class GivenChecksums {
  private given: readonly Algorithm[] = ['sha256', 'md5'];

  get algorithms(): readonly Algorithm[] {
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
export async function completed({ drive, destination, call }: Sending, file: DriveFile): Promise<DriveFile> {
  const fields = withFields(destination.fields, PROOF_FIELDS);
  const isMissing = PROOF_FIELDS.slice(0, 2).some((name) => file[name] === undefined);
  if (drive.service.kind !== 'custom' || !isMissing) return file;
  const more = await metadataIfKnown(drive, file.id, fields, call).catch((error: unknown) => {
    // If it failed the upload, whoever repeats that would have the file twice.
    if (!isDriveError(error) || error.code === 'cancelled') throw error;
    return undefined;
  });
  return { ...more, ...file };
}

/** @throws `checksum_mismatch`; a file that this upload has created is removed again */
export async function prove(sending: Sending, file: DriveFile): Promise<void> {
  const { drive, destination, content, call } = sending;
  try {
    compareSize(file, content.length);
    const algorithm = algorithmFor(file);
    if (algorithm) compareChecksum(file, algorithm, await content.digest(algorithm));
  } catch (error) {
    const isOurs = destination.method === 'POST' && drive.service.kind === 'google';
    if (isOurs && isDriveError(error, 'checksum_mismatch')) {
      await deleteForEver(drive, file.id, call).catch(() => undefined);
    }
    throw error;
  }
}
