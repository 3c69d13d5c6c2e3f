/**
 * Files and folders by their path: `/Backups/2026/a.tar`. The service knows only ids and names, and of one name there
 * may be several: then nobody guesses.
 */
import { DriveError, isDriveError } from '../errors';
import type { CallOptions, Clock, DriveFile } from '../types';
import {
  type CreateContext,
  type CreateFolderResult,
  createFolder,
  findFolder,
} from '../files/create-folder';
import { rootId } from '../api/drive-context';
import { ambiguousName, findByName } from '../files/find-by-name';
import { type CachedFolder, FolderCache, type NameInFolder, cacheKey } from './folder-cache';
import { canRevalidate, revalidatePath } from './revalidate-path';
import { KeyedMutex } from '../concurrency/keyed-mutex';

export interface FolderPathRequest {
  path: string;
  /** Folder that the path begins in; `''`: the root. */
  baseFolderId?: string;
  /** Folders that aren't there are made. */
  createMissing: boolean;
  /** Of {@link PathResolver.cacheEpoch}: what was found before that is looked for anew. */
  cacheEpoch?: number;
}

export interface FilePathOptions {
  /** Looks in the trash first, for what has been in that folder. */
  trashed?: boolean;
  /** As of a {@link FolderPathRequest}. */
  cacheEpoch?: number;
}

/** @returns its names, from the root on. In a name, `\/` stands for a slash; slashes too many don't count */
export function splitPath(path: string): string[] {
  const names = path.match(/(?:\\\/|[^/])+/g) ?? [];
  return names.map((name) => name.replaceAll('\\/', '/'));
}

interface Step extends FolderPathRequest, NameInFolder {}

export class PathResolver {
  private readonly known: FolderCache;
  private readonly turns = new KeyedMutex();

  constructor(
    private readonly folders: CreateContext,
    clock: Clock,
  ) {
    this.known = new FolderCache(clock);
  }

  /**
   * For what changes files or takes them away: a path may lead elsewhere by now than a minute ago, and no error would
   * tell.
   * @returns the moment to name as `since`
   */
  cacheEpoch(): number {
    return this.known.epoch;
  }

  /**
   * @returns the folder's id
   * @throws `not_found` naming the part that isn't there, `conflict` listing the ids where a name stands for several
   */
  resolveFolder(wanted: FolderPathRequest, call: CallOptions): Promise<string> {
    return this.retryWithoutCache(() => this.walk(splitPath(wanted.path), wanted, call));
  }

  /** The folder at a path, made with all that lead to it. @throws `conflict`; `invalid_input` for the root */
  async createFolder(
    { fields, ...request }: Omit<FolderPathRequest, 'createMissing'> & { fields: string },
    call: CallOptions,
  ): Promise<CreateFolderResult> {
    const names = splitPath(request.path);
    const name = names.pop();
    if (name === undefined) throw new DriveError('invalid_input', { text: 'invalid_input_empty_name' });
    return this.retryWithoutCache(async () => {
      const folderId = await this.walk(names, { ...request, createMissing: true }, call);
      return createFolder(this.folders, { name, folderId, fields }, call);
    });
  }

  /** @returns what is there, a file or a folder, with `id` and `mimeType`. @throws `not_found`, `conflict` */
  async resolveFile(
    path: string,
    call: CallOptions,
    { trashed = false, cacheEpoch }: FilePathOptions = {},
  ): Promise<DriveFile> {
    const { drive } = this.folders;
    const names = splitPath(path);
    const name = names.pop();
    if (name === undefined) return { id: rootId(drive.service) };
    return this.retryWithoutCache(async () => {
      const parentId = await this.walk(names, { path, createMissing: false, cacheEpoch }, call);
      const wanted = { names: [name], folderId: parentId, kind: 'any', fields: 'id,mimeType' } as const;
      const away = trashed ? await findByName(drive, { ...wanted, trashed }, call) : [];
      if (away.length > 0) return onlyOne(away, path, name);
      return onlyOne(await findByName(drive, wanted, call), path, name, 'not_found_path_end');
    });
  }

  /**
   * What isn't found by way of a folder from memory is looked for once more, from the root on.
   * @param mayRepeat asked before that
   */
  async retryWithoutCache<T>(work: () => Promise<T>, mayRepeat = (): boolean => true): Promise<T> {
    const before = this.known.hits;
    try {
      return await work();
    } catch (error) {
      const isStale = isDriveError(error, 'not_found') && this.known.hits > before && !this.known.isEmpty;
      if (!isStale || !mayRepeat()) throw error;
      this.known.clear();
      return work();
    }
  }

  /** What was known of the folder's place is no longer so. */
  invalidate(id: string): void {
    this.known.delete(id);
  }

  private async walk(
    names: readonly string[],
    wanted: FolderPathRequest,
    call: CallOptions,
  ): Promise<string> {
    let folderId = wanted.baseFolderId || rootId(this.folders.drive.service);
    if (wanted.cacheEpoch !== undefined)
      await this.confirm(this.known.getPath(folderId, names), wanted.cacheEpoch, call);
    for (const name of names) folderId = await this.enter({ ...wanted, folderId, name }, call);
    return folderId;
  }

  /** What is known is asked for at once instead of one by one; what is no longer so is looked for after that. */
  private async confirm(way: readonly CachedFolder[], since: number, call: CallOptions): Promise<void> {
    const { drive } = this.folders;
    const isOld = ({ epoch }: CachedFolder): boolean => epoch <= since;
    if (way.filter(isOld).length < 2 || !canRevalidate(drive.service, way)) return;
    const ask = async (alone: CallOptions): Promise<void> => {
      if (way.every((step) => this.known.get(step, since) === step.id)) return;
      const epoch = this.known.startLookup();
      for (const step of await revalidatePath(drive, way, alone)) this.known.set({ ...step, epoch });
    };
    await this.once(`way ${way.map(({ id }) => id).join(' ')}`, ask, call);
  }

  /** Of many calls at once the first asks, and the others find what it found. */
  private async enter(step: Step, call: CallOptions): Promise<string> {
    const known = this.known.get(step, step.cacheEpoch);
    if (known !== undefined) return known;
    const find = async (alone: CallOptions): Promise<string> => {
      const found = this.known.get(step, step.cacheEpoch);
      if (found !== undefined) return found;
      const epoch = this.known.startLookup();
      const id = await this.look(step, alone);
      this.known.set({ ...step, id, epoch });
      return id;
    };
    return this.once(cacheKey(step), find, call);
  }

  /** One after the other; whoever leaves leaves it to the others. */
  private once<T>(key: string, work: (alone: CallOptions) => Promise<T>, call: CallOptions): Promise<T> {
    const onWait = (ms: number): void => {
      if (!call.signal?.aborted) call.onWait?.(ms);
    };
    return this.turns.run(key, (signal) => work({ signal, onWait }), call.signal);
  }

  private async look({ folderId, name, path, createMissing }: Step, call: CallOptions): Promise<string> {
    const wanted = { name, folderId, fields: 'id' };
    if (createMissing) return (await createFolder(this.folders, wanted, call)).folder.id;
    const folder = await findFolder(this.folders.drive, wanted, call);
    return onlyOne(folder ? [folder] : [], path, name).id;
  }
}

function onlyOne(
  found: readonly DriveFile[],
  path: string,
  name: string,
  text = 'not_found_path',
): DriveFile {
  const [only] = found;
  if (!only) throw new DriveError('not_found', { text, params: { path, name } });
  if (found.length > 1) throw ambiguousName(name, found);
  return only;
}
