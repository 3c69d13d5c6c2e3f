/**
 * Compares the staged tree with the target: which entries have to be moved so that the target contains the staged tree
 * and keeps everything else. A folder is moved as a whole wherever the target has nothing in it that the staged one lacks.
 */
import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DriveError } from '../errors';
import { foldName } from './entry-path';
import { findMountPoints, type IsMountPoint } from './mount-points';

/** Attributes of a folder. Times are in seconds since 1970. */
export interface FolderAttributes {
  mode: number;
  mtime: number;
  /** Only if the owner is restored. */
  uid?: number;
  gid?: number;
}

/** A folder that stays in the target and gets new entries. */
export interface MergedFolder {
  /** Relative; `''` for the target. */
  path: string;
  before: FolderAttributes;
  /** Undefined if the archive has no entry for the folder. */
  after?: FolderAttributes;
}

export interface SwapPlan {
  /** Relative paths of files, links and folders to move from the staged tree to the target; `''` for the whole tree. */
  moves: string[];
  folders: MergedFolder[];
}

export interface PlanOptions {
  isCaseSensitive: boolean;
  /** Excludes an entry of the target itself. */
  isIgnored: (name: string) => boolean;
}

/**
 * @param staged a folder
 * @param target a folder without symbolic links in its path, or a missing one
 * @throws `conflict` where the archive has a file and the target a folder that isn't empty, `local_file` where a part of
 *   the target is on another file system
 */
export async function planSwap(staged: string, target: string, options: PlanOptions): Promise<SwapPlan> {
  const exists = await lstat(target).catch(() => undefined);
  if (!exists) return { moves: [''], folders: [] };
  const comparison = new Comparison(staged, target, options, await findMountPoints(target));
  await comparison.compare('');
  return { moves: comparison.moves, folders: comparison.folders };
}

class Comparison {
  readonly moves: string[] = [];
  readonly folders: MergedFolder[] = [];

  constructor(
    private readonly staged: string,
    private readonly target: string,
    private readonly options: PlanOptions,
    private readonly isMountPoint: IsMountPoint,
  ) {}

  /** Adds the moves of a folder that both trees have. @returns true if the target's folder has to stay */
  async compare(path: string): Promise<boolean> {
    const [moves, folders] = [this.moves.length, this.folders.length];
    const others = await this.entriesOfTarget(path);
    let hasToStay = path === '';
    for (const entry of await readdir(join(this.staged, path), { withFileTypes: true })) {
      const key = this.keyOf(entry.name);
      const other = others.get(key);
      others.delete(key);
      if (await this.compareEntry(join(path, entry.name), entry, other)) hasToStay = true;
    }
    hasToStay ||= others.size > 0;
    const isMount = path !== '' && (await this.isMountPoint(join(this.target, path)));
    if (isMount && this.moves.length > moves) throw otherFileSystem(join(this.target, path));
    if (!hasToStay && !isMount) {
      this.moves.length = moves;
      this.folders.length = folders;
      this.moves.push(path);
      return false;
    }
    this.folders.push({ path, before: await this.attributes(path) });
    return true;
  }

  private async compareEntry(path: string, entry: Dirent, other: Dirent | undefined): Promise<boolean> {
    if (other?.isDirectory()) {
      if (entry.isDirectory()) return this.compare(path);
      const existing = join(this.target, path);
      if ((await readdir(existing)).length > 0) {
        throw new DriveError('conflict', { text: 'conflict_folder_in_place', params: { path: existing } });
      }
    }
    this.moves.push(path);
    return false;
  }

  private async entriesOfTarget(path: string): Promise<Map<string, Dirent>> {
    const entries = await readdir(join(this.target, path), { withFileTypes: true });
    const { isIgnored } = this.options;
    const relevant = path === '' ? entries.filter(({ name }) => !isIgnored(name)) : entries;
    return new Map(relevant.map((entry) => [this.keyOf(entry.name), entry]));
  }

  private keyOf(name: string): string {
    return this.options.isCaseSensitive ? name : foldName(name);
  }

  private async attributes(path: string): Promise<FolderAttributes> {
    const { mode, mtimeMs, uid, gid } = await lstat(join(this.target, path));
    return { mode: mode & 0o7777, mtime: mtimeMs / 1_000, uid, gid };
  }
}

function otherFileSystem(path: string): DriveError {
  return new DriveError('local_file', {
    text: 'local_file_other_file_system',
    params: { path, reason: 'EXDEV' },
  });
}
