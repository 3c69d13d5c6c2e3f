/** The error of a file of a repository that is damaged or missing. */
import { DriveError, isDriveError } from '../../errors';

/** Why a file can't be used, as users see it. */
type Reason = 'tag' | 'hash' | 'size' | 'JSON' | 'zstd' | 'header' | 'missing' | 'depth' | 'repeated';

/**
 * @param file as in restic's documentation, such as `index/` and its ID, or the ID of a blob.
 * @param reason what is wrong
 */
export function damagedFile(file: string, reason: Reason | `JSON: ${string}`): DriveError {
  return new DriveError('bad_response', { text: 'bad_response_repository_file', params: { file, reason } });
}

/** Whether a file of the repository is damaged or missing. */
export function isDamaged(error: unknown): error is DriveError {
  return isDriveError(error, 'bad_response') && error.text === 'bad_response_repository_file';
}
