/**
 * Names of files on the drive, which may contain anything, on a disk. Characters that the disk can't hold are replaced by
 * look-alikes: the result is readable, and rarely the same for two names. Also their times, which FAT rounds down.
 */
import { lstat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { truncateName } from '../download/safe-name';

export interface DiskNames {
  /** @returns the name on disk, which may be the same */
  toDisk(name: string): string;
  /** @returns a key that is equal for names on disk that are the same file */
  key(name: string): string;
  /** @param time ms since 1970. @returns the time that the disk stores for it */
  toDiskTime(time: number): number;
}

/** Bytes: the limit of most file systems. */
const MAX_NAME = 255;
/** Full-width forms of the characters from `!` to `~` follow at this distance. */
const FULL_WIDTH = 0xfee0;
/** Symbols for control characters follow at this distance. */
const CONTROL_PICTURES = 0x2400;
// eslint-disable-next-line no-control-regex
const UNSAFE = /[/\u0000]/g;
// eslint-disable-next-line no-control-regex
const UNSAFE_ON_WINDOWS = /[/\\<>:"|?*\u0000-\u001f]|[. ](?=[. ]*$)/g;
const WINDOWS_DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(?= *(\.|$))/i;

/** For `up`: names on the drive stay as they are, and those that {@link toDiskName} has changed are recognized. */
export const DRIVE_NAMES: DiskNames = {
  toDisk: (name) => toDiskName(name, false),
  key: (name) => name.normalize('NFC'),
  toDiskTime: (time) => time,
};

/** For `down`. @param folder absolute; may be missing. Nothing is written to find this out. */
export async function detectDiskNames(folder: string): Promise<DiskNames> {
  const existing = await existingParent(folder);
  const type = await fileSystemType(existing);
  const isWindows = process.platform === 'win32' || WINDOWS_FILE_SYSTEMS.has(type);
  const ignoresCase = isWindows || (await isCaseInsensitive(existing));
  return {
    toDisk: (name) => toDiskName(name, isWindows),
    key: ignoresCase ? foldCase : (name) => name.normalize('NFC'),
    toDiskTime: type === FAT ? toFatTime : (time) => time,
  };
}

export function toDiskName(name: string, isWindows: boolean): string {
  const safe = name
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(isWindows ? UNSAFE_ON_WINDOWS : UNSAFE, lookAlike)
    .replace(/^\.{1,2}$/, (dots) => dots.replace(/\./g, lookAlike));
  const allowed = isWindows ? safe.replace(WINDOWS_DEVICE, '_$1') : safe;
  return truncateName(allowed === '' ? 'unnamed' : allowed, MAX_NAME);
}

/** Whether a file on the drive has this name on some disk, see {@link toDiskName}. */
export function isNameOf(driveName: string, diskName: string): boolean {
  const names = [driveName, toDiskName(driveName, false), toDiskName(driveName, true)];
  return names.some((name) => name.normalize('NFC') === diskName.normalize('NFC'));
}

function lookAlike(char: string): string {
  const code = char.charCodeAt(0);
  return String.fromCharCode(code <= 0x20 ? CONTROL_PICTURES + code : FULL_WIDTH + code);
}

function foldCase(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

async function existingParent(folder: string): Promise<string> {
  const stats = await lstat(folder).catch(() => undefined);
  const parent = path.dirname(folder);
  return stats || parent === folder ? folder : existingParent(parent);
}

/** Looks for the folder under its own name in another case. A disk without any letter in the path counts as usual. */
async function isCaseInsensitive(folder: string): Promise<boolean> {
  const name = path.basename(folder);
  const swapped = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
  if (swapped === name) {
    const parent = path.dirname(folder);
    return parent === folder ? process.platform === 'darwin' : isCaseInsensitive(parent);
  }
  const [own, other] = await Promise.all(
    [name, swapped].map((each) => lstat(path.join(path.dirname(folder), each)).catch(() => undefined)),
  );
  return own !== undefined && other !== undefined && own.ino === other.ino && own.dev === other.dev;
}

/** Magic numbers of statfs(2): vfat, exfat, ntfs, ntfs3. */
const FAT = 0x4d44;
const WINDOWS_FILE_SYSTEMS: ReadonlySet<number | undefined> = new Set([
  FAT,
  0x2011bab0,
  0x5346544e,
  0x7366746e,
]);

async function fileSystemType(folder: string): Promise<number | undefined> {
  // Node.js has it since 18.15.
  const find = statfs as typeof statfs | undefined;
  const stats = await find?.(folder).catch(() => undefined);
  return stats && Number(stats.type);
}

/** FAT stores even seconds. */
export function toFatTime(time: number): number {
  return Math.floor(time / 2_000) * 2_000;
}
