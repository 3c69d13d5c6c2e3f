/**
 * Names of files on the drive, which may contain anything, on a disk. Characters that the disk can't store are replaced
 * by look-alikes: the result is readable, and rarely the same for two names. Also their times, which FAT rounds down.
 */
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { foldName } from '../core/names';
import { fileSystemType, isLinuxFileSystem } from '../fs/pinned-folder';
import { toDiskName } from '../fs/safe-name';
import { type NameRules, lookUpNameRules, probeNameRules } from '../fs/name-rules';

export interface DiskNames {
  /** Call it before {@link toDisk}: what the disk does with a name may have to be found out. */
  prepare(names: readonly { name: string }[]): Promise<void>;
  /**
   * @param isOnDisk whether a name is listed where the file belongs
   * @returns the name on disk, which may be the same
   */
  toDisk(name: string, isOnDisk?: (name: string) => boolean): string;
  /** @returns a key that is equal for names on disk that are the same file */
  key: (name: string) => string;
  /** @param time ms since 1970. @returns the time that the disk stores for it */
  toDiskTime: (time: number) => number;
}

/** For `up`: names on the drive stay as they are, and those that {@link toDiskName} has changed are recognized. */
export const DRIVE_NAMES: DiskNames = {
  prepare: () => Promise.resolve(),
  toDisk: (name) => toDiskName(name, false),
  key: (name) => name.normalize('NFC'),
  toDiskTime: (time) => time,
};

/**
 * For `down`.
 * @param folder absolute; may be missing
 * @param isDryRun whether nothing may be written. Otherwise, an empty folder is created for a moment if that is the
 *   only way.
 */
export async function detectDiskNames(folder: string, isDryRun: boolean): Promise<DiskNames> {
  const existing = await existingParent(folder);
  const type = await fileSystemType(existing);
  const hasWindowsNames = process.platform === 'win32' || WINDOWS_FILE_SYSTEMS.has(type);
  const known = await lookUpNameRules(existing, hasWindowsNames || process.platform === 'darwin');
  const probe = (): Promise<Partial<NameRules>> =>
    isDryRun ? Promise.resolve({}) : probeNameRules(existing);
  const rules = known.isGuess ? { ...known, ...(await probe()) } : known;
  if (hasWindowsNames || isLinuxFileSystem(type)) rules.refusesCharacters = hasWindowsNames;
  return new DetectedNames(rules, type === FAT, probe);
}

class DetectedNames implements DiskNames {
  readonly key: DiskNames['key'];
  readonly toDiskTime: DiskNames['toDiskTime'];
  private probing: Promise<Partial<NameRules>> | undefined;

  constructor(
    private readonly rules: NameRules,
    isFat: boolean,
    private readonly probe: () => Promise<Partial<NameRules>>,
  ) {
    this.key = rules.ignoresCase ? foldName : DRIVE_NAMES.key;
    this.toDiskTime = isFat ? toFatTime : DRIVE_NAMES.toDiskTime;
  }

  async prepare(names: readonly { name: string }[]): Promise<void> {
    const { rules } = this;
    if (rules.refusesCharacters !== undefined || !names.some(({ name }) => isRefused(name))) return;
    this.probing ??= this.probe();
    rules.refusesCharacters = (await this.probing).refusesCharacters;
  }

  toDisk(name: string, isOnDisk: (name: string) => boolean = () => false): string {
    const { refusesCharacters } = this.rules;
    const plain = toDiskName(name, refusesCharacters ?? false);
    if (refusesCharacters !== undefined || isOnDisk(plain)) return plain;
    // It isn't known what the disk does. An earlier run may have found it out.
    const safe = toDiskName(name, true);
    return isOnDisk(safe) ? safe : plain;
  }
}

/** Whether some disks refuse the name. */
function isRefused(name: string): boolean {
  return toDiskName(name, true) !== toDiskName(name, false);
}

async function existingParent(folder: string): Promise<string> {
  const stats = await lstat(folder).catch(() => undefined);
  const parent = path.dirname(folder);
  return stats || parent === folder ? folder : existingParent(parent);
}

/** Magic numbers of statfs(2): vfat, exfat, ntfs, ntfs3. */
const FAT = 0x4d44;
const WINDOWS_FILE_SYSTEMS: ReadonlySet<number | undefined> = new Set([
  FAT,
  0x2011bab0,
  0x5346544e,
  0x7366746e,
]);

/** FAT stores even seconds. */
export function toFatTime(time: number): number {
  return Math.floor(time / 2_000) * 2_000;
}
