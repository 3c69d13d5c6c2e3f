/**
 * Removes extra files on disk. Two checks don't depend on what is known about the disk: nothing is removed that isn't
 * listed as it is spelled, or that this run has written under another spelling, unless both are listed.
 */
import { lstat, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { foldName } from '../core/names';
import { isDriveError } from '../errors';
import { atPlace } from './disk-place';
import { spellingsIn, toLocalFile } from './list-local';
import { type SyncFile, type SyncFolder, filePath } from './sync-folder';
import type { SyncRun } from './sync-run';

type Place = Pick<SyncFile, 'folder' | 'name'>;

export class DiskRemoval {
  private readonly written: ReadonlyMap<string, readonly Place[]>;
  /** Only of the last folder: extra files come folder by folder. */
  private spellings: { folder: SyncFolder; names: Promise<ReadonlySet<string>> } | undefined;
  private readonly listedFolders = new Map<SyncFolder, Promise<boolean>>();

  constructor(private readonly run: SyncRun) {
    this.written = writtenPlaces(run);
  }

  /** @returns false if the file has changed since it was listed */
  async removeFile(file: SyncFile): Promise<boolean> {
    try {
      if (!(await this.isOther(file))) return false;
      return await atPlace(this.run, file, async (place) => {
        const current = toLocalFile(await lstat(place.file));
        if (current.size !== file.local?.size || current.mtimeMs !== file.local.mtimeMs) return false;
        await rm(place.file);
        return true;
      });
    } catch (error) {
      if (localReason(error) === 'ENOENT') return false;
      throw error;
    }
  }

  /** Unless something was put into it meanwhile. */
  async removeEmptyFolder(folder: SyncFolder): Promise<void> {
    const place = { folder: folder.parent ?? this.run.top, name: folder.name };
    try {
      if (await this.isOther(place)) await atPlace(this.run, place, ({ file }) => rmdir(file));
    } catch (error) {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(localReason(error) ?? '')) throw error;
    }
  }

  /** Whether it is there, and is nothing that this run has written. */
  private async isOther(place: Place): Promise<boolean> {
    for (const written of this.written.get(foldName(filePath(place))) ?? [])
      if (!(await this.isListed(written))) return false;
    return this.isListed(place);
  }

  /** Whether a name, and those of the folders that contain it, are listed as they are spelled. */
  private async isListed({ folder, name }: Place): Promise<boolean> {
    if (this.spellings?.folder !== folder) {
      const names = spellingsIn(path.join(this.run.request.localPath, folder.path));
      this.spellings = { folder, names: names.catch(() => new Set<string>()) };
    }
    if (!(await this.spellings.names).has(name.normalize('NFC'))) return false;
    return this.isFolderListed(folder);
  }

  private isFolderListed(folder: SyncFolder): Promise<boolean> {
    const { parent, name } = folder;
    const known = this.listedFolders.get(folder);
    const result = known ?? (parent ? this.isListed({ folder: parent, name }) : Promise.resolve(true));
    this.listedFolders.set(folder, result);
    return result;
  }
}

/** @returns what the run has written, by the path of an extra file or folder that differs only in case */
function writtenPlaces({ plan, top }: SyncRun): Map<string, Place[]> {
  const { extraFiles, extraFolders, transfers, folders } = plan;
  const paths = [...extraFiles.map(filePath), ...extraFolders.map((folder) => folder.path)];
  const written = new Map(paths.map((each): [string, Place[]] => [foldName(each), []]));
  if (written.size === 0) return written;
  for (const file of transfers) written.get(foldName(filePath(file)))?.push(file);
  for (const { parent = top, name, path: each } of folders)
    written.get(foldName(each))?.push({ folder: parent, name });
  return written;
}

function localReason(error: unknown): string | undefined {
  return isDriveError(error, 'local_file') ? error.reason : undefined;
}
