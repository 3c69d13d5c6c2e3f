/**
 * Resolves paths like `/Backups/2026/a.tar` to ids. The service knows only ids and names, and several files of a folder
 * may have the same name: such a path is a `conflict`.
 */
import { DriveError, isDriveError } from '../errors';
import type { CallOptions, Clock, DriveFile, NameInFolder, Service } from '../types';
import { rootId, type DriveContext, isOutside } from './drive-context';
import { inTargetFolder } from './shortcuts';
import { KeyedMutex } from '../core/keyed-mutex';
import { ambiguousName, findByName } from './find-by-name';
import { type CreateContext, type CreateFolderResult, createFolder, findFolder } from './create-folder';
import {
  nameKey,
  allOf,
  anyOf,
  inParents,
  mimeTypeEquals,
  nameEquals,
  notTrashed,
  countNamesInOneQuery,
  toNFC,
  unicodeForms,
} from './query';
import { type CachedFolder, FolderCache } from './folder-cache';
import { folderMimeType } from './mime-types';
import { listPages, isIncomplete, listComplete } from './list';

export interface FolderPathRequest {
  path: string;
  /** The folder that the path starts in; by default, and for `''`, the root. */
  baseFolderId?: string;
  createMissing: boolean;
  /** A file in place of a folder is a conflict, as if missing folders were created. */
  refusesFiles?: boolean;
  /** The node has a setting that creates missing folders: the error for a missing one names it. */
  mayAllowCreation?: boolean;
  /** Called for each folder that was missing and is created. */
  onCreated?: (() => void) | undefined;
  /** From {@link PathResolver.cacheEpoch}: ignores folders cached up to then. */
  cacheEpoch?: number;
}

interface FilePathOptions {
  /** Prefers a trashed file at the path. */
  trashed?: boolean;
  /** As in {@link FolderPathRequest}. */
  cacheEpoch?: number;
}

/** @returns the names of a path without empty ones. `\/` is a slash in a name */
export function splitPath(path: string): string[] {
  const names = path.match(/(?:\\\/|[^/])+/g) ?? [];
  return names.map((name) => name.replaceAll('\\/', '/'));
}

/** https://developers.google.com/workspace/drive/api/guides/folder-limits */
const MAX_LEVELS = 100;

/**
 * Also for a custom service: a path with more folders is a mistake, which would create one after the other.
 * @param origin where the path comes from, if it is known
 * @throws `invalid_input` if folders would be nested deeper than Google Drive allows
 */
export function checkLevels(levels: number, origin?: { property: string; source: string }): void {
  if (levels <= MAX_LEVELS) return;
  throw origin
    ? new DriveError('invalid_input', {
        text: 'invalid_input_too_many_folders',
        params: { ...origin, levels },
      })
    : new DriveError('invalid_input', { text: 'invalid_input_too_many_levels', params: { levels } });
}

function folderNames(path: string): string[] {
  const names = splitPath(path);
  checkLevels(names.length);
  return names;
}

interface Step extends FolderPathRequest, NameInFolder {}

export class PathResolver {
  readonly cache: FolderCache;
  private readonly mutex = new KeyedMutex();

  constructor(
    private readonly context: CreateContext,
    clock: Clock,
  ) {
    this.cache = new FolderCache(clock);
  }

  /**
   * Operations that change files use this as `cacheEpoch`: a cached path may have changed, and changing the wrong file
   * causes no error.
   */
  cacheEpoch(): number {
    return this.cache.epoch;
  }

  /**
   * @returns the folder's id
   * @throws `invalid_input` for too many levels; `not_found` naming the missing part; `conflict` listing the ids of
   *   several folders with that name, or for a file where a folder would be created
   */
  async resolveFolder(request: FolderPathRequest, call: CallOptions): Promise<string> {
    const names = folderNames(request.path);
    return this.cache.retryWithoutCache(() => this.walk(names, request, this.budgeted(call)));
  }

  /** @returns the ids of the folders on a path that exist, beginning with the one that it starts in */
  async findExisting(request: FolderPathRequest, call: CallOptions): Promise<string[]> {
    const budgeted = this.budgeted(call);
    const names = folderNames(request.path);
    const ids = [await this.startOf(names, request, budgeted)];
    for (const name of names) {
      const step = { ...request, createMissing: false, folderId: ids.at(-1) ?? '', name };
      try {
        ids.push(await this.resolveStep(step, budgeted));
      } catch (error) {
        if (isDriveError(error, 'not_found')) break;
        throw error;
      }
    }
    return ids;
  }

