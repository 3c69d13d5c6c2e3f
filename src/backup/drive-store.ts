/**
 * The files of a repository in a folder of the drive, as restic and rclone expect them there. Names aren't unique on
 * the drive: two machines may create the same folder or file at once, so a name stands for all files and folders that
 * have it.
 */
import { checksumAlgorithm, checksumOf, sizeOf } from '../drive/checksums';
import { deletePermanently, trash } from '../drive/delete';
import { type DriveContext, type FreshFile, rootId } from '../drive/drive-context';
import { folderMimeType, isFolder, itemKind } from '../drive/mime-types';
import { inQueries, listPages, listChildren, listComplete } from '../drive/list';
import { getMetadata, getMetadataIfSupported, updateMetadata } from '../drive/metadata';
import { allOf, anyOf, inParents, nameEquals, notTrashed } from '../drive/query';
import { isDeepStrictEqual } from 'node:util';
import { fetchRange } from '../transfer/download/fetch-range';
import { DriveError, ifFound, isDriveError } from '../errors';
import { createNewFolder, oldestFirst } from '../drive/create-folder';
import type { ByteSink } from '../core/buffers';
import type { HttpResponse } from '../http/client';
import { observedTransfer } from '../http/observer';
import { uncancelled } from '../http/retry';
import { storedAt } from './retention/timestamp';
import type { CallOptions, DriveFile } from '../types';
import { type UploadContext, uploadNow } from '../transfer/upload/upload';
import { damagedFile, isId } from './restic/json-file';
import type { ByteRange, FileType, RepositoryStore, StoredFile } from './restic/store';

/** Names have 64 characters. */
const NAMES_PER_QUERY = 40;
/** Of more missing files, some are looked for elsewhere: they were moved together. */
const MAX_NAMES = 4_000;
const TYPES: readonly FileType[] = ['keys', 'locks', 'snapshots', 'index', 'data'];
/** The folders whose content counts. They exist before the config does, so one that is missing was moved or removed. */
const NEEDED: readonly FileType[] = ['keys', 'snapshots', 'index', 'data'];
/** How often the folders are listed before one counts as missing, because a list may be late. */
const MAX_LISTS = 3;
/** The folders in `data`, each for the IDs that begin with its name. */
const PART = /^[0-9a-f]{2}$/;
/** Bytes of the largest file that is read at once: a pack may have 128 MiB, and its last blob makes it larger. */
const MAX_FILE = 256 * 1024 * 1024;
/** The same for each type, far above what restic writes. */
const MAX_SIZES: Readonly<Record<FileType, number>> = {
  ...{ config: 65_536, keys: 65_536, locks: 65_536, snapshots: 16 * 1024 * 1024 },
  ...{ index: 128 * 1024 * 1024, data: MAX_FILE },
};

/** The names of the locks that this process uses. Other threads and accounts may share the repository. */
const ownLocks = new Set<string>();

const FILE_TYPE = 'application/octet-stream';
/** ms between the first looks for other configs; doubled for each of the next ones. */
const FIRST_LOOK = 500;
const LAST_LOOK = 30_000;
/** ms for which a list may lack a new file. */
const LONGEST_DELAY = 60_000;

/** Stands for the folder of the repository, whose folders have names that aren't empty. */
const TOP = '';

interface Found {
  /** The largest one first, because the others were not stored completely, and of these the oldest one. */
  ids: string[];
  /** Of the first one. */
  size: number | undefined;
  created?: string | undefined;
  /** ms since 1970 */
  storedAt?: number | undefined;
  ownedByMe?: unknown;
}

interface NewFile {
  type: FileType;
  name: string;
  folderId: string;
  content: Buffer;
}

export interface DriveStoreOptions {
  /** `''` for the root. */
  folderId: string;
  /** How files other than locks are removed. */
  mode: 'trash' | 'permanent';
  /** Called with the bytes handed to the socket since the last call. */
  onSent?: ((bytes: number) => void) | undefined;
}

