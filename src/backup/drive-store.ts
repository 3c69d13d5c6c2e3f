/**
 * The files of a repository in a folder of the drive, as restic and rclone expect them there. Around the plain requests
 * of drive-backend.ts, this finds what was moved or put in the trash, and keeps one of several repositories that
 * machines create at once.
 */
import type { DriveContext } from '../drive/drive-context';
import { isFolder } from '../drive/mime-types';
import { inQueries } from '../drive/list';
import { allOf, anyOf, inParents, nameEquals } from '../drive/query';
import { DriveError } from '../errors';
import { uncancelled } from '../http/retry';
import type { UploadContext } from '../transfer/upload/upload';
import type { CallOptions, DriveFile } from '../types';
import { DriveBackend, type DriveBackendOptions } from './drive-backend';
import { RepositoryFolders, TOP, isFile, notInPlace } from './repository-folders';
import { MAX_READ, damagedFile } from './restic/json-file';
import type { ByteRange, FileType, RepositoryStore, StoredFile } from './restic/store';

/** Names have 64 characters. */
const NAMES_PER_QUERY = 40;
/** Of more missing files, some are looked for elsewhere: they were moved together. */
const MAX_NAMES = 4_000;
/** Bytes of the largest file of each type, far above what restic writes. */
const MAX_SIZES: Readonly<Record<FileType, number>> = {
  ...{ config: 65_536, keys: 65_536, locks: 65_536, snapshots: 16 * 1024 * 1024 },
  ...{ index: 128 * 1024 * 1024, data: MAX_READ },
};
/** ms between the first looks for other configs; doubled for each of the next ones. */
const FIRST_LOOK = 500;
const LAST_LOOK = 30_000;

/** The names of the locks that this process uses. Other threads and accounts may share the repository. */
const ownLocks = new Set<string>();

export class DriveStore implements RepositoryStore {
  /** Bytes of all files written. */
  writtenBytes = 0;
  /** Names the repository among those of all services. */
  readonly place: string;
  private readonly drive: DriveContext;
  private readonly backend: DriveBackend;
  private readonly folders: RepositoryFolders;
  /** Names of those that this store has written, or tried to. */
  private readonly locks = new Set<string>();
  /** ID of the config that this store has written. */
  private writtenConfig: string | undefined;

  constructor(
    context: UploadContext,
    options: DriveBackendOptions,
    private readonly call: CallOptions,
  ) {
    this.drive = context.drive;
    this.backend = new DriveBackend(context, options, call);
    this.folders = new RepositoryFolders(this.backend);
    this.place = `${this.drive.service.baseUrl} ${this.backend.folderId}`;
  }

  /** Names of files that exist several times: another program stored them twice, or someone has put a copy beside them. */
  get duplicateFiles(): string[] {
    return [...this.folders.files].flatMap(([key, { copies }]) => {
      if (copies.length < 2 || key.startsWith('locks/')) return [];
      return [key.replace('config/', '')];
    });
  }

  get duplicateFolders(): string[] {
    return this.folders.duplicates;
  }

  /** Whether a lock that this store has written couldn't be removed. */
  get leavesLock(): boolean {
    return this.locks.size > 0;
  }

  async list(types: readonly FileType[]): Promise<StoredFile[]> {
    await this.folders.refresh(types);
    return [...this.folders.files].flatMap(([key, { copies, created, storedAt, ownedByMe }]) => {
      const [type, name] = key.split('/') as [FileType, string];
      if (!types.includes(type)) return [];
      const file = { type, name, size: copies[0]?.size, isOthers: ownedByMe === false };
      if (type !== 'locks')
        return { ...file, storedAt, ...(copies.length > 1 && { sizes: copies.map(({ size }) => size) }) };
      const time = created === undefined ? undefined : Date.parse(created);
      return { ...file, isOwn: ownLocks.has(name), created: time };
    });
  }

