/**
 * Removes what exists only at the destination. Whole folders go to the trash at once; otherwise each file is checked
 * and removed, and then each folder that is empty. plan.ts finds these files, and decides when nothing is removed.
 */
import path from 'node:path';
import { lstat, rm, rmdir } from 'node:fs/promises';
import { cancelled, errorCode, ifFound, isDriveError } from '../errors';
import { hasChildren } from '../drive/list';
import { localFileError } from '../fs/local-file-error';
import { listDrive } from './list-drive';
import { isListedIn, spellingsIn, toLocalFile } from './list-local';
import { type SyncFile, type SyncFolder, filePath } from './sync-folder';
import type { SyncRun } from './sync-run';
import { isInPlace, isUnmoved } from './unmoved';
import { foldName } from '../core/names';
import { atPlace } from './disk-place';

/** What was listed in a folder that goes to the trash. */
interface FolderContent {
  files: SyncFile[];
  /** With the folder itself. */
  folders: SyncFolder[];
}

/** @throws the error that stops the run */
export async function removeExtra(run: SyncRun): Promise<void> {
  const { extraFiles, extraFolders } = run.plan;
  const { extra } = run.request;
  // Others may have moved the folders during the transfers.
  run.inPlace.clear();
  const disk = run.plan.isUp ? undefined : new DiskRemoval(run);
  const folders = new Set(extra === 'trash' ? topmost(extraFolders) : []);
  const contents = new Map<SyncFolder, FolderContent>(
    [...folders].map((each) => [each, { files: [], folders: [] }]),
  );
  const contentWith = (folder: SyncFolder): FolderContent | undefined => {
    const removed = [...folder.withParents()].find((each) => folders.has(each));
    return removed && contents.get(removed);
  };
  for (const folder of extraFolders) contentWith(folder)?.folders.push(folder);
  for (const file of extraFiles) {
    const content = contentWith(file.folder);
    if (content) content.files.push(file);
    else await attempt(run, filePath(file), () => removeDiskFile(run, file, disk));
  }
  for (const [folder, content] of contents) {
    await attempt(run, `${folder.path}/`, () => trashFolder(run, folder, content));
  }
  if (extra === 'trash') return;
  for (const folder of [...extraFolders].reverse()) {
    const remove = (): Promise<void> => disk?.removeEmptyFolder(folder) ?? removeEmptyFolder(run, folder);
    await attempt(run, `${folder.path}/`, remove);
  }
}

/** For a dry run. */
export function previewExtra(run: SyncRun): void {
  for (const file of run.plan.extraFiles) run.succeeded(file, 'removed');
}

function topmost(folders: readonly SyncFolder[]): SyncFolder[] {
  const removed = new Set(folders);
  return folders.filter(({ parent }) => !parent || !removed.has(parent));
}

async function attempt(run: SyncRun, path: string, work: () => Promise<void>): Promise<void> {
  try {
    // Work on disk doesn't know the signal.
    if (run.signal.aborted) throw cancelled();
    await work();
  } catch (error) {
    run.failed(path, error);
  }
}

async function removeDiskFile(run: SyncRun, file: SyncFile, disk: DiskRemoval | undefined): Promise<void> {
  const isRemoved = disk ? await disk.removeFile(file) : await removeFromDrive(run, file);
  if (isRemoved) run.succeeded(file, 'removed');
  else run.skipped(file, 'changed');
}

/** @returns false if the file was changed or moved since it was listed, or exists on disk now */
async function removeFromDrive(run: SyncRun, file: SyncFile): Promise<boolean> {
  const { folder, remote } = file;
  if (!remote || (await existsOnDisk(run, folder, file.name))) return false;
  const { id, time } = remote;
  if (!(await isUnmoved(run, { id, name: file.name, parent: folder, time }))) return false;
  return removeById(run, remote.id, run.request.extra === 'trash' ? 'trash' : 'delete');
}

async function removeById(run: SyncRun, id: string, mode: 'trash' | 'delete'): Promise<boolean> {
  const removed = run.context.remove(id, mode, run.call).then(() => true);
  return (await ifFound(removed)) ?? false;
}

async function trashFolder(run: SyncRun, folder: SyncFolder, content: FolderContent): Promise<void> {
  const { driveId, parent } = folder;
  const isUnchanged =
    driveId !== undefined &&
    parent !== undefined &&
    !(await existsOnDisk(run, parent, folder.name)) &&
    (await isInPlace(run, folder)) &&
    (await isAsListed(run, content)) &&
    (await removeById(run, driveId, 'trash'));
  for (const file of content.files) {
    if (isUnchanged) run.succeeded(file, 'removed');
    else run.skipped(file, 'changed');
  }
}

/** @returns false if a folder contains something that was added or changed since it was listed */
async function isAsListed(run: SyncRun, { files, folders }: FolderContent): Promise<boolean> {
  const { drive } = run.context.upload;
  const folderIds = folders.flatMap(({ driveId }) => driveId ?? []);
  const times = new Map([
    ...folders.map(({ driveId }) => [driveId, undefined] as const),
    ...files.map(({ remote }) => [remote?.id, remote?.time] as const),
  ]);
  for (const { file } of [...(await listDrive(drive, folderIds, run.call)).values()].flat()) {
    const time = times.get(file.id);
    if (!times.has(file.id) || (time !== undefined && time !== file.time)) return false;
  }
  return true;
}

async function removeEmptyFolder(run: SyncRun, folder: SyncFolder): Promise<void> {
  const { parent = run.top, name, driveId } = folder;
  if (driveId === undefined || (await existsOnDisk(run, parent, name))) return;
  if (!(await isInPlace(run, folder))) return;
  const { drive } = run.context.upload;
  const { can, space } = drive.service;
  if (can.trash && space === undefined) {
    // With the scope drive.file, the user may see files in it that this client doesn't.
    const content = (await listDrive(drive, [driveId], run.call)).get(driveId);
    if (content?.length === 0) await removeById(run, driveId, 'trash');
  } else if (!(await hasChildren(drive, driveId, run.call))) await removeById(run, driveId, 'delete');
}

/** Whether it exists under this name. A disk that ignores case finds it under others too. */
async function existsOnDisk(run: SyncRun, parent: SyncFolder, name: string): Promise<boolean> {
  const target = run.localPath({ folder: parent, name });
  try {
    await lstat(target);
    return await isListed(run, parent, name);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return false;
    throw localFileError(error, target);
  }
}

/** Whether a name, and those of the folders that contain it, are listed as they are spelled. */
async function isListed(run: SyncRun, folder: SyncFolder, name: string): Promise<boolean> {
  if (!(await isListedIn(path.join(run.request.localPath, folder.path), name))) return false;
  return !folder.parent || isListed(run, folder.parent, folder.name);
}

type Place = Pick<SyncFile, 'folder' | 'name'>;

class DiskRemoval {
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