export class DriveStore implements RepositoryStore {
  /** Bytes of all files written. */
  writtenBytes = 0;
  private readonly drive: DriveContext;
  private readonly folderId: string;
  /** Names the repository among those of all services. */
  readonly place: string;
  /** Of the repository and, below `data`, of its parts, by name: the oldest first. */
  private readonly folders = new Map<string, string[]>();
  /** What this process has created and no list has shown yet, by ID, in the folder of this name. */
  private readonly fresh: Map<string, FreshFile>;
  private readonly creating = new Map<string, Promise<string>>();
  /** Names of the folders that this store has created, by ID. */
  private readonly created = new Map<string, string>();
  /** By type and name. */
  private readonly files = new Map<string, Found>();
  /** A list may lack what was just written, and still have what was just removed. */
  private readonly written = new Map<string, Found>();
  /** Of listed files, by the ID on the drive. */
  private readonly sizes = new Map<string, number | undefined>();
  private readonly removed = new Set<string>();
  /** Names of those that this store has written, or tried to. */
  private readonly locks = new Set<string>();
  private readonly listedParts = new Set<string>();
  private hasCheckedTrash = false;
  /** ID of the config that this store has written. */
  private writtenConfig: string | undefined;

  constructor(
    private readonly context: UploadContext,
    private readonly options: DriveStoreOptions,
    private readonly call: CallOptions,
  ) {
    this.drive = context.drive;
    this.folderId = options.folderId || rootId(this.drive.service);
    this.place = `${this.drive.service.baseUrl} ${this.folderId}`;
    this.fresh = this.drive.freshFiles.get(this.folderId) ?? new Map<string, FreshFile>();
    this.drive.freshFiles.set(this.folderId, this.fresh);
  }

  /** Names of files that exist several times: another program stored them twice, or someone has put a copy beside them. */
  get duplicateFiles(): string[] {
    return [...this.files].flatMap(([key, { ids }]) => {
      if (ids.length < 2 || key.startsWith('locks/')) return [];
      return [key.replace('config/', '')];
    });
  }

  get duplicateFolders(): string[] {
    return [...this.folders].flatMap(([name, ids]) => (ids.length > 1 ? [name] : []));
  }

  /** Whether a lock that this store has written couldn't be removed. */
  get leavesLock(): boolean {
    return this.locks.size > 0;
  }

  async list(types: readonly FileType[]): Promise<StoredFile[]> {
    const inside = types.filter((type) => type !== 'config' && type !== 'data');
    // The folders in `data` as well: that takes no further request.
    let names: string[] = inside.length > 0 ? ['data', ...inside] : [];
    if (types.includes('config') || this.folders.size === 0) {
      if (await this.listRemembered(names)) names = [];
      else await this.listTop();
    }
    const parts = (): string[] => [...this.folders.keys()].filter((name) => PART.test(name));
    const known = types.includes('data') ? parts() : [];
    this.setContents(await this.knownContents([...names, ...known]));
    const others = types.includes('data') ? parts().filter((name) => !known.includes(name)) : [];
    this.setContents(await this.knownContents(others));
    const prefixes = types.map((type) => `${type}/`);
    return [...this.files].flatMap(([key, { ids, size, created, storedAt: stored, ownedByMe }]) => {
      if (!prefixes.some((prefix) => key.startsWith(prefix))) return [];
      const [type, name] = key.split('/') as [FileType, string];
      const isOthers = ownedByMe === false;
      const sizes = ids.length > 1 ? { sizes: ids.map((id) => this.sizes.get(id)) } : {};
      if (type !== 'locks') return { type, name, size, storedAt: stored, isOthers, ...sizes };
      const isOwn = ownLocks.has(name);
      const time = created === undefined ? undefined : Date.parse(created);
      return { type, name, size, isOwn, created: time, isOthers };
    });
  }

  async read(type: FileType, name: string, range?: ByteRange, attempt = 0): Promise<Buffer> {
    const { ids = [] } = (await this.find(type, name)) ?? {};
    const id = ids[attempt % ids.length];
    if (id === undefined) throw new DriveError('not_found');
    const end = Math.min(range?.end ?? Infinity, this.sizes.get(id) ?? Infinity);
    if (end <= (range?.start ?? 0)) return Buffer.alloc(0);
    if (end - (range?.start ?? 0) > MAX_SIZES[type] && end < Infinity)
      throw damagedFile(type === 'config' ? type : `${type}/${name}`, 'size');
    const wanted = { start: Math.min(range?.start ?? 0, end), end };
    const { engine } = this.drive;
    let content: Buffer | undefined;
    const fetch = (): Promise<Buffer> =>
      observedTransfer(
        engine.observe,
        'download',
        () => content?.length,
        async () => (content = await engine.retry((call) => this.fetch(id, wanted, call), this.call)),
      );
    return type === 'data' ? this.context.transfers.run(fetch, this.call.signal) : fetch();
  }

