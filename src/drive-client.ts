/** The Drive client: one method for each operation. */
import {
  getAbout,
  type SharedDrive,
  type SharedDrivePage,
  type SharedDriveRequest,
  getSharedDrive,
  listSharedDrives,
} from './drive/about';
import { deletePermanently, emptyTrash, trash } from './drive/delete';
import {
  type DriveContext,
  closeRepositories,
  createDriveContext,
  noKnownFolders,
  rootId,
} from './drive/drive-context';
import { isFolder } from './drive/mime-types';
import { IdPool } from './drive/idempotent-create';
import { type FileList, type ListedPage, readComplete, isNonEmptyFolder } from './drive/list';
import { getMetadataIfSupported, type MetadataUpdate, updateMetadata } from './drive/metadata';
import { type RawRequest, type RawResponse, fileChangedBy, rawRequest } from './drive/raw-request';
import { inTargetFolder } from './drive/shortcuts';
import { ArchiveNumbers } from './backup/archive-numbers';
import { type BackupContext, type BackupRequest, type BackupResult, backup } from './backup/backup';
import { type CheckRequest, type CheckResult, checkArchive } from './backup/check';
import { type ArchiveListRequest, type ListedArchive, listArchive } from './backup/list-archive';
import { type SwapContext, finishSwaps } from './backup/restore/interrupted-swaps';
import { type ArchiveQuery, type FoundArchives, findArchives } from './backup/select-archive';
import { type RestoreRequest, type RestoreResult, restore } from './backup/restore';
import { BandwidthLimiter } from './core/bandwidth-limiter';
import { driveFolderKey, foldersOnDrive } from './core/folder-lock';
import { Semaphore } from './core/semaphore';
import { type DiskDownload, downloadToDisk } from './transfer/download/to-disk';
import { type MemoryDownload, downloadToMemory } from './transfer/download/to-memory';
import {
  copy,
  createShortcut,
  type MoveRequest,
  move,
  type CopyRequest,
  type MoveContext,
  type MoveResult,
} from './drive/move-or-copy';
import {
  type CreateContext,
  type CreateFolderRequest,
  type CreateFolderResult,
  createFolder,
} from './drive/create-folder';
import { NameLock } from './drive/name-lock';
import { RootFolder } from './drive/root-folder';
import type { ShareRequest, SharedFileRequest, UnshareRequest } from './drive/grant-permission';
import { type ShareResult, listSharing, share, unshare } from './drive/share';
import type { HttpClient } from './http/client';
import { RequestEngine } from './http/engine';
import type { JsonObject } from './core/validator';
import type { RetryOptions } from './http/retry';
import { PathResolver } from './drive/resolver';
import { type SearchPageRequest, searchPage, type SearchRequest, searchFiles } from './drive/search';
import type * as SnapshotReading from './backup/read-snapshots';
import type * as Snapshots from './backup/backup-snapshot';
import type {
  FoundSnapshots,
  SnapshotBackupRequest,
  SnapshotBackupResult,
  SnapshotCheckRequest,
  SnapshotCheckResult,
  SnapshotListRequest,
  SnapshotRestoreRequest,
  SnapshotRestoreResult,
  SnapshotSearch,
  ListedSnapshot,
} from './backup/restic/snapshot-request';
import { SyncQueue } from './sync/sync-queue';
import type { SyncRequest, SyncResult } from './sync/sync-request';
import type { SyncContext } from './sync/sync-run';
import type { AccessTokens, CallOptions, DriveFile, Service } from './types';
import { ServiceChecksums } from './transfer/upload/upload-job';
import { SessionRegistry, type SessionStore } from './transfer/upload/session-registry';
import { type UploadContext, type UploadResult, upload } from './transfer/upload/upload';
import type { UploadRequest } from './transfer/upload/upload-request';
import { Watch, type WatchOptions } from './watch/watch';

