/**
 * Names that this package gives to its own work folders and files. An archive or a drive may contain such names, too:
 * if one were created on disk, a later run would take it for its own.
 */
import { foldName } from '../core/fold-name';
import { parsePartName } from './part-name';
import { isWorkFolderName } from './work-folder-name';

/** The beginning of the name of an empty folder that shows which user a disk stores as the owner. */
export const PROBE_PREFIX = '.restore-probe-';
/** The beginning of the name of a folder that shows what a disk does with names. */
export const SYNC_PROBE_PREFIX = '.sync-probe-';

const PROBE = /^\.(restore|sync)-probe-[0-9a-z]{6}$/;
/**
 * The list of interrupted restores, which a restore of the user directory must not replace, and its temporary files.
 */
const LIST = /^\.cloud-drive-restores(\..+)?$/s;
/** Part of every reserved name, to recognize most others quickly. */
const HINT = /\.restore-|\.sync-probe-|\.part|-restores/i;

/** Some disks, such as ext4 that ignores case and HFS+, leave out characters without a meaning. */
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;
const NON_ASCII = /[^\0-\x7f]/;

/** @param name of a file or folder. Some disks ignore case, and dots and spaces at the end. */
export function isReservedName(name: string): boolean {
  if (!mayBeReserved(name)) return false;
  const stored = foldName(name.replace(IGNORED, '')).replace(/[. ]+$/, '');
  return (
    isWorkFolderName(stored) || parsePartName(stored) !== undefined || PROBE.test(stored) || LIST.test(stored)
  );
}

/**
 * @param path with `/`.
 * @returns whether it is the list of interrupted restores, which every user directory may contain
 */
export function isRestoreList(path: string): boolean {
  return LIST.test(path.slice(path.lastIndexOf('/') + 1));
}

/** @param name of a folder */
export function isSyncProbeName(name: string): boolean {
  return name.startsWith(SYNC_PROBE_PREFIX) && isReservedName(name);
}

/** @param path with `/`. @returns whether one of its names is reserved */
export function hasReservedName(path: string): boolean {
  return mayBeReserved(path) && path.split('/').some(isReservedName);
}

function mayBeReserved(name: string): boolean {
  return HINT.test(name) || NON_ASCII.test(name);
}
