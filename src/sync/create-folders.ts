/**
 * Creates the missing folders on the drive, level by level. Another client may create the same ones at the same time:
 * before anything is put into the folders of a level, one list for many of them shows the duplicates, and the oldest of
 * each name stays, as in src/drive/create-folder.ts.
 */
import { trash } from '../drive/delete';
import { createNewFolder, noFoldersError } from '../drive/create-folder';
import { hasChildren } from '../drive/list';
import { creationFields } from './creation-times';
import { findDuplicates } from './find-duplicates';
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
  if (first && !run.context.upload.drive.service.can.folders) await createFolder(run, first);
  for (const level of byLevel(folders)) {
    await runWorkers(MAX_REQUESTS, level, (folder) => createFolder(run, folder));
    await keepOldestFolders(run, level);
  }
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

async function createFolder(run: SyncRun, folder: SyncFolder): Promise<void> {
  const { parent, name } = folder;
  const { upload } = run.context;
  if (!parent || folder.driveId !== undefined || folder.error !== undefined) return;
  folder.error = parent.error;
  if (folder.error !== undefined) return;
  try {
    const request = { name, folderId: run.parentId(parent), fields: creationFields(upload.drive) };
    const { id, createdTime } = await createNewFolder(upload, request, run.call);
    folder.driveId = id;
    run.creationTimes.add(createdTime);
  } catch (caught) {
    const isFirst = folder === run.plan.folders[0];
    const error = isFirst ? noFoldersError(upload.drive.service, name, caught) : caught;
    if (error !== caught) throw run.stop(error);
    run.failed(`${folder.path}/`, error);
    folder.error = error;
  }
}

async function keepOldestFolders(run: SyncRun, created: readonly SyncFolder[]): Promise<void> {
  const { drive } = run.context.upload;
  const parents = new Set(created.flatMap(({ parent }) => parent?.driveId ?? []));
  const options = { kind: 'folders', since: run.creationTimes.earliest } as const;
  const duplicates = await findDuplicates(drive, [...parents], options, run.call);
  for (const { parentId, name, ids } of duplicates) {
    const own = created.find(
      (folder) => folder.parent?.driveId === parentId && folder.name.normalize('NFC') === name,
    );
    const [oldest] = ids;
    if (!own?.driveId || oldest === undefined || oldest === own.driveId || !ids.includes(own.driveId))
      continue;
    // Another client may have put files into it meanwhile.
    if (!(await hasChildren(drive, own.driveId, run.call))) await trash(drive, own.driveId, run.call);
    own.driveId = oldest;
  }
}
