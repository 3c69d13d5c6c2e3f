/** Lists both sides, level by level, and plans each folder once both are known. The decisions are in plan.ts. */
import path from 'node:path';
import { DriveError, cancelled } from '../errors';
import { type DriveContext, rootId } from '../drive/drive-context';
import { folderMimeType } from '../drive/mime-types';
import { FOLDERS_PER_QUERY } from '../drive/list';
import { getMetadataIfSupported } from '../drive/metadata';
import { findMountPoints } from '../fs/mount-points';
import { findExportable } from '../transfer/download/workspace-export';
import { withPinnedFolder } from '../fs/pinned-folder';
import { localFileError } from '../fs/local-file-error';
import { checkLevels, splitPath } from '../drive/resolver';
import type { CallOptions } from '../types';
import type { DiskNames } from './disk-names';
import { type DriveEntry, targetEntry, listDrive, listFields, toEntry } from './list-drive';
import { type LocalListing, listLocal } from './list-local';
import { Plan, planFolder } from './plan';
import type { SyncFolder } from './sync-folder';
import type { SyncRequest } from './sync-request';

export interface PlanRequest {
  drive: DriveContext;
  request: SyncRequest;
  names: DiskNames;
  top: SyncFolder;
  call: CallOptions;
}

/** Batches of folders that are listed at once. */
const MAX_LISTS = 4;
const FILES_PER_BATCH = 4_000;

/**
 * @throws `conflict`, `invalid_input` for folders nested too deeply, `bad_response` for a list that may be incomplete,
 *   `local_file` for the top folder, …
 */
export async function buildPlan(request: PlanRequest): Promise<Plan> {
  const { service } = request.drive;
  const { direction, extra } = request.request;
  // An unrecognized folder on the drive would be downloaded or removed like a file.
  if (direction === 'down' || extra !== 'keep') folderMimeType(service);
  const builder = new PlanBuilder(request);
  await builder.run();
  checkDepth(builder.plan, request.request);
  if (builder.plan.folders.length > 0) folderMimeType(service);
  return builder.plan;
}

/** @throws `invalid_input` before the first folder is created */
function checkDepth({ isUp, folders }: Plan, { folderPath }: SyncRequest): void {
  if (!isUp) return;
  const levels = folderPath === undefined ? 0 : splitPath(folderPath.path).length;
  for (const { path } of folders) checkLevels(levels + path.split('/').length);
}

interface Listings {
  listed: readonly DriveEntry[];
  local: LocalListing | undefined;
  /** Ends when the batches before this one are planned. */
  earlier: Promise<unknown>;
}

interface PlannedBatch {
  /** The folders in those of the batch. */
  inside: SyncFolder[];
  /** Number of folders that were listed on the drive, and of entries in them. */
  folders: number;
  files: number;
}

class PlanBuilder {
  readonly plan: Plan;
  private readonly followed = new Set<string>();
  /** The batches that come before the next one. */
  private earlier: Promise<unknown> = Promise.resolve();
  /** Not the alias `root`, which isn't the target of a shortcut. */
  private topId: Promise<string | undefined> | undefined;
  private mountPoints: ReturnType<typeof findMountPoints> | undefined;
  private exportable: ReturnType<typeof findExportable> | undefined;
  /** On the drive, in the batches of the level that were planned last. */
  private filesPerFolder = 1;

  constructor(private readonly options: PlanRequest) {
    this.plan = new Plan(options.request, options.names);
  }

  async run(): Promise<void> {
    let level = [this.options.top];
    while (level.length > 0) {
      const next = await this.planLevel(level);
      level = next.sort((a, b) => (a.path < b.path ? -1 : 1));
    }
    this.plan.finish();
    const { isUp, extraFiles, extraFolders } = this.plan;
    if (!isUp && extraFiles.length + extraFolders.length > 0) await this.checkTopIsThere();
  }