export interface DriveClientOptions extends RetryOptions {
  /** Not closed by the DriveClient. */
  http: HttpClient;
  tokens: AccessTokens;
  service: Service;
  requestsPerSecond: number;
  /** Concurrent transfers; the others are queued. */
  maxTransfers: number;
  /** Bytes per second for all transfers together; 0, the default, for no limit. */
  bandwidth?: number;
  /** Lets a repeated upload from disk resume after a restart. */
  uploadSessions?: SessionStore;
  /** Lets an interrupted restore be completed after a restart. By default, only while the client exists. */
  swaps?: Pick<SwapContext, 'records' | 'onFinished'> | undefined;
}

export class DriveClient {
  readonly service: Service;
  readonly paths: PathResolver;
  private readonly drive: DriveContext;
  private readonly rootFolder: RootFolder;
  private readonly transfers: Semaphore;
  private readonly context: MoveContext & UploadContext;
  /** Separate from uploads and moves: creating a folder doesn't wait for the upload of a file with the same name. */
  private readonly folders: CreateContext;
  private readonly syncs: SyncQueue;
  private readonly archiveNumbers = new ArchiveNumbers();
  private readonly swaps: SwapContext;

  constructor(options: DriveClientOptions) {
    this.service = options.service;
    this.drive = createDriveContext({
      engine: new RequestEngine(options),
      service: this.service,
      bandwidth: new BandwidthLimiter(options.bandwidth ?? 0, options.clock),
      clock: options.clock,
    });
    this.rootFolder = new RootFolder(this.drive);
    this.transfers = new Semaphore(options.maxTransfers);
    this.context = {
      drive: this.drive,
      idPool: new IdPool(this.drive),
      rootFolder: this.rootFolder,
      nameLock: new NameLock(this.rootFolder),
      checksums: new ServiceChecksums(),
      transfers: this.transfers,
      sessions: new SessionRegistry(options.uploadSessions, options.clock),
    };
    this.folders = { ...this.context, nameLock: new NameLock(this.rootFolder) };
    this.paths = new PathResolver(this.folders, options.clock);
    const { drive, paths, rootFolder } = this;
    this.syncs = new SyncQueue({ drive, paths, rootFolder });
    this.swaps = { records: new Map(), ...options.swaps, clock: options.clock };
  }

  getAbout(fields: string, call: CallOptions = {}): Promise<JsonObject> {
    return getAbout(this.drive, fields, call);
  }

  search(request: SearchRequest, call: CallOptions = {}): AsyncGenerator<FileList> {
    return searchFiles(this.drive, request, call);
  }

  /** As {@link search}, for a list that must be complete; see {@link readComplete}. */
  readSearch<T>(
    request: SearchRequest,
    read: (files: AsyncIterable<DriveFile[]>) => Promise<T>,
    call: CallOptions = {},
  ): Promise<T> {
    const pages = (budgeted: CallOptions) => searchFiles(this.drive, request, budgeted);
    return readComplete(this.drive, { pages }, read, call);
  }

  /** One page of search results, which may be empty although there is a next page. */
  searchPage(request: SearchPageRequest, call: CallOptions = {}): Promise<ListedPage> {
    return searchPage(this.drive, request, call);
  }

  /** Undefined if a custom service has no metadata request. */
  getMetadata(id: string, fields: string, call: CallOptions = {}): Promise<DriveFile | undefined> {
    return getMetadataIfSupported(this.drive, id, fields, call);
  }

  /** Also reads metadata, without changes. */
  updateMetadata(update: MetadataUpdate, call: CallOptions = {}): Promise<DriveFile> {
    return this.paths.invalidateAfter(update.id, updateMetadata(this.drive, update, call));
  }

  downloadToDisk(request: DiskDownload, call: CallOptions = {}): Promise<{ file: DriveFile; path: string }> {
    return this.transfers.run(() => downloadToDisk(this.drive, request, call), call.signal);
  }

  downloadToMemory(
    request: MemoryDownload,
    call: CallOptions = {},
  ): Promise<{ file: DriveFile; content: Buffer }> {
    return this.transfers.run(() => downloadToMemory(this.drive, request, call), call.signal);
  }

  async upload(request: UploadRequest, call: CallOptions = {}): Promise<UploadResult> {
    if ('path' in request.content) await finishSwaps(this.swaps, request.content.path, call);
    return this.inFolder(request, (each) => upload(this.context, each, call), call);
  }