  async load(type: FileType, name: string, range?: ByteRange, attempt = 0): Promise<Buffer> {
    const { copies = [] } = (await this.folders.find(type, name)) ?? {};
    const copy = copies[attempt % copies.length];
    if (!copy) throw new DriveError('not_found');
    const start = range?.start ?? 0;
    const end = Math.min(range?.end ?? Infinity, copy.size ?? Infinity);
    if (end <= start) return Buffer.alloc(0);
    if (end - start > MAX_SIZES[type] && end < Infinity)
      throw damagedFile(type === 'config' ? type : `${type}/${name}`, 'size');
    return this.backend.inTurn(type === 'data', () => this.backend.load(copy.id, { start, end }));
  }

  async save(type: FileType, name: string, memory: ArrayBuffer, length: number): Promise<ArrayBuffer> {
    const content = Buffer.from(memory, 0, length);
    const isLock = type === 'locks';
    if (isLock) {
      // Before it is there: another run of this process must not take it for one that nobody uses.
      ownLocks.add(name);
      this.locks.add(name);
    }
    const folderId = await this.folders.open(type, name);
    const file = { name, folderId, content, isLock };
    const { id, trashed } = await this.backend.inTurn(type === 'data', () => this.backend.save(file));
    this.folders.addWritten(type, name, { id, size: length });
    // Someone has moved a folder of the repository there, with what it contains. A lock in it is removed in the end.
    if (trashed) throw notInPlace();
    this.folders.confirmWritten(type, name, { id, size: length });
    if (type === 'config') this.writtenConfig = id;
    this.writtenBytes += length;
    return memory;
  }

  async stat(type: FileType, name: string): Promise<number> {
    const { copies = [] } = (await this.folders.find(type, name)) ?? {};
    if (!this.folders.written.has(`${type}/${name}`)) return copies.length;
    // Not from a list, which may be behind.
    const found = await Promise.all(copies.map(({ id }) => this.backend.stat(id, 'id,trashed')));
    return found.filter((file) => file && file.trashed !== true).length;
  }

  /**
   * Waits until the config is in a list: then an older one is in it, too. Without times of creation, any other one
   * counts as older, unless its machine gives way because of the order of their IDs.
   */
  async keepOldestConfig(): Promise<boolean> {
    const own = this.writtenConfig;
    if (own === undefined) return true;
    for (let wait = FIRST_LOOK; ; wait *= 2) {
      const top = (await this.folders.contentsOf([TOP])).get(TOP) ?? [];
      const configs = top.filter((file) => file.name === 'config' && isFile(this.drive, file));
      const hasTimes = configs.every(({ createdTime }) => createdTime !== undefined);
      const isListed = configs.some(({ id }) => id === own);
      const isFirst = configs[0]?.id === own;
      const isLast = wait > LAST_LOOK;
      if (isFirst && (hasTimes || configs.length === 1)) return true;
      if (configs.length === 0 && isLast) return true;
      if ((isListed && !isFirst) || isLast) break;
      await this.sleep(wait);
    }
    await this.discardFile(own, 'config');
    this.writtenConfig = undefined;
    await this.folders.listTop();
    return false;
  }

  async discardWritten(): Promise<void> {
    for (const [key, { copies }] of this.folders.written) {
      const [type, name] = key.split('/') as [FileType, string];
      for (const { id } of copies) await this.discardFile(id, name);
      this.forget(type, name);
    }
    await this.folders.discardCreated();
  }

  async discard(type: FileType, name: string, attempt: number): Promise<void> {
    const copy = (await this.folders.find(type, name))?.copies[attempt];
    if (copy) await this.discardFile(copy.id, name);
  }

  private async discardFile(id: string, name: string): Promise<void> {
    await this.backend.discardFile(id, name);
    this.folders.setRemoved(id);
  }

  async checkPlace(): Promise<void> {
    const listed = await this.folders.contentsOf([TOP, 'data', 'snapshots']);
    const ids = new Set([...listed.values()].flat().map(({ id }) => id));
    const expected = this.folders.expected();
    for (const [key, { copies }] of this.folders.written)
      if (key.startsWith('snapshots/')) expected.push(['snapshots', copies[0]?.id ?? '']);
    for (const [folder, id] of expected)
      if (!ids.has(id) && (await this.folders.isGone(id, folder))) throw notInPlace();
  }

