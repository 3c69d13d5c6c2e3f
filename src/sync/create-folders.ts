/** Creates the missing folders on the drive, level by level. */
import { createNewFolder, noFoldersError } from '../drive/create-folder';
import type { SyncFolder } from './sync-folder';
import type { SyncRun } from './sync-run';
import { runWorkers } from './workers';

/** Small requests at once. */
const MAX_REQUESTS = 8;

/** A folder that can't be created gets the error. @throws the error that stops the run */
export async function createFolders(run: SyncRun): Promise<void> {
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
    if (error !== caught) throw run.stop(error);
    run.failed(`${folder.path}/`, error);
    folder.error = error;
  }
}
