/** Downloads the changes of a plan. */
import { chmod, lstat, realpath, rename, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BufferPool } from '../concurrency/buffer-pool';
import { errorCode, isDriveError } from '../errors';
import { localFileError } from '../local-file-error';
import { createFolder, createFolders } from '../download/create-folders';
import { fetchContent } from '../download/fetch-content';
import { removeOrphanedPart } from '../download/orphaned-parts';
import { PartFile } from '../download/part-file';
import { PartLock } from '../download/part-lock';
import { newPartName, parsePartName, targetInPartName } from '../download/part-name';
import type { DownloadRequest, RemoteFile as DownloadFile } from '../download/remote-file';
import { downloadToDisk } from '../download/to-disk';
import { MemoryDestination } from '../download/to-memory';
import type { OnProgress } from '../types';
import { isSameTime } from './compare';
import { toLocalFile } from './list-local';
import { changedOnDisk } from './sync-errors';
import { type LocalFile, type RemoteFile, type SyncFile, filePath } from './sync-folder';
import type { SyncRun } from './sync-run';
import { type Destination, type TimeResult, transferFiles } from './transfer-files';

/**
 * Bytes. A smaller file is verified in memory before anything is written to disk, because a part file costs more than its
 * content. An interrupted download of it isn't resumed.
 */
const RESUMABLE_SIZE = 1024 * 1024;

/** @throws the error that stops the run */
export async function downloadChanges(run: SyncRun): Promise<void> {
  await createLocalFolders(run);
  await transferFiles(run, new DiskDestination(run));
  for (const { folder, name } of run.plan.parts) {
    await removeOrphanedPart(path.join(run.request.localPath, folder.path), name);
  }
}

async function createLocalFolders(run: SyncRun): Promise<void> {
  const { request, plan, top } = run;
  await createFolders(request.localPath).catch((error: unknown) => {
    throw run.stop(localFileError(error, request.localPath));
  });
  top.onDisk = true;
  for (const folder of plan.folders) {
    folder.error = folder.parent?.error;
    if (folder.error !== undefined) continue;
    const absolute = path.join(request.localPath, folder.path);
    try {
      await createFolder(absolute);
    } catch (caught) {
      folder.error = localFileError(caught, absolute);
      run.failed(`${folder.path}/`, folder.error);
    }
  }
}

interface FileDownload {
  file: SyncFile;
  remote: RemoteFile;
  onProgress: OnProgress;
}

