/** Errors of the file system that an entry causes, such as a name that a disk can't store. */
import { DriveError, type TextWith, errorCode } from '../../errors';
import { readablePath } from '../../fs/path-bytes';

/** Disks without links, such as FAT and exFAT, report one of them. */
const NO_LINKS = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);
/**
 * Disks that store fewer names than others, such as exFAT with `a:b`, report one of them; exfat-fuse reports `ENOENT`.
 */
const NO_NAME = new Set(['EINVAL', 'EILSEQ', 'ENAMETOOLONG', 'ENOENT']);
/** Errors that every entry could cause. */
const GENERAL = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE']);

/** @param entry its path in the archive. @returns an error that names the entry and the reason; others as they are */
export function entryError(error: unknown, entry: string, isLink: boolean): unknown {
  const reason = errorCode(error);
  if (error instanceof DriveError || reason === undefined || GENERAL.has(reason)) return error;
  const name = readablePath(entry).slice(0, 200);
  const params = { entry: name, path: name, reason };
  return new DriveError('local_file', { text: textFor(reason, isLink), params, reason });
}

function textFor(reason: string, isLink: boolean): TextWith<'entry' | 'path' | 'reason'> {
  if (isLink && NO_LINKS.has(reason)) return 'local_file_entry_link';
  if (NO_NAME.has(reason)) return 'local_file_entry_name';
  return reason === 'EFBIG' ? 'local_file_too_large' : 'local_file_entry';
}