  /** If the folder went to the trash meanwhile, the last lists were empty. @throws `not_found` */
  private async checkTopIsThere(): Promise<void> {
    const { drive, request, top, call } = this.options;
    if (request.folderId === '' || top.driveId === undefined) return;
    const file = await getMetadataIfSupported(drive, top.driveId, 'id,trashed', call);
    if (file?.trashed === true) throw new DriveError('not_found');
  }

  /**
   * The first batch shows how many files to expect in the others. The size of a batch depends on the earlier ones, but not
   * on the order in which the responses arrive, so that the same folders always take the same requests.
   */
  private async planLevel(level: readonly SyncFolder[]): Promise<SyncFolder[]> {
    const next: SyncFolder[] = [];
    const running: Promise<PlannedBatch>[] = [];
    const planned = { folders: 0, files: 0 };
    const endOldest = async (): Promise<void> => {
      const { inside, folders, files } = (await running.shift())!;
      for (const folder of inside) next.push(folder);
      planned.folders += folders;
      planned.files += files;
      if (planned.folders > 0) this.filesPerFolder = planned.files / planned.folders;
    };
    try {
      for (let start = 0; start < level.length;) {
        const batch = level.slice(start, start + this.batchSize());
        running.push(this.startBatch(batch));
        if (start === 0 || running.length === MAX_LISTS) await endOldest();
        start += batch.length;
      }
      while (running.length > 0) await endOldest();
    } finally {
      await Promise.allSettled(running);
    }
    return next;
  }

  /** So many folders that they need several pages, but not the memory for many. */
  private batchSize(): number {
    if (!this.options.drive.service.can.queries) return 1;
    return Math.min(FOLDERS_PER_QUERY, Math.ceil(FILES_PER_BATCH / Math.max(1, this.filesPerFolder)));
  }

  private startBatch(folders: readonly SyncFolder[]): Promise<PlannedBatch> {
    const { earlier } = this;
    const planned = this.planBatch(folders, earlier);
    this.earlier = Promise.allSettled([earlier, planned]);
    return planned;
  }

  private async planBatch(folders: readonly SyncFolder[], earlier: Promise<unknown>): Promise<PlannedBatch> {
    const { drive, call } = this.options;
    if (call.signal?.aborted) throw cancelled();
    const ids = new Set(folders.flatMap(({ driveId }) => driveId ?? []));
    const remotes = await listDrive(drive, [...ids], call);
    const batch: PlannedBatch = { inside: [], folders: 0, files: 0 };
    for (const folder of folders) {
      // One folder at a time, because the listings of many would take more memory than the plan.
      const local = await this.listLocal(folder);
      if (local === 'failed') continue;
      const listed = await this.checkTop(folder, remotes.get(folder.driveId ?? ''));
      batch.folders += listed ? 1 : 0;
      batch.files += listed?.length ?? 0;
      const remote = listed && (await this.followShortcuts(folder, { listed, local, earlier }));
      if (remote?.some(({ kind }) => kind === 'document')) await this.findExportable();
      await this.options.names.prepare(remote ?? []);
      for (const each of planFolder(this.plan, folder, { local, remote })) batch.inside.push(each);
    }
    return batch;
  }

  /** A document without the requested format is skipped, which only the service knows. */
  private async findExportable(): Promise<void> {
    const { drive, request, call } = this.options;
    if (this.plan.isUp || request.exportFormat === '') return;
    this.exportable ??= findExportable(drive, request.exportFormat, call);
    this.plan.canExport = (await this.exportable) ?? this.plan.canExport;
  }

