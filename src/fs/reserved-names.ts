/**
 * Names that this package gives to its own work folders and files. An archive or a drive may contain such names, too:
 * if one were created on disk, a later run would take it for its own.
 */
import { foldName } from '../core/names';
import { createHash, randomBytes } from 'node:crypto';
import { OWNER, type PartOwner, newOwnerName, parseOwner } from './part-owner';
import { truncateName } from './safe-name';

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

/** Bytes of the target's name, so that the part's name has at most 143: the limit of eCryptfs, as on many NAS. */
const MAX_TARGET_NAME = 72;
/** Digits of the hash that tells long names apart. */
const HASH_LENGTH = 8;

/** Of earlier versions: the PID and a random number. */
const OLD_OWNER = /\d{1,10}-[0-9a-f]{8}/;
/** `.<target>.<content key>.<owner>.part`: everything that a later run has to know, so that nothing is stored elsewhere. */
const PATTERN = new RegExp(
  `^\\.(.+)\\.([0-9a-f]{16})\\.(?:${OWNER.source}|${OLD_OWNER.source})\\.part$`,
  's',
);

interface PartName {
  /** Name of the target file, truncated; see {@link targetInPartName}. */
  target: string;
  /** From `partKey` in download-file.ts. */
  contentKey: string;
  /** Undefined in names of earlier versions, which have only a PID. */
  owner: PartOwner | undefined;
}

/** @param key undefined for a part that can't be resumed. @returns a unique name, owned by this process */
export function newPartName(name: string, key: string | undefined): string {
  return `.${targetInPartName(name)}.${key ?? randomBytes(8).toString('hex')}.${newOwnerName()}.part`;
}

/** @returns undefined if the file isn't a part file */
export function parsePartName(fileName: string): PartName | undefined {
  const [, target, contentKey, ...owner] = PATTERN.exec(fileName) ?? [];
  if (target === undefined || contentKey === undefined) return undefined;
  return { target: targetInPartName(target), contentKey, owner: parseOwner(owner) };
}

/** @returns the name itself, or the beginning of a long one with a hash */
export function targetInPartName(name: string): string {
  if (Buffer.byteLength(name) <= MAX_TARGET_NAME) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return `${truncateName(name, MAX_TARGET_NAME - HASH_LENGTH - 1)}~${hash}`;
}

/**
 * `.<target>.restore-<owner>`, see work-folder.ts. After a run that was killed, such a folder may contain the only copy
 * of what was in the target.
 */
export const WORK_FOLDER_NAME = new RegExp(`^\\.(.+)\\.restore-${OWNER.source}$`, 's');

export function isWorkFolderName(name: string): boolean {
  return WORK_FOLDER_NAME.test(name);
}