  /** Creates the folder at a path and its missing parents. @throws `conflict`; `invalid_input` for the root */
  async createFolder(
    { fields, ...request }: Omit<FolderPathRequest, 'createMissing'> & { fields: string },
    call: CallOptions,
  ): Promise<CreateFolderResult> {
    const names = folderNames(request.path);
    const name = names.pop();
    if (name === undefined) throw new DriveError('invalid_input', { text: 'invalid_input_empty_name' });
    const create = (base: { folderId?: string }): Promise<CreateFolderResult> =>
      this.cache.retryWithoutCache(async () => {
        const budgeted = this.budgeted(call);
        const path = { ...request, baseFolderId: base.folderId, createMissing: true };
        const folderId = await this.walk(names, path, budgeted);
        const isParentKnown = folderId !== base.folderId;
        const folder = { name, folderId, fields, path: request.path, isParentKnown };
        return createFolder(this.context, folder, budgeted);
      });
    return inTargetFolder(this.context.drive, { folderId: request.baseFolderId }, create, call);
  }

  /** @returns the file or folder, with `id` and `mimeType`. @throws `not_found`, `conflict` */
  async resolveFile(
    path: string,
    call: CallOptions,
    { trashed = false, cacheEpoch }: FilePathOptions = {},
  ): Promise<DriveFile> {
    const { drive } = this.context;
    const names = splitPath(path);
    const name = names.pop();
    if (name === undefined) return { id: rootId(drive.service) };
    checkLevels(names.length);
    return this.cache.retryWithoutCache(async () => {
      const budgeted = this.budgeted(call);
      const folderId = await this.walk(names, { path, createMissing: false, cacheEpoch }, budgeted);
      const query = { names: [name], folderId, kind: 'any', fields: 'id,mimeType' } as const;
      const inTrash = trashed ? await findByName(drive, { ...query, trashed }, budgeted) : [];
      const found = inTrash.length > 0 ? inTrash : await findByName(drive, query, budgeted);
      return onlyFile(found, { path, name, text: 'not_found_path_end' });
    });
  }

  /** Removes a folder from the cache after work that moves, renames or removes it, even if the work fails. */
  invalidateAfter<T>(id: string, work: Promise<T>): Promise<T> {
    return work.finally(() => this.cache.delete(id));
  }

  private budgeted(call: CallOptions): CallOptions {
    return this.context.drive.engine.withRetryBudget(call);
  }

  private async walk(
    names: readonly string[],
    request: FolderPathRequest,
    call: CallOptions,
  ): Promise<string> {
    let folderId = await this.startOf(names, request, call);
    for (const name of names) folderId = await this.resolveStep({ ...request, folderId, name }, call);
    return folderId;
  }

  /** Checks the cached folders of the path. @returns the id of the folder that the path starts in */
  private async startOf(
    names: readonly string[],
    { baseFolderId, cacheEpoch }: FolderPathRequest,
    call: CallOptions,
  ): Promise<string> {
    const id = baseFolderId || rootId(this.context.drive.service);
    if (cacheEpoch !== undefined) await this.revalidate(this.cache.getPath(id, names), cacheEpoch, call);
    return id;
  }

  /** Checks all cached folders of a path in one request. Those that have changed are looked up afterwards. */
  private async revalidate(
    path: readonly CachedFolder[],
    cacheEpoch: number,
    call: CallOptions,
  ): Promise<void> {
    const { drive } = this.context;
    const outdated = path.filter(({ epoch }) => epoch <= cacheEpoch);
    if (outdated.length < 2 || !canRevalidate(drive.service, path)) return;
    const work = async (shared: CallOptions): Promise<void> => {
      if (path.every((folder) => this.cache.get(folder, cacheEpoch) === folder.id)) return;
      const epoch = this.cache.startLookup();
      for (const folder of await revalidatePath(drive, path, shared)) this.cache.set({ ...folder, epoch });
    };
    await this.mutex.run(`path ${path.map(({ id }) => id).join(' ')}`, work, call);
  }

