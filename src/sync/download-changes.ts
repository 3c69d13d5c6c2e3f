/** Downloads the changes of a plan. */
import type { Stats } from 'node:fs';
import { lstat, lutimes, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { BufferPool } from '../core/buffers';
import { errorCode, isDriveError } from '../errors';
import { localFileError } from '../fs/local-file-error';
import { keepAccess, renameIfFree } from '../transfer/download/commit';
import { makeFolder, makeFolders } from '../fs/durable';
import { type FileCalls, THREAD_CALLS, localFileCalls } from '../fs/file-calls';
import { downloadPart, downloadToTarget } from '../transfer/download/to-disk';
import { fetchContent } from '../transfer/download/fetch-content';
import { removeOrphanedPart, PartLock } from '../transfer/download/orphaned-parts';
import { newPartName, parsePartName, targetInPartName, isSyncProbeName } from '../fs/reserved-names';
import type { DownloadRequest, DownloadFile } from '../transfer/download/download-file';
import { MemoryDestination } from '../transfer/download/to-memory';
import type { OnProgress } from '../types';
import { isSameTime } from './compare';
import { type DiskPlace, atPlace, changedOnDisk } from './disk-place';
import { isListedIn, toLocalFile } from './list-local';
import { removeOldProbe } from '../fs/name-rules';
import { type LocalFile, type RemoteFile, type SyncFile, filePath } from './sync-folder';
import type { SyncRun } from './sync-run';
import { type ChangeWriter, type TimeResult, transferFiles } from './transfer-files';
import { OWNER_ACCESS } from '../transfer/download/part-file';

/**
 * Bytes. A smaller file is verified in memory before anything is written to disk, because a part file costs more than
 * its content. An interrupted download of it isn't resumed.
 */
const RESUMABLE_SIZE = 1024 * 1024;

/** @throws the error that stops the run */
export async function downloadChanges(run: SyncRun): Promise<void> {
  await createLocalFolders(run);
  await transferFiles(run, new DiskWriter(run));
  for (const part of run.plan.parts) {
    const remove = isSyncProbeName(part.name) ? removeOldProbe : removeOrphanedPart;
    const removed = atPlace(run, part, ({ folder, name }) => remove(folder.path, name));
    await removed.catch(() => undefined);
  }
}

async function createLocalFolders(run: SyncRun): Promise<void> {
  const { request, plan, top } = run;
  try {
    await makeFolders(request.localPath);
    top.realPath = await realpath(request.localPath);
  } catch (error) {
    throw run.stop(localFileError(error, request.localPath));
  }
  top.onDisk = true;
  for (const folder of plan.folders) {
    const { parent = top, name } = folder;
    folder.error = parent.error;
    if (folder.error !== undefined) continue;
    try {
      await atPlace(run, { folder: parent, name }, ({ file }) => makeFolder(file));
    } catch (caught) {
      folder.error = localFileError(caught, path.join(request.localPath, folder.path));
      run.failed(`${folder.path}/`, folder.error);
    }
  }
}

interface FileDownload {
  file: SyncFile;
  remote: RemoteFile;
  onProgress: OnProgress;
}

type DownloadedFile = SyncFile & { remote: RemoteFile };

class DiskWriter implements ChangeWriter {
  /** For the contents of small files. */
  private readonly memory = new BufferPool(RESUMABLE_SIZE);
  private readonly localCalls = localFileCalls();
  /** Names of the part files that were listed, by the path of their target as in {@link targetInPartName}. */
  private readonly partNames = new Map<string, string[]>();

  constructor(private readonly run: SyncRun) {
    for (const { folder, name } of run.plan.parts) {
      const target = folder.pathOf(parsePartName(name)?.target ?? '');
      this.partNames.set(target, [...(this.partNames.get(target) ?? []), name]);
    }
  }

  async write(file: SyncFile): Promise<void> {
    const { run } = this;
    const { folder, local, remote } = file;
    if (folder.error !== undefined) throw folder.error as Error;
    if (!remote) return;
    const { transfers } = run.context.upload;
    const progress = run.track(file);
    let received = 0;
    const onProgress: OnProgress = (bytes, _total, resumed) => {
      received = bytes;
      progress.update(bytes, resumed);
    };
    const download = { file, remote, onProgress };
    try {
      if (remote.isDocument) {
        const isExported = await transfers.run(() => this.export(download), run.signal);
        if (!isExported) return run.skipped(file, 'no_export_format');
      } else if ((remote.size ?? Infinity) < RESUMABLE_SIZE) {
        await this.downloadSmall(download);
      } else await transfers.run(() => this.download(download), run.signal);
      progress.complete();
      run.succeeded(file, local ? 'updated' : 'created', { bytes: received });
    } catch (error) {
      progress.discard();
      throw error;
    }
  }

  async setTime(file: SyncFile): Promise<TimeResult> {
    const time = file.remote?.time;
    if (time === undefined) return 'unsupported';
    return atPlace(this.run, file, async (place) => {
      // The new time would hide a change that was saved after the checksum was computed.
      await checkUnchanged(place, file);
      await lutimes(place.file, new Date(), new Date(time));
      return 'set' as const;
    });
  }

  private async downloadSmall(download: FileDownload): Promise<void> {
    const { transfers } = this.run.context.upload;
    const memory = this.memory.take();
    const content = await transfers.run(() => this.fetchSmall(download, memory), this.run.signal);
    // It has grown since it was listed.
    if (!content) return transfers.run(() => this.download(download), this.run.signal);
    // After the transfer, so that the next one needn't wait for the disk.
    await this.writeSmall({ ...download.file, remote: download.remote }, content);
    // Not after an error: something may still be writing to it.
    this.memory.giveBack(memory);
  }

  /** @returns undefined if the file isn't small any more */
  private async fetchSmall(
    { file, remote, onProgress }: FileDownload,
    memory: Buffer,
  ): Promise<Buffer | undefined> {
    const { drive } = this.run.context.upload;
    const destination = new MemoryDestination(RESUMABLE_SIZE, memory);
    const transfer = { remote: toDownload(filePath(file), remote), destination };
    const call = drive.engine.withRetryBudget(this.run.call);
    try {
      await fetchContent(drive, { onProgress, ...requestFor(remote) }, transfer, call);
      return destination.content;
    } catch (error) {
      if (isDriveError(error, 'too_large')) return undefined;
      throw error;
    }
  }

  private writeSmall(file: DownloadedFile, content: Buffer): Promise<void> {
    return atPlace(this.run, file, async (place) => {
      const lock = new PartLock(newPartName(place.name, undefined));
      const partPath = place.folder.pathOf(lock.fileName);
      try {
        const calls = (await place.folder.isLocal()) ? this.localCalls : THREAD_CALLS;
        const replaced = file.local && (await lstat(place.file).catch(() => undefined));
        // Never readable for more users than what it replaces: the commit sets the other permissions.
        await calls.createFile(partPath, content, replaced ? OWNER_ACCESS : undefined);
        await commitDownload(partPath, place, file, calls);
      } catch (error) {
        await rm(partPath, { force: true }).catch(() => undefined);
        throw error;
      } finally {
        lock.unlock();
      }
    });
  }

  /** Into a part file, which replaces the target once it is complete and verified. */
  private download(download: FileDownload): Promise<void> {
    return atPlace(this.run, download.file, (place) => this.downloadTo(place, download));
  }

  private async downloadTo(place: DiskPlace, { file, remote, onProgress }: FileDownload): Promise<void> {
    const { drive } = this.run.context.upload;
    const part = {
      target: { path: place.path, folder: place.folder.path, name: place.name, replaces: true },
      remote: toDownload(filePath(file), remote),
      partNames: this.partNamesOf(file, place),
      commit: (partPath: string) => commitDownload(partPath, place, { ...file, remote }),
    };
    const call = drive.engine.withRetryBudget(this.run.call);
    await downloadPart(drive, { onProgress, ...requestFor(remote) }, part, call);
  }

  /** @returns false if the document can't be exported to the format */
  private export(download: FileDownload): Promise<boolean> {
    return atPlace(this.run, download.file, (place) => this.exportTo(place, download));
  }

  private async exportTo(place: DiskPlace, { file, remote, onProgress }: FileDownload): Promise<boolean> {
    const { run } = this;
    await checkUnchanged(place, file);
    const { name, path: shown, folder: pinned } = place;
    const request = {
      ...requestFor(remote),
      target: { path: shown, folder: path.dirname(shown), name, pinned },
      overwrite: file.local ? ('replace' as const) : ('error' as const),
      exportFormat: run.request.exportFormat,
      onProgress,
      beforeCommit: (partPath: string): Promise<void> => prepare(partPath, place, { ...file, remote }),
      partNames: this.partNamesOf(file, place),
    };
    try {
      await downloadToTarget(run.context.upload.drive, request, run.call);
    } catch (error) {
      if (isDriveError(error, 'not_downloadable')) return false;
      throw error;
    }
    return true;
  }

  /**
   * Otherwise, each download would list its folder, which takes long if there are thousands of files.
   * @returns undefined if the target is in a folder that may not have been listed
   */
  private partNamesOf(file: SyncFile, { isInFolder, name }: DiskPlace): readonly string[] | undefined {
    if (!isInFolder || name !== file.name) return undefined;
    return this.partNames.get(file.folder.pathOf(targetInPartName(file.name))) ?? [];
  }
}

/** A file that is new according to the plan never replaces one, unless another run has just downloaded the same. */
async function commitDownload(
  partPath: string,
  place: DiskPlace,
  file: DownloadedFile,
  calls = THREAD_CALLS,
): Promise<void> {
  if (!file.local) {
    await setTime(partPath, file.remote, calls);
    await place.folder.check();
    if (await renameIfFree(partPath, place.file, calls)) return;
    // A disk that ignores case has another file under this name.
    if (!(await isListedIn(place.folder.path, place.name))) throw changedOnDisk(place.path);
  }
  await prepare(partPath, place, file);
  await place.folder.check();
  await rename(partPath, place.file);
}

/** Gives a part file the attributes that it has after its commit. @throws `local_file` as {@link checkUnchanged} */
async function prepare(partPath: string, place: DiskPlace, file: DownloadedFile): Promise<void> {
  const existing = await checkUnchanged(place, file);
  // First, because only the owner may set the time in a container without CAP_FOWNER.
  await setTime(partPath, file.remote);
  if (existing) await keepAccess(partPath, existing);
  // While the disk is busy, that may take seconds.
  await checkUnchanged(place, file);
}

async function setTime(path: string, { time }: RemoteFile, calls: FileCalls = THREAD_CALLS): Promise<void> {
  if (time !== undefined) await calls.lutimes(path, new Date(), new Date(time));
}

/**
 * @returns the file that will be replaced
 * @throws `local_file` if the file on disk isn't the one that was listed. A file that another run has just downloaded
 *   may be replaced.
 */
async function checkUnchanged(
  { file, path }: DiskPlace,
  { local, remote }: SyncFile,
): Promise<Stats | undefined> {
  const stats = await lstat(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!stats) return undefined;
  const current = toLocalFile(stats);
  const isListed = local && current.size === local.size && current.mtimeMs === local.mtimeMs;
  if (!stats.isFile() || !(isListed || isDownloaded(current, remote))) throw changedOnDisk(path);
  return stats;
}

function isDownloaded({ size, mtimeMs }: LocalFile, remote: RemoteFile | undefined): boolean {
  return remote?.time !== undefined && size === remote.size && isSameTime(mtimeMs, remote.time);
}

function requestFor({ id }: RemoteFile): Pick<DownloadRequest, 'id' | 'fields' | 'acknowledgeAbuse'> {
  return { id, fields: 'id,modifiedTime', acknowledgeAbuse: false };
}

/** What the listing says replaces a request for the metadata. */
function toDownload(name: string, { id, size, time, checksum }: RemoteFile): DownloadFile {
  const digest = checksum === undefined ? undefined : Buffer.from(checksum, 'latin1').toString('hex');
  const algorithm = checksum === undefined ? undefined : checksum.length === 16 ? 'md5' : 'sha256';
  const file = {
    id,
    name,
    ...(size !== undefined && { size: String(size) }),
    ...(time !== undefined && { modifiedTime: new Date(time).toISOString() }),
    ...(algorithm === 'md5' && digest !== undefined && { md5Checksum: digest }),
    ...(algorithm === 'sha256' && digest !== undefined && { sha256Checksum: digest }),
  };
  return { file, hasMetadata: size !== undefined || algorithm !== undefined, size, algorithm };
}
