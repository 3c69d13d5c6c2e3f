/** Downloads the changes of a plan. */
import { chmod, lstat, realpath, rename, utimes } from 'node:fs/promises';
import path from 'node:path';
import { errorCode, isDriveError } from '../errors';
import { localFileError } from '../local-file-error';
import { createFolder, createFolders } from '../download/create-folders';
import { fetchContent } from '../download/fetch-content';
import { removeOrphanedPart } from '../download/orphaned-parts';
import { PartFile } from '../download/part-file';
import type { RemoteFile as DownloadFile } from '../download/remote-file';
import { downloadToDisk } from '../download/to-disk';
import { isSameTime } from './compare';
import { toLocalFile } from './list-local';
import { changedOnDisk } from './sync-errors';
import { type LocalFile, type RemoteFile, type SyncFile, filePath } from './sync-folder';
import type { SyncRun } from './sync-run';
import { type Destination, transferFiles } from './transfer-files';

/** Bytes. An interrupted download of a smaller file isn't resumed. */
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

interface Export {
  file: SyncFile;
  remote: RemoteFile;
  onProgress: (bytes: number) => void;
}

class DiskDestination implements Destination {
  constructor(private readonly run: SyncRun) {}

  async write(file: SyncFile): Promise<void> {
    const { run } = this;
    const { folder, local, remote } = file;
    if (folder.error !== undefined) throw folder.error as Error;
    if (!remote) return;
    const { transfers } = run.context.upload;
    const progress = run.track(file);
    let received = 0;
    const onProgress = (bytes: number): void => {
      received = bytes;
      progress.update(bytes);
    };
    try {
      if (remote.isDocument) {
        const request = { file, remote, onProgress };
        const isExported = await transfers.run(() => this.export(request), run.signal);
        if (!isExported) return run.skipped(file, 'no_export_format');
      } else await transfers.run(() => this.download(file, remote, onProgress), run.signal);
      progress.complete();
      run.succeeded(file, local ? 'updated' : 'created', { bytes: received });
    } catch (error) {
      progress.discard();
      throw error;
    }
  }

  async setTime(file: SyncFile): Promise<boolean> {
    const time = file.remote?.time;
    if (time === undefined) return false;
    const target = this.run.localPath(file);
    try {
      await utimes(target, new Date(), new Date(time));
      return true;
    } catch (error) {
      throw localFileError(error, target);
    }
  }

  /** Into a part file, which replaces the target once it is complete and verified. */
  private async download(
    file: SyncFile,
    remote: RemoteFile,
    onProgress: (bytes: number) => void,
  ): Promise<void> {
    const { drive } = this.run.context.upload;
    const target = await this.targetOf(file);
    const content = toDownload(filePath(file), remote);
    const call = drive.engine.withRetryBudget(this.run.call);
    const isResumable = (remote.size ?? Infinity) >= RESUMABLE_SIZE;
    const named = { path: target, folder: path.dirname(target), name: path.basename(target) };
    const part = isResumable
      ? await PartFile.open(named, content, { clock: drive.clock, signal: this.run.signal })
      : PartFile.create(named);
    if (part.position > 0) call.budget.restart();
    const request = { id: remote.id, fields: 'id', acknowledgeAbuse: false, onProgress };
    try {
      await fetchContent(drive, request, { remote: content, destination: part }, call);
      const partPath = isResumable ? await part.flushAndClose(this.run.signal) : await part.close();
      await this.commit(partPath, target, { ...file, remote });
      if (isResumable) await part.removeOrphans();
    } catch (error) {
      if (isResumable && isDriveError(error) && isTemporary(error.code)) await part.closeForResume();
      throw error;
    } finally {
      await part.discard();
    }
  }

  /** @returns false if the document can't be exported to the format */
  private async export({ file, remote, onProgress }: Export): Promise<boolean> {
    const { run } = this;
    const { exportFormat } = run.request;
    const target = await this.targetOf(file);
    await checkUnchanged(target, file);
    const request = {
      id: remote.id,
      path: target,
      fields: 'id',
      acknowledgeAbuse: false,
      exportFormat,
      onProgress,
    };
    try {
      await downloadToDisk(run.context.upload.drive, { ...request, overwrite: 'replace' }, run.call);
    } catch (error) {
      if (isDriveError(error, 'not_downloadable')) return false;
      throw error;
    }
    await this.setTime(file);
    return true;
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
      const { time } = file.remote;
      const mode = await checkUnchanged(target, file);
      if (mode !== undefined) await chmod(partPath, mode);
      if (time !== undefined) await utimes(partPath, new Date(), new Date(time));
      await rename(partPath, target);
    } catch (error) {
      throw localFileError(error, target);
    }
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

/** What the listing says replaces a request for the metadata. */
function toDownload(name: string, { id, size, checksum }: RemoteFile): DownloadFile {
  const digest = checksum === undefined ? undefined : Buffer.from(checksum, 'latin1').toString('hex');
  const algorithm = checksum === undefined ? undefined : checksum.length === 16 ? 'md5' : 'sha256';
  const file = {
    ...{ id, name },
    ...(size !== undefined && { size: String(size) }),
    ...(algorithm === 'md5' && digest !== undefined && { md5Checksum: digest }),
    ...(algorithm === 'sha256' && digest !== undefined && { sha256Checksum: digest }),
  };
  return { file, hasMetadata: size !== undefined, size, algorithm };
}