  /** Nothing is listed in a folder that is in the trash, in a file, and in a shortcut, which stands for its target. */
  private async checkTop(
    folder: SyncFolder,
    listed: readonly DriveEntry[] | undefined,
  ): Promise<readonly DriveEntry[] | undefined> {
    const { drive, request, top, call } = this.options;
    const { driveId } = folder;
    const isDoubtful = folder === top && request.folderId !== '' && listed?.length === 0;
    if (!isDoubtful || driveId === undefined) return listed;
    const file = await getMetadataIfSupported(drive, driveId, `${listFields(drive)},trashed`, call);
    if (!file) return listed;
    if (file.trashed === true) throw new DriveError('not_found');
    const { name, kind, target } = toEntry(drive, file);
    if (kind === 'folder') return listed;
    if (!target?.isFolder) {
      throw new DriveError('invalid_input', { text: 'invalid_input_sync_not_folder', params: { name } });
    }
    folder.driveId = target.id;
    return (await listDrive(drive, [target.id], call)).get(target.id);
  }

  /** A folder that can't be read doesn't stop the others. */
  private async listLocal(folder: SyncFolder): Promise<LocalListing | 'failed' | undefined> {
    if (!folder.onDisk) return undefined;
    const { request, top } = this.options;
    const absolute = path.join(request.localPath, folder.path);
    const parents = [...folder.withParents()].flatMap(({ realPath }) => realPath ?? []);
    const links = { symlinks: request.symlinks, top: top.realPath ?? '', parents };
    try {
      const listing = await withPinnedFolder(folder.diskPath(), (pinned) => listLocal(pinned.path, links));
      await this.markForeign(folder, listing);
      return listing;
    } catch (caught) {
      const error = localFileError(caught, absolute);
      if (folder === top) throw error;
      this.plan.fail(folder, error);
      return 'failed';
    }
  }

  /** Other disks that are mounted in the folder, and what a file system keeps at its top. */
  private async markForeign(folder: SyncFolder, { entries }: LocalListing): Promise<void> {
    const { top, request } = this.options;
    if (this.plan.isUp || request.extra === 'keep') return;
    this.mountPoints ??= findMountPoints(top.diskPath());
    const isMountPoint = await this.mountPoints;
    const isDisk = folder === top && (await isMountPoint(top.diskPath()));
    for (const entry of entries) {
      if (entry.kind !== 'folder') continue;
      const isMounted = await isMountPoint(path.join(folder.diskPath(), entry.name)).catch(() => false);
      entry.isForeign = isMounted || (isDisk && entry.name === 'lost+found');
    }
  }

  /**
   * `up` follows only those that have the name of a folder on disk. Of several shortcuts that lead to one place, the
   * first by path is followed, however long the lists take.
   */
  private async followShortcuts(
    folder: SyncFolder,
    { listed, local, earlier }: Listings,
  ): Promise<DriveEntry[]> {
    const { names } = this.options;
    const folderKeys = new Set<string>();
    for (const { kind, name } of local?.entries ?? []) if (kind === 'folder') folderKeys.add(names.key(name));
    const followed: DriveEntry[] = [];
    for (const entry of listed) {
      const isWanted = !this.plan.isUp || (entry.target?.isFolder && folderKeys.has(names.key(entry.name)));
      if (entry.kind !== 'shortcut' || !isWanted) followed.push(entry);
      else {
        await earlier;
        followed.push(await this.follow(folder, entry));
      }
    }
    return followed;
  }

  private async follow(folder: SyncFolder, shortcut: DriveEntry): Promise<DriveEntry> {
    const { drive, call } = this.options;
    const { id } = shortcut.file;
    const parentIds = [...folder.withParents()].map(({ driveId }) => driveId);
    if (shortcut.target?.isFolder) parentIds.push(await (this.topId ??= this.findTopId()));
    const isLoop = parentIds.includes(shortcut.target?.id);
    if (this.followed.has(id) || isLoop) return { ...shortcut, kind: 'blocked', reason: 'shortcut_seen' };
    this.followed.add(id);
    return targetEntry(drive, shortcut, call);
  }

  private async findTopId(): Promise<string | undefined> {
    const { drive, top, call } = this.options;
    const { driveId } = top;
    if (driveId === undefined || driveId !== rootId(drive.service)) return driveId;
    return (await getMetadataIfSupported(drive, driveId, 'id', call))?.id;
  }
}