  /** Of concurrent calls, the first one looks the folder up and the others find it in the cache. */
  private async resolveStep(step: Step, call: CallOptions): Promise<string> {
    const cached = this.cache.get(step, step.cacheEpoch);
    if (cached !== undefined) return cached;
    const work = async (shared: CallOptions): Promise<string> => {
      const cachedMeanwhile = this.cache.get(step, step.cacheEpoch);
      if (cachedMeanwhile !== undefined) return cachedMeanwhile;
      const epoch = this.cache.startLookup();
      const id = await this.lookUp(step, shared);
      this.cache.set({ ...step, id, epoch });
      return id;
    };
    return this.mutex.run(nameKey(step), work, call);
  }

  private async lookUp(
    { folderId, baseFolderId, name, path, createMissing, refusesFiles, mayAllowCreation, onCreated }: Step,
    call: CallOptions,
  ): Promise<string> {
    const request = { name, folderId, fields: 'id', ...((createMissing || refusesFiles) && { path }) };
    if (createMissing) {
      const isParentKnown = folderId !== baseFolderId;
      const { folder, created } = await createFolder(this.context, { ...request, isParentKnown }, call);
      if (created) onCreated?.();
      return folder.id;
    }
    const folder = await findFolder(this.context.drive, request, call);
    const text = mayAllowCreation ? 'not_found_path_create' : 'not_found_path';
    return onlyFile(folder ? [folder] : [], { path, name, text }).id;
  }
}

interface MissingName {
  path: string;
  name: string;
  text: `not_found_path${'' | '_create' | '_end'}`;
}

function onlyFile(found: readonly DriveFile[], { path, name, text }: MissingName): DriveFile {
  const [only] = found;
  if (!only) throw new DriveError('not_found', { text, params: { path, name } });
  if (found.length > 1) throw ambiguousName(name, found);
  return only;
}

/** Leaves room for the folder ids in the URL. */
const MAX_FOLDERS = 20;

/** False for custom services, which may not support `or`: docs/signing-in.md. */
function canRevalidate(service: Service, path: readonly CachedFolder[]): boolean {
  const names = path.map(({ name }) => name);
  const fits = path.length <= MAX_FOLDERS && countNamesInOneQuery(service, names) === names.length;
  return service.can.queries && fits;
}

/** @returns the folders of the path that are unchanged and the only ones of their name */
async function revalidatePath(
  drive: DriveContext,
  path: readonly CachedFolder[],
  call: CallOptions,
): Promise<CachedFolder[]> {
  const found = await listCachedFolders(drive, path, call);
  // The cached path contains the alias `root` instead of the id of the root folder.
  const isInRoot = ({ folderId }: CachedFolder): boolean =>
    folderId === rootId(drive.service) && folderId !== drive.service.driveId;
  const parentIds = new Set(path.filter((folder) => !isInRoot(folder)).map(({ folderId }) => folderId));
  // `parents` in a response never contains the alias, so a folder in none of the other parents must be in the root.
  const isIn = ({ parents = [] }: DriveFile, folder: CachedFolder): boolean =>
    isInRoot(folder) ? !parents.some((id) => parentIds.has(id)) : parents.includes(folder.folderId);
  return path.filter((folder) => {
    const matches = found.filter(
      (file) => toNFC(file.name ?? '') === toNFC(folder.name) && isIn(file, folder),
    );
    return matches.length === 1 && matches[0]?.id === folder.id;
  });
}

/**
 * @returns `[]` if the list stays incomplete or a parent doesn't exist: the caller then looks up each folder separately
 */
async function listCachedFolders(
  drive: DriveContext,
  path: readonly CachedFolder[],
  call: CallOptions,
): Promise<DriveFile[]> {
  const terms = path.map(
    ({ folderId, name }) => `(${allOf([inParents(folderId), anyOf(unicodeForms(name).map(nameEquals))])})`,
  );
  const q = allOf([mimeTypeEquals(folderMimeType(drive.service)), notTrashed, anyOf(terms)]);
  const anyDrive = path.some(({ folderId }) => isOutside(drive, folderId));
  const request = { q, fields: 'id,name,parents', anyDrive };
  const pages = (budgeted: CallOptions) => listPages(drive, request, budgeted);
  try {
    return await listComplete(drive, { pages }, call);
  } catch (error) {
    if (isDriveError(error, 'not_found') || isIncomplete(error)) return [];
    throw error;
  }
}
