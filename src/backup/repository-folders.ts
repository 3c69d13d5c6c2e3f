/**
 * The folders of a repository, and what is in them, by name. Names aren't unique on the drive: two machines may create
 * the same folder or file at once, so a name stands for all files and folders that have it. A list may be late: it may
 * lack what was just created, and still have what was just removed.
 */
import { isDeepStrictEqual } from 'node:util';
import { oldestFirst } from '../drive/create-folder';
import { sizeOf } from '../drive/checksums';
import { type DriveContext, type FreshFile, rootId } from '../drive/drive-context';
import { folderMimeType, isFolder, itemKind } from '../drive/mime-types';
import { DriveError, ifFound } from '../errors';
import type { CallOptions, DriveFile } from '../types';
import { type DriveBackend, FILE_TYPE } from './drive-backend';
import { damagedFile, isId } from './restic/json-file';
import type { FileType } from './restic/store';
import { storedAt } from './retention/timestamp';

const TYPES: readonly FileType[] = ['keys', 'locks', 'snapshots', 'index', 'data'];
/** The folders whose content counts. They exist before the config does, so one that is missing was moved or removed. */
const NEEDED: readonly FileType[] = ['keys', 'snapshots', 'index', 'data'];
/** How often the folders are listed before one counts as missing, because a list may be late. */
const MAX_LISTS = 3;
/** The folders in `data`, each for the IDs that begin with its name. */
const PART = /^[0-9a-f]{2}$/;

/** Stands for the folder of the repository, whose folders have names that aren't empty. */
export const TOP = '';

/** The files with one name. */
export interface Found {
  /** The largest one first, because the others were not stored completely, and of these the oldest one. */
  copies: { id: string; size: number | undefined }[];
  /** Of the first one, if it was listed. */
  created?: string | undefined;
  /** ms since 1970 */
  storedAt?: number | undefined;
  ownedByMe?: unknown;
}

export class RepositoryFolders {
  /** By type and name. */
  readonly files = new Map<string, Found>();
  /** The same, of those that this process has written in this run. */
  readonly written = new Map<string, Found>();
  /** Of the repository and, below `data`, of its parts, by name: the oldest first. */
  private readonly folders = new Map<string, string[]>();
  /** What this process has created and no list has shown yet, by ID, in the folder of this name. */
  private readonly fresh: Map<string, FreshFile>;
  private readonly creating = new Map<string, Promise<string>>();
  /** Names of the folders that this run has created, by ID. */
  private readonly created = new Map<string, string>();
  private readonly listedParts = new Set<string>();
  private hasCheckedTrash = false;
  private readonly drive: DriveContext;
  private readonly folderId: string;

  constructor(private readonly backend: DriveBackend) {
    ({ drive: this.drive, folderId: this.folderId } = backend);
    this.fresh = this.drive.freshFiles.get(this.folderId) ?? new Map<string, FreshFile>();
    this.drive.freshFiles.set(this.folderId, this.fresh);
  }

  get duplicates(): string[] {
    return [...this.folders].flatMap(([name, ids]) => (ids.length > 1 ? [name] : []));
  }

  /** Of the repository, or of its parts. @param name of one, or {@link TOP} */
  idsOf(name: string): string[] {
    return name === TOP ? [this.folderId] : [...(this.folders.get(name) ?? [])];
  }

  get ids(): string[] {
    return [...this.folders.values()].flat();
  }

  /** Lists what {@link files} has of these types. */
  async refresh(types: readonly FileType[]): Promise<void> {
    const inside = types.filter((type) => type !== 'config' && type !== 'data');
    // The folders in `data` as well: that takes no further request.
    let names: string[] = inside.length > 0 ? ['data', ...inside] : [];
    if (types.includes('config') || this.folders.size === 0) {
      if (await this.listRemembered(names)) names = [];
      else await this.listTop();
    }
    const known = types.includes('data') ? this.parts : [];
    this.setContents(await this.knownContents([...names, ...known]));
    const others = types.includes('data') ? this.parts.filter((name) => !known.includes(name)) : [];
    this.setContents(await this.knownContents(others));
  }

