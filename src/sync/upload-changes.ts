/** Uploads the changes of a plan. */
import type { UploadRequest } from '../transfer/upload/upload-request';
import { type UploadResult, uploadNow } from '../transfer/upload/upload';
import { CHECKSUM_FIELDS } from '../drive/checksums';
import { DriveError, isDriveError } from '../errors';
import { setModifiedTime } from '../drive/metadata';
import { checksumBytes } from './list-drive';
import type { OnProgress } from '../types';
import type { SyncFile, SyncFolder } from './sync-folder';
import type { SyncRun } from './sync-run';
import { type ChangeWriter, type TimeResult, transferFiles, runWorkers } from './transfer-files';
import { mayReplace } from './unmoved';
import { createNewFolder, noFoldersError } from '../drive/create-folder';

/** @throws the error that stops the run */
export async function uploadChanges(run: SyncRun): Promise<void> {
  const { plan } = run;
  run.context.upload.idPool.expect(plan.newFiles + plan.folders.length);
  await createFolders(run);
  await transferFiles(run, new DriveWriter(run));
}

class DriveWriter implements ChangeWriter {
  private canSetTime = true;

  constructor(private readonly run: SyncRun) {}

  async write(file: SyncFile): Promise<void> {
    const { run } = this;
    const { context, call, signal } = run;
    const { folder, remote } = file;
    if (folder.error !== undefined) throw folder.error as Error;
    const progress = run.track(file);
    const request = this.uploadRequest(file, (bytes, _total, resumed) => progress.update(bytes, resumed));
    try {
      const { upload } = context;
      const send = async (): Promise<UploadResult | undefined> =>
        (await mayReplace(run, file)) ? uploadNow(upload, request, call) : undefined;
      const result = await upload.transfers.run(send, signal);
      progress.complete();
      // Someone has moved it, maybe to the trash, since it was listed. The next run uploads it as a new file.
      if (!result || result.file.trashed === true) return run.skipped(file, 'changed');
      run.succeeded(file, remote ? 'updated' : 'created', { id: result.file.id });
    } catch (error) {
      progress.discard();
      // The next run finds a file that has arrived.
      if (isDriveError(error)) error.isOutcomeUnknown = false;
      throw error;
    }
  }

  async setTime({ remote, local }: SyncFile): Promise<TimeResult> {
    const { upload } = this.run.context;
    if (!this.canSetTime || !remote || !local) return 'unsupported';
    const fields = ['id', ...CHECKSUM_FIELDS].join(',');
    const request = { id: remote.id, time: new Date(local.mtimeMs), fields };
    const file = await setModifiedTime(upload.drive, request, this.run.call);
    this.canSetTime = file !== undefined;
    if (!file) return 'unsupported';
    // The time of the file on disk would hide that someone has changed the content on the drive meanwhile.
    const checksum = checksumBytes({ ...file, id: remote.id });
    const isComparable = checksum !== undefined && checksum.length === remote.checksum?.length;
    return isComparable && checksum !== remote.checksum ? 'changed' : 'set';
  }

  private uploadRequest(file: SyncFile, onProgress: OnProgress): UploadRequest {
    const { run } = this;
    return {
      content: { path: run.localPath(file), within: run.top.diskPath() },
      name: file.name,
      folderId: run.parentId(file.folder),
      mimeType: '',
      keepModifiedTime: true,
      metadata: {},
      // What exists is known from the listing.
      ifExists: 'duplicate',
      replaces: file.remote?.id,
      fields: run.context.upload.drive.service.can.trash ? 'id,trashed' : 'id',
      onProgress,
    };
  }
}

/** Small requests at once. */
const MAX_REQUESTS = 8;

/** A folder that can't be created gets the error. @throws the error that stops the run */
async function createFolders(run: SyncRun): Promise<void> {
  const { folders } = run.plan;
  const [first] = folders;
  // Shows whether a custom service can create folders, before anything else is written.
  if (first && !run.context.upload.drive.service.can.folders) await createMissing(run, first);
  for (const level of byLevel(folders))
    await runWorkers(MAX_REQUESTS, level, (folder) => createMissing(run, folder));
}

/** @param folders each after its parent */
function byLevel(folders: readonly SyncFolder[]): SyncFolder[][] {
  const levels = new Map<number, SyncFolder[]>();
  for (const folder of folders) {
    const depth = folder.path.split('/').length;
    const level = levels.get(depth);
    if (level) level.push(folder);
    else levels.set(depth, [folder]);
  }
  return [...levels].sort(([a], [b]) => a - b).map(([, level]) => level);
}

async function createMissing(run: SyncRun, folder: SyncFolder): Promise<void> {
  const { parent, name } = folder;
  const { upload } = run.context;
  if (!parent || folder.driveId !== undefined || folder.error !== undefined) return;
  folder.error = parent.error;
  if (folder.error !== undefined) return;
  try {
    const request = { name, folderId: run.parentId(parent), fields: 'id' };
    folder.driveId = (await createNewFolder(upload, request, run.call)).id;
  } catch (caught) {
    const isFirst = folder === run.plan.folders[0];
    const error = isFirst ? noFoldersError(upload.drive.service, name, caught) : caught;
    if (error !== caught) throw run.stop(needsFolders(error));
    run.failed(`${folder.path}/`, error);
    folder.error = error;
  }
}

/** @returns the error itself, unless the service can't create folders, which nothing but an attempt shows */
export function needsFolders(error: unknown): unknown {
  if (!isDriveError(error, 'bad_response') || error.text !== 'bad_response_no_folders') return error;
  const { params, status } = error;
  return new DriveError('not_configured', { text: 'not_configured_sync_folders', params, status });
}