  async copies(type: FileType, name: string): Promise<number> {
    return (await this.find(type, name))?.ids.length ?? 0;
  }

  async write(type: FileType, name: string, memory: ArrayBuffer, length: number): Promise<ArrayBuffer> {
    const content = Buffer.from(memory, 0, length);
    if (type === 'locks') {
      // Before it is there: another run of this process must not take it for one that nobody uses.
      ownLocks.add(name);
      this.locks.add(name);
    }
    // All of them are there before anything that refers to others.
    if (type !== 'data') for (const each of TYPES) await this.openFolder(each, this.folderId);
    const folderId = await this.folderFor(type, name);
    const upload = (): Promise<DriveFile> => this.uploadOnce({ type, name, folderId, content });
    // A lock must not wait behind large files.
    const file = await (type === 'data' ? this.context.transfers.run(upload, this.call.signal) : upload());
    const key = `${type}/${name}`;
    const found = { ids: [file.id, ...(this.files.get(key)?.ids ?? [])], size: length };
    this.files.set(key, found);
    this.sizes.set(file.id, length);
    this.written.set(key, found);
    // Someone has moved a folder of the repository there, with what it contains. A lock in it is removed in the end.
    if (file.trashed) throw notInPlace();
    const inside = type === 'data' ? name.slice(0, 2) : type;
    this.addFresh(type === 'config' ? TOP : inside, { ...file, size: String(length) });
    if (type === 'config') {
      this.writtenConfig = file.id;
      this.written.delete(key);
    }
    this.writtenBytes += length;
    return memory;
  }

  /** Not from a list, which may be behind. */
  async stillHas(type: FileType, name: string): Promise<boolean> {
    for (const id of this.written.get(`${type}/${name}`)?.ids ?? []) {
      const isThere = async (): Promise<boolean> => {
        const file = await getMetadataIfSupported(this.drive, id, 'id,trashed', this.call);
        if (file) return file.trashed !== true;
        const listed = await this.contentsOf([type]);
        return listed.get(type)?.some((each) => each.id === id) || this.isRecent(id);
      };
      if (await ifFound(isThere())) return true;
    }
    return false;
  }

  /**
   * Waits until the config is in a list: then an older one is in it, too. Without times of creation, any other one
   * counts as older, unless its machine gives way because of the order of their IDs.
   */
  async keepOldestConfig(): Promise<boolean> {
    const own = this.writtenConfig;
    if (own === undefined) return true;
    const { creationTimes } = this.drive.service.can;
    for (let wait = FIRST_LOOK; ; wait *= 2) {
      const top = (await this.contentsOf([TOP])).get(TOP) ?? [];
      const configs = top.filter((file) => file.name === 'config' && isFile(this.drive, file));
      const isListed = configs.some(({ id }) => id === own);
      const isFirst = configs[0]?.id === own;
      const isLast = wait > LAST_LOOK;
      if (isFirst && (creationTimes || configs.length === 1)) return true;
      if (configs.length === 0 && isLast) return true;
      if ((isListed && !isFirst) || isLast) break;
      await this.sleep(wait);
    }
    await this.discardFile(own, 'config');
    this.writtenConfig = undefined;
    await this.listTop();
    return false;
  }

  async discardWritten(): Promise<void> {
    for (const [key, { ids }] of this.written) {
      const [type, name] = key.split('/') as [FileType, string];
      for (const id of ids) await this.discardFile(id, name);
      this.forget(type, name);
    }
    for (const [id, name] of [...this.created].reverse()) {
      // The other machine may rely on the only folder of this name.
      const isNeeded = !PART.test(name) && this.idsOf(name).length < 2;
      if (!isNeeded && (await this.childrenOf(id)).length === 0) await this.discardFolder(id);
    }
    this.created.clear();
    this.folders.clear();
    await this.listTop();
  }

  async discard(type: FileType, name: string, attempt: number): Promise<void> {
    const id = (await this.find(type, name))?.ids[attempt];
    if (id !== undefined) await this.discardFile(id, name);
  }