  private get parts(): string[] {
    return [...this.folders.keys()].filter((name) => PART.test(name));
  }

  /** @returns what has this name. A list of the part is requested if it is the first time */
  async find(type: FileType, name: string): Promise<Found | undefined> {
    const part = name.slice(0, 2);
    const known = this.files.get(`${type}/${name}`);
    if (known || type !== 'data' || this.listedParts.has(part)) return known;
    if (this.folders.size === 0) await this.listTop();
    if (!this.folders.has(part)) this.setContents(await this.knownContents(['data']));
    this.setContents(await this.knownContents([part]));
    return this.files.get(`${type}/${name}`);
  }

  /** @returns the ID of the folder for a new file */
  async open(type: FileType, name: string): Promise<string> {
    // All of them are there before anything that refers to others.
    if (type !== 'data') for (const each of TYPES) await this.openFolder(each, this.folderId);
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
    const id = await this.backend.createFolder(name, folderId);
    this.folders.set(name, [id]);
    this.created.set(id, name);
    const mimeType = folderMimeType(this.drive.service);
    this.addFresh(PART.test(name) ? 'data' : TOP, { id, name, mimeType });
    return id;
  }

  addWritten(type: FileType, name: string, { id, size }: { id: string; size: number }): void {
    const key = `${type}/${name}`;
    const found = { copies: [{ id, size }, ...(this.files.get(key)?.copies ?? [])] };
    this.files.set(key, found);
    this.written.set(key, found);
  }

  /** @param file is in its folder, and not in the trash */
  confirmWritten(type: FileType, name: string, { id, size }: { id: string; size: number }): void {
    const inside = type === 'data' ? name.slice(0, 2) : type;
    this.addFresh(type === 'config' ? TOP : inside, { id, name, size: String(size), mimeType: FILE_TYPE });
    if (type === 'config') this.written.delete(`${type}/${name}`);
  }

  private addFresh(folder: string, file: DriveFile): void {
    this.fresh.set(file.id, { folder, file });
  }

  setRemoved(id: string): void {
    this.fresh.delete(id);
  }

  forget(type: FileType, name: string): void {
    this.files.delete(`${type}/${name}`);
    this.written.delete(`${type}/${name}`);
  }

  /** Discards the folders that this run has created, unless another machine may use them, and lists again. */
  async discardCreated(): Promise<void> {
    for (const [id, name] of [...this.created].reverse()) {
      // The other machine may rely on the only folder of this name.
      const isNeeded = !PART.test(name) && this.idsOf(name).length < 2;
      if (isNeeded || ((await this.backend.list([id])).get(id) ?? []).length > 0) continue;
      await this.backend.discardFolder(id);
      this.setRemoved(id);
    }
    this.created.clear();
    this.folders.clear();
    await this.listTop();
  }

  /** @returns the folders that must be where they are, by the name of the folder above */
  expected(): [name: string, id: string][] {
    const first = ([name, ids]: [string, string[]]): [string, string][] =>
      ids.slice(0, 1).map((id) => [PART.test(name) ? 'data' : TOP, id]);
    return [...this.folders].flatMap(first);
  }

  /** Of a file or folder that a list lacks: the list may be late. @param folder in which it should be */
  async isGone(id: string, folder: string): Promise<boolean> {
    const file = await this.backend.stat(id, 'id,trashed,parents');
    if (!file || file.trashed === true) return true;
    const { parents } = file;
    if (!parents) return false;
    const folders = this.idsOf(folder);
    // The root has an alias.
    if (folders.includes(rootId(this.drive.service)))
      folders.push((await this.backend.stat(this.folderId, 'id'))?.id ?? '');
    return !parents.some((each) => folders.includes(each));
  }

  /** For the next run. */
  remember(): void {
    const folders = [...this.folders].filter(([name]) => TYPES.includes(name as FileType));
    const isWhole = NEEDED.every((name) => this.folders.has(name));
    if (isWhole) this.drive.repositoryFolders.set(this.folderId, new Map(folders));
  }

  async listLocks(call: CallOptions): Promise<void> {
    this.setContents(await this.contentsOf(['locks'], call));
  }