  async checkMoved(type: 'snapshots' | 'data', names: readonly string[]): Promise<void> {
    if (type === 'data' && names.length > 0) await this.checkTrash(names);
    const folders = new Set(this.folders.ids);
    const isElsewhere = ({ parents = [] }: DriveFile): boolean => !parents.some((id) => folders.has(id));
    const step = Math.ceil(names.length / MAX_NAMES);
    const chosen = names.filter((_, index) => index % step === 0);
    for (const some of inQueries(this.drive, chosen, NAMES_PER_QUERY)) {
      const found = await this.backend.search(anyOf(some.map(nameEquals)));
      const parents = new Set(found.filter(isElsewhere).map((file) => file.parents?.[0]));
      for (const id of parents) if (!(await this.isInCopy(id))) throw notInPlace();
    }
  }

  /** Of a trashed folder, neither the folders in it nor their content are in a list. */
  private async checkTrash(packs: readonly string[]): Promise<void> {
    const parts = new Set(packs.map((pack) => pack.slice(0, 2)));
    const isPart = ({ name = '', mimeType }: DriveFile): boolean =>
      parts.has(name) && isFolder(this.drive.service, mimeType);
    const trashed = (await this.backend.inTrash(this.folders.idsOf('data'))).filter(isPart);
    const others = [...parts].flatMap((part) => this.folders.idsOf(part));
    const inParts = await this.backend.inTrash([...trashed.map(({ id }) => id), ...others]);
    const found = new Set(inParts.map(({ name }) => name));
    if (packs.some((pack) => found.has(pack))) throw notInPlace();
  }

  /** Whether a folder, or the one above it, is in another repository: one may be a copy of this one. */
  private async isInCopy(id: string | undefined): Promise<boolean> {
    for (let [folder, level] = [id, 0]; folder !== undefined && level < 2; level++) {
      const { parents } = (await this.backend.stat(folder, 'id,parents')) ?? {};
      folder = parents?.[0];
      if (folder === undefined || folder === this.backend.folderId) return false;
      const names = anyOf(['config', 'keys'].map(nameEquals));
      const found = await this.backend.search(allOf([names, inParents(folder)]));
      if (new Set(found.map(({ name }) => name)).size === 2) return true;
    }
    return false;
  }

  async remove(type: FileType, name: string, isOnce = false): Promise<void> {
    await this.removeWith(type, name, isOnce ? { ...this.call, retryFor: 0 } : this.call);
  }

  private async removeWith(type: FileType, name: string, call: CallOptions): Promise<void> {
    const { copies = [] } = (await this.folders.find(type, name)) ?? {};
    for (const { id } of copies) {
      await this.backend.remove(id, type === 'locks', call);
      this.folders.setRemoved(id);
    }
    this.forget(type, name);
  }

  private forget(type: FileType, name: string): void {
    this.locks.delete(name);
    ownLocks.delete(name);
    this.folders.forget(type, name);
  }

  time(): Promise<number> {
    return Promise.resolve(Math.round(this.drive.engine.serviceTime() ?? this.drive.clock.now()));
  }

  sleep(ms: number): Promise<void> {
    return this.drive.clock.sleep(ms, this.call.signal);
  }

  /** Removes the locks that are left, if the thread couldn't. Never throws. */
  async close(): Promise<void> {
    this.folders.remember();
    const left = [...this.locks];
    // Nothing relies on them any more: the next run of this process needn't wait until they are gone.
    for (const name of left) ownLocks.delete(name);
    // A cancelled upload may have been stored.
    const call = { ...uncancelled(this.call), retryFor: 0 };
    const isUnknown = left.some((name) => !this.folders.written.has(`locks/${name}`));
    if (isUnknown) await this.folders.listLocks(call).catch(() => undefined);
    for (const name of left) await this.removeWith('locks', name, call).catch(() => undefined);
  }
}
