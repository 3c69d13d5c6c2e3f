/** Making a file under an id of our own, which can be repeated. */
import { type ErrorCode, isDriveError } from '../errors';
import type { CallOptions, DriveFile } from '../types';
import type { Drive } from './drive';
import { metadata } from './metadata';

/** A 409 says that an earlier try had come through; an answer that can't be read, that this one may have. */
const UNSETTLED: readonly ErrorCode[] = ['conflict', 'bad_response'];

/**
 * Where only the answer was lost, the id of our own tells what came of it: who has to do it again has it twice.
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
    if (id === undefined || !isDriveError(error) || !UNSETTLED.includes(error.code)) throw error;
    return metadata(drive, id, fields, call).catch((missing: unknown) => {
      throw isDriveError(missing, 'not_found') ? error : missing;
    });
  }
}