  async checkPlace(): Promise<void> {
    const listed = await this.contentsOf([TOP, 'data', 'snapshots']);
    const ids = new Set([...listed.values()].flat().map(({ id }) => id));
    const snapshots = [...this.written].filter(([key]) => key.startsWith('snapshots/'));
    const expected: [name: string, ids: string[]][] = [
      ...[...this.folders].map(([name, folders]): [string, string[]] => [
        PART.test(name) ? 'data' : TOP,
        folders.slice(0, 1),
      ]),
      ...snapshots.map(([, file]): [string, string[]] => ['snapshots', file.ids.slice(0, 1)]),
    ];
    for (const [folder, inside] of expected)
      for (const id of inside) if (!ids.has(id) && (await this.isGone(id, folder))) throw notInPlace();
  }

  /** Of a trashed folder, neither the folders in it nor their content are in a list. */
  async checkTrash(packs: readonly string[]): Promise<void> {
    if (packs.length === 0) return;
    const parts = new Set(packs.map((pack) => pack.slice(0, 2)));
    const isPart = ({ name = '', mimeType }: DriveFile): boolean =>
      parts.has(name) && isFolder(this.drive.service, mimeType);
    const trashed = (await this.inTrash(this.folders.get('data') ?? [])).filter(isPart).map(({ id }) => id);
    const others = [...parts].flatMap((part) => this.folders.get(part) ?? []);
    const found = new Set((await this.inTrash([...trashed, ...others])).map(({ name }) => name));
    if (packs.some((pack) => found.has(pack))) throw notInPlace();
    await this.checkElsewhere(packs);
  }

  async checkElsewhere(names: readonly string[]): Promise<void> {
    if (!this.drive.service.can.queries) return;
    const folders = new Set([...this.folders.values()].flat());
    const isElsewhere = ({ parents = [] }: DriveFile): boolean => !parents.some((id) => folders.has(id));
    const step = Math.ceil(names.length / MAX_NAMES);
    const chosen = names.filter((_, index) => index % step === 0);
    for (const some of inQueries(this.drive, chosen, NAMES_PER_QUERY)) {
      const found = await this.search(anyOf(some.map(nameEquals)));
      const parents = new Set(found.filter(isElsewhere).map((file) => file.parents?.[0]));
      for (const id of parents) if (!(await this.isInCopy(id))) throw notInPlace();
    }
  }

  /** Whether a folder, or the one above it, is in another repository: one may be a copy of this one. */
  private async isInCopy(id: string | undefined): Promise<boolean> {
    for (let [folder, level] = [id, 0]; folder !== undefined && level < 2; level++) {
      const { parents } = (await ifFound(getMetadata(this.drive, folder, 'id,parents', this.call))) ?? {};
      folder = parents?.[0];
      if (folder === undefined || folder === this.folderId) return false;
      const names = anyOf(['config', 'keys'].map(nameEquals));
      const found = await this.search(allOf([names, inParents(folder)]));
      if (new Set(found.map(({ name }) => name)).size === 2) return true;
    }
    return false;
  }

  async remove(type: FileType, name: string): Promise<void> {
    await this.removeWith(type, name, this.call);
  }

  async removeLock(name: string, isStale: boolean): Promise<boolean> {
    try {
      await this.removeWith('locks', name, isStale ? { ...this.call, retryFor: 0 } : this.call);
      return true;
    } catch (error) {
      if (!isDriveError(error) || error.code === 'cancelled') throw error;
      return false;
    }
  }

  time(): Promise<number> {
    return Promise.resolve(Math.round(this.drive.engine.serviceTime() ?? this.drive.clock.now()));
  }

  sleep(ms: number): Promise<void> {
    return this.drive.clock.sleep(ms, this.call.signal);
  }

  /** Removes the locks that are left, if the thread couldn't. Never throws. */
  async close(): Promise<void> {
    const folders = [...this.folders].filter(([name]) => TYPES.includes(name as FileType));
    const isWhole = NEEDED.every((name) => this.folders.has(name));
    if (isWhole) this.drive.repositoryFolders.set(this.folderId, new Map(folders));
    const left = [...this.locks];
    // Nothing relies on them any more: the next run of this process needn't wait until they are gone.
    for (const name of left) ownLocks.delete(name);
    // A cancelled upload may have been stored.
    const call = { ...uncancelled(this.call), retryFor: 0 };
    const isUnknown = left.some((name) => !this.written.has(`locks/${name}`));
    if (isUnknown) await this.listLocks(call).catch(() => undefined);
    for (const name of left) await this.removeWith('locks', name, call).catch(() => undefined);
  }

  private async listLocks(call: CallOptions): Promise<void> {
    this.setContents(await this.contentsOf(['locks'], call));
  }