  async listTop(): Promise<void> {
    let lists = 0;
    const { budget } = this.drive.engine.withRetryBudget(this.backend.call);
    await this.drive.engine.retry(async () => {
      this.setTop((await this.knownContents([TOP])).get(TOP) ?? []);
      if (!this.files.has('config/config')) return;
      await this.checkFolders(++lists < MAX_LISTS && budget.remaining > 0);
    }, this.backend.call);
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
    const isTrashed = (await this.backend.inTrash([this.folderId])).some(isMissing);
    if (isTrashed || isRetryable || !(await this.isUnused())) throw notInPlace(isRetryable && !isTrashed);
  }

  /** Of such a repository, empty folders may be missing: rclone doesn't copy them. */
  private async isUnused(): Promise<boolean> {
    if (!this.folders.has('keys')) return false;
    this.setContents(await this.knownContents(['data']));
    const contents = await this.knownContents(['snapshots', 'index', ...this.parts]);
    return [...contents.values()].every(({ length }) => length === 0);
  }

  /**
   * Another config would have another key, with which nothing of the repository can be read. One whose creation was
   * interrupted has no index.
   */
  private async checkMissingConfig(): Promise<void> {
    // A folder in the trash looks empty.
    if (!this.hasCheckedTrash && this.folderId !== rootId(this.drive.service))
      if ((await this.backend.stat(this.folderId, 'id,trashed'))?.trashed === true) throw notInPlace();
    const contents = await this.knownContents(['snapshots', 'index']);
    if (![...contents.values()].some(({ length }) => length > 0)) return;
    if ((await this.backend.inTrash([this.folderId])).some(({ name }) => name === 'config'))
      throw notInPlace();
    throw damagedFile('config', 'missing');
  }

  /**
   * Lists the repository and its folders with one request if they are known from an earlier run.
   * @returns false if the folders are others now
   */
  private async listRemembered(names: readonly string[]): Promise<boolean> {
    const known = this.drive.repositoryFolders.get(this.folderId);
    if (!known || names.length === 0 || this.folders.size > 0) return false;
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

  /** @param names of folders of the repository, or of its parts. @returns their contents by name, the oldest first */
  async contentsOf(names: readonly string[], call?: CallOptions): Promise<Map<string, DriveFile[]>> {
    const owners = new Map(names.flatMap((name) => this.idsOf(name).map((id) => [id, name])));
    const contents = new Map<string, DriveFile[]>(names.map((name) => [name, []]));
    for (const [id, files] of await this.backend.list([...owners.keys()], call && { call })) {
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
      const isLate = !listed.some((each) => each.id === id) && !(await this.isGone(id, folder));
      if (isLate) listed.push(file);
      else this.fresh.delete(id);
    }
    return contents;
  }

  private setContents(contents: ReadonlyMap<string, DriveFile[]>): void {
    for (const [name, found] of contents) {
      if (name === 'data') this.setFolders(found.filter((file) => PART.test(file.name ?? '')));
      else this.setFiles(name, found);
    }
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
      const { id, name = '', createdTime: created, ownedByMe } = file;
      if (!isFile(this.drive, file) || !(name === 'config' || isId(name))) continue;
      const { copies = [], ...known } = this.files.get(`${type}/${name}`) ?? {};
      if (copies.some((copy) => copy.id === id)) continue;
      const copy = { id, size: sizeOf(file) };
      // A second config doesn't replace the first.
      const isLarger = type !== 'config' && (copy.size ?? 0) > (copies[0]?.size ?? Infinity);
      const isFirst = copies.length === 0 || isLarger;
      this.files.set(
        `${type}/${name}`,
        isFirst
          ? { copies: [copy, ...copies], created, storedAt: storedAt(file), ownedByMe }
          : { ...known, copies: [...copies, copy] },
      );
    }
    if (isPart) this.listedParts.add(folder);
  }
}

export function isFile({ service }: DriveContext, { mimeType }: DriveFile): boolean {
  return itemKind(service, mimeType) === 'file';
}

/** Something of the repository is in the trash, or was moved elsewhere. */
export function notInPlace(retryable = false): DriveError {
  return new DriveError('conflict', { text: 'conflict_repository_trashed', retryable });
}