  async backup(request: BackupRequest, call: CallOptions = {}): Promise<BackupResult> {
    for (const source of request.sources) await finishSwaps(this.swaps, source, call);
    const { context, archiveNumbers: numbers } = this;
    const remove: BackupContext['remove'] = (id, mode, options) =>
      mode === 'permanent' ? this.delete(id, options) : this.trash(id, options);
    return this.inFolder(request, (each) => backup({ context, numbers, remove }, each, call), call);
  }

  async backupSnapshot(
    request: SnapshotBackupRequest,
    call: CallOptions = {},
  ): Promise<SnapshotBackupResult> {
    for (const source of request.sources) await finishSwaps(this.swaps, source, call);
    const { backupSnapshot } = loadSnapshots();
    return this.inFolder(request, (each) => backupSnapshot(this.context, each, call), call);
  }

  /** Lists the snapshots of a repository, and says which one a restore with this choice would read. */
  findSnapshots(request: SnapshotSearch, call: CallOptions = {}): Promise<FoundSnapshots> {
    const { findSnapshots } = loadSnapshots();
    return this.inFolder(request, (each) => findSnapshots(this.context, each, call), call);
  }

  /** As {@link restore}. */
  restoreSnapshot(request: SnapshotRestoreRequest, call: CallOptions = {}): Promise<SnapshotRestoreResult> {
    const { restoreSnapshot } = loadSnapshotReading();
    const { context, swaps } = this;
    return this.inFolder(request, (each) => restoreSnapshot({ context, swaps }, each, call), call);
  }

  /** Reads a snapshot without writing anything but a lock, as does {@link listSnapshot}. */
  checkSnapshot(request: SnapshotCheckRequest, call: CallOptions = {}): Promise<SnapshotCheckResult> {
    const { checkSnapshot } = loadSnapshotReading();
    return this.inFolder(request, (each) => checkSnapshot(this.context, each, call), call);
  }

  listSnapshot(request: SnapshotListRequest, call: CallOptions = {}): Promise<ListedSnapshot> {
    const { listSnapshotEntries } = loadSnapshotReading();
    return this.inFolder(request, (each) => listSnapshotEntries(this.context, each, call), call);
  }

  /** Waits for other restores and synchronizations with folders on disk that overlap, also those of other clients. */
  restore(request: RestoreRequest, call: CallOptions = {}): Promise<RestoreResult> {
    return restore({ ...this.context, swaps: this.swaps }, request, call);
  }

  /** Reads an archive without writing anything, as does {@link listArchive}. */
  checkArchive(request: CheckRequest, call: CallOptions = {}): Promise<CheckResult> {
    return checkArchive(this.context, request, call);
  }

  /** Lists the archives of a folder. */
  findArchives(query: ArchiveQuery, call: CallOptions = {}): Promise<FoundArchives> {
    return findArchives(this.drive, query, call);
  }

  listArchive(request: ArchiveListRequest, call: CallOptions = {}): Promise<ListedArchive> {
    return listArchive(this.context, request, call);
  }

  /** Synchronizations with folders that overlap run one after the other if any of them writes there. */
  sync(request: SyncRequest, call: CallOptions = {}): Promise<SyncResult> {
    const finishRestores = (): Promise<void> => finishSwaps(this.swaps, request.localPath, call);
    const remove: SyncContext['remove'] = (id, mode, options) =>
      mode === 'delete' ? this.delete(id, options) : this.trash(id, options);
    const { context: upload, rootFolder } = this;
    return this.syncs.run({ upload, rootFolder, remove, finishRestores }, request, call);
  }

  createFolder(request: CreateFolderRequest, call: CallOptions = {}): Promise<CreateFolderResult> {
    return this.inFolder(request, (each) => createFolder(this.folders, each, call), call);
  }

  copy(request: CopyRequest, call: CallOptions = {}): Promise<MoveResult> {
    return this.inFolder(request, (each) => copy(this.context, each, call), call);
  }

  createShortcut(request: CopyRequest, call: CallOptions = {}): Promise<MoveResult> {
    return this.inFolder(request, (each) => createShortcut(this.context, each, call), call);
  }