  private async removeWith(type: FileType, name: string, call: CallOptions): Promise<void> {
    const { ids = [] } = (await this.find(type, name)) ?? {};
    const removeAsWanted = this.options.mode === 'permanent' ? deletePermanently : trash;
    for (const id of ids) {
      const isLock = type === 'locks';
      await ifFound(isLock ? this.removeForGood(id, call) : removeAsWanted(this.drive, id, call));
      this.setRemoved(id);
    }
    this.forget(type, name);
  }

  private setRemoved(id: string): void {
    this.removed.add(id);
    this.fresh.delete(id);
  }

  private forget(type: FileType, name: string): void {
    this.locks.delete(name);
    ownLocks.delete(name);
    this.files.delete(`${type}/${name}`);
    this.written.delete(`${type}/${name}`);
  }

  /** Contributors of a shared drive may only rename it, so that it belongs to no repository any more. */
  private async discardFile(id: string, name: string): Promise<void> {
    try {
      await ifFound(this.removeForGood(id, this.call));
    } catch (error) {
      if (!isDriveError(error, 'permission_denied')) throw error;
      await updateMetadata(this.drive, { id, changes: { name: `unused-${name}` }, fields: 'id' }, this.call);
    }
    this.setRemoved(id);
  }

  /** The other machine may have it in its lists, which a folder in the trash doesn't make fail. */
  private async discardFolder(id: string): Promise<void> {
    try {
      await ifFound(trash(this.drive, id, this.call));
    } catch (error) {
      if (!isDriveError(error, 'permission_denied') && !isDriveError(error, 'bad_response')) throw error;
      await updateMetadata(this.drive, { id, changes: { name: 'unused' }, fields: 'id' }, this.call);
    }
    this.setRemoved(id);
  }

  /** What nobody would want back from the trash. */
  private async removeForGood(id: string, call: CallOptions): Promise<void> {
    try {
      await deletePermanently(this.drive, id, call);
    } catch (error) {
      // Content managers of a shared drive may only move files to the trash.
      if (!isDriveError(error, 'permission_denied')) throw error;
      await trash(this.drive, id, call);
    }
  }

  private async listTop(): Promise<void> {
    let lists = 0;
    const { budget } = this.drive.engine.withRetryBudget(this.call);
    await this.drive.engine.retry(async () => {
      this.setTop((await this.knownContents([TOP])).get(TOP) ?? []);
      if (!this.files.has('config/config')) return;
      await this.checkFolders(++lists < MAX_LISTS && budget.remaining > 0);
    }, this.call);
    if (!this.files.has('config/config')) await this.checkMissingConfig();
    this.hasCheckedTrash = true;
  }

  /**
   * Without a folder, snapshots would be stored that can't be read, and cleaning up would forget what it contains.
   * @param isRetryable whether the list may be late
   */
  private async checkFolders(isRetryable: boolean): Promise<void> {
    const missing = NEEDED.filter((name) => !this.folders.has(name));
    if (missing.length === 0) return;
    const isMissing = ({ name }: DriveFile): boolean => missing.some((each) => each === name);
    const isTrashed = (await this.inTrash([this.folderId])).some(isMissing);
    if (isTrashed || isRetryable || !(await this.isUnused())) throw notInPlace(isRetryable && !isTrashed);
  }

  /** Of such a repository, empty folders may be missing: rclone doesn't copy them. */
  private async isUnused(): Promise<boolean> {
    if (!this.folders.has('keys')) return false;
    this.setContents(await this.knownContents(['data']));
    const parts = [...this.folders.keys()].filter((name) => PART.test(name));
    const contents = await this.knownContents(['snapshots', 'index', ...parts]);
    return [...contents.values()].every(({ length }) => length === 0);
  }

  /**
   * Another config would have another key, with which nothing of the repository can be read. One whose creation was
   * interrupted has no index.
   */
  private async checkMissingConfig(): Promise<void> {
    if (!this.hasCheckedTrash) await this.checkTop();
    const contents = await this.knownContents(['snapshots', 'index']);
    if (![...contents.values()].some(({ length }) => length > 0)) return;
    if ((await this.inTrash([this.folderId])).some(({ name }) => name === 'config')) throw notInPlace();
    throw damagedFile('config', 'missing');
  }