class DiskDestination implements Destination {
  /** For the contents of small files. */
  private readonly memory = new BufferPool(RESUMABLE_SIZE);
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
    const target = await this.targetOf(file);
    try {
      // The new time would hide a change that was saved after the checksum was computed.
      await checkUnchanged(target, file);
      await utimes(target, new Date(), new Date(time));
      return 'set';
    } catch (error) {
      throw localFileError(error, target);
    }
  }

  private async downloadSmall(download: FileDownload): Promise<void> {
    const { transfers } = this.run.context.upload;
    const memory = this.memory.take();
    const content = await transfers.run(() => this.fetchSmall(download, memory), this.run.signal);
    // It has grown since it was listed.
    if (!content) return transfers.run(() => this.download(download), this.run.signal);
    // After the transfer, so that the next one needn't wait for the disk.
    await this.writeSmall(download, content);
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

  private async writeSmall({ file, remote }: FileDownload, content: Buffer): Promise<void> {
    const target = await this.targetOf(file);
    const lock = new PartLock(newPartName(path.basename(target), undefined));
    const partPath = path.join(path.dirname(target), lock.fileName);
    try {
      await writeFile(partPath, content, { flag: 'wx' });
      await this.commit(partPath, target, Object.assign({}, file, { remote }));
    } catch (error) {
      await rm(partPath, { force: true }).catch(() => undefined);
      throw localFileError(error, target);
    } finally {
      lock.unlock();
    }
  }

  /** Into a part file, which replaces the target once it is complete and verified. */
  private async download({ file, remote, onProgress }: FileDownload): Promise<void> {
    const { drive } = this.run.context.upload;
    const target = await this.targetOf(file);
    const content = toDownload(filePath(file), remote);
    const call = drive.engine.withRetryBudget(this.run.call);
    const named = { path: target, folder: path.dirname(target), name: path.basename(target) };
    const options = {
      clock: drive.clock,
      signal: this.run.signal,
      partNames: this.partNamesOf(file, target),
    };
    const part = await PartFile.open(named, content, options);
    if (part.position > 0) call.budget.restart();
    const request = { onProgress, ...requestFor(remote) };
    try {
      await fetchContent(drive, request, { remote: content, destination: part }, call);
      await this.commit(await part.flushAndClose(this.run.signal), target, { ...file, remote });
      await part.removeOrphans();
    } catch (error) {
      if (isDriveError(error) && isTemporary(error.code)) await part.closeForResume();
      throw error;
    } finally {
      await part.discard();
    }
  }

  /** @returns false if the document can't be exported to the format */
  private async export({ file, remote, onProgress }: FileDownload): Promise<boolean> {
    const { run } = this;
    const { exportFormat } = run.request;
    const target = await this.targetOf(file);
    await checkUnchanged(target, file);
    const beforeCommit = (partPath: string, path: string): Promise<void> =>
      prepare(partPath, path, { ...file, remote });
    const partNames = this.partNamesOf(file, target);
    const request = {
      ...requestFor(remote),
      path: target,
      exportFormat,
      onProgress,
      beforeCommit,
      partNames,
    };
    try {
      await downloadToDisk(run.context.upload.drive, { ...request, overwrite: 'replace' }, run.call);
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
  private partNamesOf(file: SyncFile, target: string): readonly string[] | undefined {
    if (target !== this.run.localPath(file)) return undefined;
    return this.partNames.get(file.folder.pathOf(targetInPartName(file.name))) ?? [];
  }

  /** A followed link stays; the file that it points to is replaced. */
  private async targetOf(file: SyncFile): Promise<string> {
    const target = this.run.localPath(file);
    if (this.run.request.symlinks !== 'follow') return target;
    return realpath(target).catch(() => target);
  }

  private async commit(
    partPath: string,
    target: string,
    file: SyncFile & { remote: RemoteFile },
  ): Promise<void> {
    try {
      await prepare(partPath, target, file);
      await rename(partPath, target);
    } catch (error) {
      throw localFileError(error, target);
    }
  }
}

/** Gives a part file the attributes that it has after its commit. @throws `local_file` as {@link checkUnchanged} */
async function prepare(
  partPath: string,
  target: string,
  file: SyncFile & { remote: RemoteFile },
): Promise<void> {
  try {
    const { time } = file.remote;
    const mode = await checkUnchanged(target, file);
    if (mode !== undefined) await chmod(partPath, mode);
    if (time !== undefined) await utimes(partPath, new Date(), new Date(time));
  } catch (error) {
    throw localFileError(error, target);
  }
}

/**
 * @returns the permissions of the file that will be replaced
 * @throws `local_file` if the file on disk isn't the one that was listed. A file that another run has just downloaded may
 *   be replaced.
 */
async function checkUnchanged(target: string, { local, remote }: SyncFile): Promise<number | undefined> {
  const stats = await lstat(target).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw localFileError(error, target);
  });
  if (!stats) return undefined;
  const current = toLocalFile(stats);
  const isListed = local && current.size === local.size && current.mtimeMs === local.mtimeMs;
  if (!stats.isFile() || !(isListed || isDownloaded(current, remote))) throw changedOnDisk(target);
  return stats.mode & 0o777;
}

function isDownloaded({ size, mtimeMs }: LocalFile, remote: RemoteFile | undefined): boolean {
  return remote?.time !== undefined && size === remote.size && isSameTime(mtimeMs, remote.time);
}

function isTemporary(code: string): boolean {
  return !['not_found', 'not_downloadable', 'checksum_mismatch', 'local_file'].includes(code);
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
  return { file, hasMetadata: size !== undefined, size, algorithm };
}
