/**
 * Makes a folder on the drive like one on disk, or the other way around: lists both sides, plans, and only then writes.
 * The source is never changed.
 */
import { realpath } from 'node:fs/promises';
import { DriveError, errorCode, isDriveError } from '../errors';
import { rootId } from '../drive/drive-context';
import { localFileError } from '../fs/local-file-error';
import type { CallOptions } from '../types';
import { buildPlan } from './build-plan';
import { DRIVE_NAMES, detectDiskNames } from './disk-names';
import { downloadChanges } from './download-changes';
import { previewExtra, removeExtra } from './remove-extra';
import { SyncFolder } from './sync-folder';
import { type SyncRequest, type SyncResult, checkSync } from './sync-request';
import { type SyncContext, SyncRun } from './sync-run';
import { previewFiles } from './transfer-files';
import { needsFolders, uploadChanges } from './upload-changes';

/**
 * @returns also if files failed, or if the run was stopped: see {@link SyncResult}
 * @throws as {@link checkSync}, and before anything is written: `conflict`; `bad_response` for a list that may be
 *   incomplete; `not_found`; `not_configured` for a custom service without a folder MIME type, or
 *   one that can't create a folder that is needed; …
 */
export async function sync(
  context: SyncContext,
  request: SyncRequest,
  call: CallOptions,
): Promise<SyncResult> {
  await checkSync(request);
  const run = await prepare(context, request, call);
  try {
    await (request.dryRun ? preview(run) : act(run));
  } catch (error) {
    const stoppedBy = run.stop(error);
    if (!isDriveError(stoppedBy)) throw stoppedBy;
  } finally {
    await run.folders.close();
  }
  return run.result();
}

/** Plans, and then creates the folder on the drive if it is missing. */
async function prepare(context: SyncContext, request: SyncRequest, call: CallOptions): Promise<SyncRun> {
  const { drive } = context.upload;
  const top = await openTop(context, request);
  const { direction, localPath, dryRun } = request;
  const names = direction === 'up' ? DRIVE_NAMES : await detectDiskNames(localPath, dryRun);
  const listedAt = drive.clock.monotonic();
  const plan = await buildPlan({ drive, request, names, top, call });
  if (request.dryRun || top.driveId !== undefined || !context.createFolder)
    return new SyncRun(context, request, { top, plan, listedAt, call });
  const { folder, created } = await context.createFolder().catch((error: unknown) => {
    throw needsFolders(error);
  });
  const folderId = folder.id;
  // Another client has created the folder meanwhile, and may have put files into it.
  if (!created) return prepare(context, { ...request, folderId }, call);
  top.driveId = folderId;
  return new SyncRun(context, { ...request, folderId }, { top, plan, listedAt, call });
}

async function preview(run: SyncRun): Promise<void> {
  await previewFiles(run);
  if (!run.hasFailed) previewExtra(run);
}

async function act(run: SyncRun): Promise<void> {
  await (run.plan.isUp ? uploadChanges(run) : downloadChanges(run));
  if (!run.hasFailed) await removeExtra(run);
}

async function openTop(context: SyncContext, request: SyncRequest): Promise<SyncFolder> {
  const { folderId } = request;
  if (folderId === undefined && !request.dryRun && !context.createFolder) throw new DriveError('not_found');
  const top = new SyncFolder(undefined, '');
  top.isNeeded = true;
  top.realPath = await realPathOfTop(request);
  top.onDisk = top.realPath !== undefined;
  top.driveId = folderId === undefined ? undefined : folderId || rootId(context.upload.drive.service);
  return top;
}

/**
 * @returns undefined for a folder that a download creates.
 * @throws `local_file`: otherwise, a lost disk would look empty
 */
async function realPathOfTop({ direction, localPath }: SyncRequest): Promise<string | undefined> {
  try {
    return await realpath(localPath);
  } catch (error) {
    if (direction === 'down' && errorCode(error) === 'ENOENT') return undefined;
    throw localFileError(error, localPath);
  }
}
