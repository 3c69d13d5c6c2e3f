/** Making a file under an id of our own, which can be repeated. */
import { isDriveError } from '../errors';
import type { CallOptions, DriveFile } from '../types';
import type { Drive } from './drive';
import { metadata } from './metadata';

/**
 * A 409 to an id of our own says that an earlier try had come through and only its answer was lost.
 * @param file its id, undefined where the service gives the id; and the fields to ask for
 * @returns what `make` returns, or the file that is there already
 * @throws what `make` throws, also `conflict` where no file is behind the id
 */
export async function madeOnce(
  drive: Drive,
  { id, fields }: { id: string | undefined; fields: string },
  make: () => Promise<DriveFile>,
  call: CallOptions,
): Promise<DriveFile> {
  try {
    return await make();
  } catch (error) {
    if (id === undefined || !isDriveError(error, 'conflict')) throw error;
    return metadata(drive, id, fields, call).catch((missing: unknown) => {
      throw isDriveError(missing, 'not_found') ? error : missing;
    });
  }
}