  /** A folder in the trash looks empty. */
  private async checkTop(): Promise<void> {
    if (this.folderId === rootId(this.drive.service)) return;
    const top = await ifFound(getMetadataIfSupported(this.drive, this.folderId, 'id,trashed', this.call));
    if (top?.trashed === true) throw notInPlace();
  }

  private async inTrash(folderIds: readonly string[]): Promise<DriveFile[]> {
    return [...(await this.children(folderIds, { trashed: true })).values()].flat();
  }

  /**
   * Lists the repository and its folders with one request if they are known from an earlier run.
   * @returns false if the folders are others now
   */
  private async listRemembered(names: readonly string[]): Promise<boolean> {
    const known = this.drive.repositoryFolders.get(this.folderId);
    if (!known || names.length === 0 || this.folders.size > 0 || !this.drive.service.can.queries)
      return false;
    for (const [name, ids] of known) this.folders.set(name, ids);
    const contents = await ifFound(this.knownContents([TOP, ...names]));
    this.folders.clear();
    this.setTop(contents?.get(TOP) ?? []);
    contents?.delete(TOP);
    if (!contents || !this.files.has('config/config') || !isDeepStrictEqual(this.folders, known)) {
      this.folders.clear();
      return false;
    }
    this.setContents(contents);
    return true;
  }

  private setTop(entries: readonly DriveFile[]): void {
    const isOwn = ({ name = '', mimeType }: DriveFile): boolean =>
      isFolder(this.drive.service, mimeType) ? TYPES.includes(name as FileType) : name === 'config';
    const config = entries.filter((file) => isOwn(file) && file.name === 'config');
    const isUnfinished = entries.length === 0 || entries.some(({ name }) => name === 'keys');
    const foreign = isUnfinished ? entries.find((file) => !isOwn(file)) : entries[0];
    if (foreign && config.length === 0) {
      const params = { name: foreign.name ?? foreign.id };
      throw new DriveError('conflict', { text: 'conflict_repository_folder', params });
    }
    this.setFiles('config', config);
    this.setFolders(entries.filter((file) => file.name !== 'config' && isOwn(file)));
  }

  /** @param names of folders of the repository, or of its parts. @returns their contents by name */
  private async contentsOf(
    names: readonly string[],
    call: CallOptions = this.call,
  ): Promise<Map<string, DriveFile[]>> {
    const owners = new Map(names.flatMap((name) => this.idsOf(name).map((id) => [id, name])));
    const contents = new Map<string, DriveFile[]>(names.map((name) => [name, []]));
    for (const [id, files] of await this.children([...owners.keys()], { call })) {
      const content = contents.get(owners.get(id) ?? '');
      for (const file of files) content?.push(file);
    }
    for (const files of contents.values()) files.sort(oldestFirst);
    return contents;
  }

  /** As {@link contentsOf}, with what this process has created although a list is behind. */
  private async knownContents(names: readonly string[]): Promise<Map<string, DriveFile[]>> {
    const contents = await this.contentsOf(names);
    for (const [id, { folder, file }] of this.fresh) {
      const listed = contents.get(folder);
      if (!listed) continue;
      const isLate = !listed.some((each) => each.id === id) && (await this.isThere(id, folder));
      if (isLate) listed.push(file);
      else this.fresh.delete(id);
    }
    return contents;
  }

  private async isThere(id: string, folder: string): Promise<boolean> {
    if (await this.isGone(id, folder)) return false;
    return this.drive.service.can.metadata || this.isRecent(id);
  }

  /** Without metadata, a file that a list may lack is read: someone may have removed it. */
  private async isRecent(id: string): Promise<boolean> {
    const { drive } = this;
    const { at, file } = this.fresh.get(id) ?? {};
    if (at === undefined || drive.clock.monotonic() - at >= LONGEST_DELAY) return false;
    if (isFolder(drive.service, file?.mimeType)) return true;
    const read = drive.engine.retry((call) => this.fetch(id, { start: 0, end: 1 }, call), this.call);
    return (await ifFound(read)) !== undefined;
  }

  private addFresh(folder: string, { id, name, size, mimeType = FILE_TYPE }: DriveFile): void {
    const at = this.drive.clock.monotonic();
    this.fresh.set(id, { folder, at, file: { id, name, size, mimeType } });
  }

  /** @param folder of the repository, or of its parts */
  private idsOf(folder: string): string[] {
    return folder === TOP ? [this.folderId] : [...(this.folders.get(folder) ?? [])];
  }

