/** Errors of files on this machine, such as a full disk. https://nodejs.org/api/errors.html#common-system-errors */
import { DriveError, type TextWith, errorCode } from '../errors';

/** Text keys by file system error code. */
type FileTexts = Readonly<Record<string, TextWith<'path' | 'reason'>>>;

const LOCAL_FILE_TEXTS: FileTexts = {
  ENOENT: 'local_file_missing',
  EACCES: 'local_file_denied',
  EPERM: 'local_file_denied',
  ENOSPC: 'local_file_full',
  EDQUOT: 'local_file_full',
  EFBIG: 'local_file_too_large',
  EROFS: 'local_file_read_only',
  EISDIR: 'local_file_is_folder',
  ENOTDIR: 'local_file_not_folder',
  ENAMETOOLONG: 'local_file_name_too_long',
};

/**
 * Maps a file system error to a DriveError. Other errors, such as a mistake in this program, are thrown unchanged.
 * @param path as the user entered it
 * @param texts additional text keys by error code
 */
export function localFileError(error: unknown, path: string, texts: FileTexts = {}): DriveError {
  if (error instanceof DriveError) return error;
  const code = errorCode(error);
  if (code === undefined) throw error;
  const textKeys = { ...LOCAL_FILE_TEXTS, ...texts };
  const text = (Object.hasOwn(textKeys, code) ? textKeys[code] : undefined) ?? 'local_file';
  return new DriveError('local_file', { text, params: { path, reason: code }, reason: code });
}