  move(request: MoveRequest, call: CallOptions = {}): Promise<MoveResult> {
    const moved = this.inFolder(request, (each) => move(this.context, each, call), call);
    return this.paths.invalidateAfter(request.id, moved);
  }

  trash(id: string, call: CallOptions = {}): Promise<void> {
    return this.paths.invalidateAfter(id, trash(this.drive, id, call));
  }

  emptyTrash(call: CallOptions = {}): Promise<void> {
    return emptyTrash(this.drive, call);
  }

  delete(id: string, call: CallOptions = {}): Promise<void> {
    return this.paths.invalidateAfter(id, deletePermanently(this.drive, id, call));
  }

  share(request: ShareRequest, call: CallOptions = {}): Promise<ShareResult> {
    return share(this.drive, request, call);
  }

  unshare(request: UnshareRequest, call: CallOptions = {}): Promise<ShareResult> {
    return unshare(this.drive, request, call);
  }

  listSharing(request: SharedFileRequest, call: CallOptions = {}): Promise<ShareResult> {
    return listSharing(this.drive, request, call);
  }

  /** Any request below `/drive/v3/`. */
  request(request: RawRequest, call: CallOptions = {}): Promise<RawResponse> {
    return this.paths.invalidateAfter(fileChangedBy(request), rawRequest(this.drive, request, call));
  }

  /** One page of the shared drives that the account is a member of, of Google Drive only. */
  listSharedDrives(request: SharedDriveRequest, call: CallOptions = {}): Promise<SharedDrivePage> {
    return listSharedDrives(this.drive, request, call);
  }

  getSharedDrive(id: string, call: CallOptions = {}): Promise<SharedDrive> {
    return getSharedDrive(this.drive, id, call);
  }

  /** @param saved the saved state of an earlier watch with the same options; undefined for a new watch */
  watch(options: WatchOptions, saved: unknown): Watch {
    return new Watch(this.drive, options, saved);
  }

  /**
   * Runs a list of a folder, together with the removals that depend on it, when earlier ones of the same folder have
   * ended, also of other clients.
   * @throws `cancelled` if the signal is aborted before the work starts
   */
  inTurn<T>(folderId: string, work: () => Promise<T>, call: CallOptions = {}): Promise<T> {
    return foldersOnDrive.run(driveFolderKey(this.service.baseUrl, folderId), work, call);
  }

  /** Call it when another user may have signed in, whose root and folders are others. */
  forgetUser(): void {
    this.rootFolder.forget();
    this.paths.cache.clear();
    this.drive.knownFolders = noKnownFolders();
    this.context.idPool.clear();
  }

  /** As {@link closeRepositories}. */
  closeRepositories(): Promise<void> {
    return closeRepositories(this.drive);
  }

  /** As {@link RequestEngine.serviceTime}. */
  serviceTime(): number | undefined {
    return this.drive.engine.serviceTime();
  }

  isFolder(file: DriveFile): boolean {
    return isFolder(this.service, file.mimeType);
  }

  /** Recognizes folders with content at a service without metadata requests. */
  isNonEmptyFolder(id: string, call: CallOptions = {}): Promise<boolean> {
    return isNonEmptyFolder(this.drive, id, call);
  }

  /** The root in requests: the shared drive's id, or an alias. */
  get rootId(): string {
    return rootId(this.service);
  }

  /** True for the root's alias, the shared drive's id, and the root folder's own id, which is requested once. */
  isRoot(id: string, call: CallOptions = {}): Promise<boolean> {
    return this.rootFolder.isRoot(id, call.signal);
  }

  /** As {@link inTargetFolder}. */
  private inFolder<R extends { folderId?: string | undefined }, T>(
    request: R,
    work: (request: R) => Promise<T>,
    call: CallOptions,
  ): Promise<T> {
    return inTargetFolder(this.drive, request, work, call);
  }
}

/** Loaded on first use, because most flows don't need it. */
function loadSnapshots(): typeof Snapshots {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require('./backup/backup-snapshot') as typeof Snapshots;
}

function loadSnapshotReading(): typeof SnapshotReading {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require('./backup/read-snapshots') as typeof SnapshotReading;
}