  private setContents(contents: ReadonlyMap<string, DriveFile[]>): void {
    for (const [name, found] of contents) {
      if (name === 'data') this.setFolders(found.filter((file) => PART.test(file.name ?? '')));
      else this.setFiles(name, found);
    }
  }

  /** @returns what is in folders, by their ids. @throws as {@link listChildren} */
  private children(
    folderIds: readonly string[],
    { trashed = false, call = this.call }: { trashed?: boolean; call?: CallOptions } = {},
  ): Promise<Map<string, DriveFile[]>> {
    const { can } = this.drive.service;
    const fields = ['id', 'name', 'mimeType', 'size'];
    if (can.creationTimes) fields.push('createdTime', 'modifiedTime');
    if (can.sharedDrives) fields.push('ownedByMe');
    const toItem = (file: DriveFile): DriveFile | undefined => (this.removed.has(file.id) ? undefined : file);
    return listChildren(this.drive, folderIds, { fields: fields.join(), trashed, toItem }, call);
  }

  private async childrenOf(folderId: string): Promise<DriveFile[]> {
    return (await this.children([folderId])).get(folderId) ?? [];
  }

  /** Everywhere on the drive. @throws `bad_response` if the list stays incomplete */
  private search(term: string): Promise<DriveFile[]> {
    const request = { q: allOf([term, notTrashed]), fields: 'id,name,parents' };
    const pages = (budgeted: CallOptions) => listPages(this.drive, request, budgeted);
    return listComplete(this.drive, { pages, isMatch: ({ id }) => !this.removed.has(id) }, this.call);
  }

  /** Of a file or folder that a list lacks: it may be late. Without metadata, nothing more is known. */
  private async isGone(id: string, folder: string): Promise<boolean> {
    const look = getMetadataIfSupported(this.drive, id, 'id,trashed,parents', this.call);
    const file = await ifFound(look.then((each) => each ?? { id }));
    if (!file || file.trashed === true) return true;
    const { parents } = file;
    if (!parents) return false;
    const folders = this.idsOf(folder);
    // The root has an alias.
    if (folders.includes(rootId(this.drive.service)))
      folders.push((await getMetadata(this.drive, this.folderId, 'id', this.call)).id);
    return !parents.some((each) => folders.includes(each));
  }

  private setFolders(found: readonly DriveFile[]): void {
    for (const { id, name = '', mimeType } of found) {
      const ids = this.folders.get(name) ?? [];
      if (isFolder(this.drive.service, mimeType) && !ids.includes(id)) this.folders.set(name, [...ids, id]);
    }
  }

  /** @param folder of the repository, or a part */
  private setFiles(folder: string, found: readonly DriveFile[]): void {
    const isPart = PART.test(folder);
    const type = isPart ? 'data' : folder;
    const prefix = isPart ? `data/${folder}` : `${type}/`;
    for (const key of this.files.keys()) if (key.startsWith(prefix)) this.files.delete(key);
    for (const [key, file] of this.written) if (key.startsWith(prefix)) this.files.set(key, file);
    for (const file of found) {
      const { id, name = '' } = file;
      if (!isFile(this.drive, file) || !(name === 'config' || isId(name))) continue;
      const known = this.files.get(`${type}/${name}`);
      if (known?.ids.includes(id)) continue;
      const { createdTime: created, ownedByMe } = file;
      const [size, stored] = [sizeOf(file), storedAt(file)];
      this.sizes.set(id, size);
      // A second config doesn't replace the first.
      if (!known || (type !== 'config' && (size ?? 0) > (known.size ?? Infinity)))
        this.files.set(`${type}/${name}`, {
          ids: [id, ...(known?.ids ?? [])],
          size,
          created,
          storedAt: stored,
          ownedByMe,
        });
      else this.files.set(`${type}/${name}`, { ...known, ids: [...known.ids, id] });
    }
    if (isPart) this.listedParts.add(folder);
  }

  private async find(type: FileType, name: string): Promise<Found | undefined> {
    const part = name.slice(0, 2);
    const known = this.files.get(`${type}/${name}`);
    if (known || type !== 'data' || this.listedParts.has(part)) return known;
    if (this.folders.size === 0) await this.listTop();
    if (!this.folders.has(part)) this.setContents(await this.knownContents(['data']));
    this.setContents(await this.knownContents([part]));
    return this.files.get(`${type}/${name}`);
  }

  private async folderFor(type: FileType, name: string): Promise<string> {
    if (type === 'config') return this.folderId;
    const folder = await this.openFolder(type, this.folderId);
    return type === 'data' ? this.openFolder(name.slice(0, 2), folder) : folder;
  }

  private async openFolder(name: string, parent: string): Promise<string> {
    const known = this.folders.get(name)?.[0];
    if (known !== undefined) return known;
    const creating = this.creating.get(name) ?? this.createFolder(name, parent);
    this.creating.set(name, creating);
    return creating.finally(() => this.creating.delete(name));
  }

  private async createFolder(name: string, folderId: string): Promise<string> {
    const request = { name, folderId, fields: 'id', isParentKnown: true };
    const { id } = await createNewFolder(this.context, request, this.call);
    this.folders.set(name, [id]);
    this.created.set(id, name);
    const mimeType = folderMimeType(this.drive.service);
    this.addFresh(PART.test(name) ? 'data' : TOP, { id, name, mimeType });
    return id;
  }

  /** Looks for the file before it is sent again, where the service accepts no IDs for new files. */
  private async uploadOnce(file: NewFile): Promise<DriveFile> {
    const { engine, service } = this.drive;
    if (service.can.generateIds) return this.upload(file);
    let isRepeated = false;
    return engine.retry(async () => {
      if (isRepeated) {
        const found = (await this.childrenOf(file.folderId)).find(({ name }) => name === file.name);
        if (found && sizeOf(found) === file.content.length) return found;
      }
      isRepeated = true;
      return this.upload(file);
    }, this.call);
  }

  private async upload(file: NewFile): Promise<DriveFile> {
    const { type, name, folderId, content: data } = file;
    // The config isn't named by its content.
    const sha256 = isId(name) ? name : undefined;
    let sent = 0;
    const onProgress = (position: number): void => {
      this.options.onSent?.(Math.max(0, position - sent));
      sent = Math.max(sent, position);
    };
    const request = {
      ...{ name, folderId, mimeType: FILE_TYPE, metadata: {}, content: { data, sha256 } },
      ...({ keepModifiedTime: false, ifExists: 'duplicate' } as const),
      fields: 'id,name,trashed,md5Checksum,sha256Checksum',
      onProgress,
    } as const;
    const { file: created } = await uploadNow(this.context, request, this.call);
    const algorithm = checksumAlgorithm(created);
    if (algorithm && checksumOf(created, algorithm) !== undefined) return created;
    if (!(await this.isRemoved(created.id, folderId)))
      throw new DriveError('bad_response', { text: 'bad_response_no_checksum', params: { name } });
    // Someone has removed it meanwhile.
    const text = type === 'locks' ? 'conflict_repository_lock_lost' : 'conflict_repository_trashed';
    throw new DriveError('conflict', { text });
  }

  private async isRemoved(id: string, folderId: string): Promise<boolean> {
    try {
      await getMetadata(this.drive, id, 'id', this.call);
      return false;
    } catch (error) {
      if (!isDriveError(error, 'not_found') || error.status !== 404) return false;
      // A custom service may answer so if it has no metadata requests.
      return !(await this.childrenOf(folderId)).some((each) => each.id === id);
    }
  }

  /** @returns memory of its own */
  private async fetch(id: string, { start, end }: ByteRange, call: CallOptions): Promise<Buffer> {
    const chunks: Buffer[] = [];
    /** For all of the bytes, if their number is known. */
    let memory = end < Infinity ? Buffer.allocUnsafeSlow(end - start) : undefined;
    let length = 0;
    const openSink = ({ body }: HttpResponse): ByteSink => ({
      write: (chunk) => {
        if (memory) chunk.copy(memory, length);
        else chunks.push(Buffer.from(chunk));
        length += chunk.length;
        if (length > MAX_FILE) body.destroy();
        return true;
      },
      drained: () => Promise.resolve(),
      end: () => Promise.resolve(),
    });
    await fetchRange(this.drive, { id, start, end }, openSink, call);
    if (memory) return memory;
    memory = Buffer.allocUnsafeSlow(length);
    let filled = 0;
    for (const chunk of chunks) filled += chunk.copy(memory, filled);
    return memory;
  }
}

function isFile({ service }: DriveContext, { mimeType }: DriveFile): boolean {
  return itemKind(service, mimeType) === 'file';
}

function notInPlace(retryable = false): DriveError {
  return new DriveError('conflict', { text: 'conflict_repository_trashed', retryable });
}
