/**
 * Files and folders by their path: `/Backups/2026/a.tar`. The service knows only ids and names, and of one name there
 * may be several: then nobody guesses.
 */
import { DriveError, isDriveError } from '../errors';
import type { CallOptions, Clock, DriveFile } from '../types';
import { type FolderContext, type NamedFolder, folderNamed, onlyFolder } from '../files/create-folder';
import { rootId } from '../api/drive-context';
import { ambiguous, findByName } from '../files/find-by-name';
import { type CachedFolder, FolderCache, type NameIn, keyOf } from './folder-cache';
import { canBeAsked, revalidatePath } from './revalidate-path';
import { KeyedMutex } from '../concurrency/keyed-mutex';

export interface FolderPath {
  path: string;
  /** Folder that the path begins in; `''`: the root. */
  from?: string;
  /** Folders that aren't there are made. */
  create: boolean;
  /** Of {@link PathResolver.moment}: what was found before that is looked for anew. */
  since?: number;
}

export interface FilePath {
  /** Looks in the trash first, for what has been in that folder. */
  trashed?: boolean;
  /** As of a {@link FolderPath}. */
  since?: number;
}

/** @returns its names, from the root on. In a name, `\/` stands for a slash; slashes too many don't count */
export function pathNames(path: string): string[] {
  const names = path.match(/(?:\\\/|[^/])+/g) ?? [];
  return names.map((name) => name.replaceAll('\\/', '/'));
}

interface Step extends FolderPath, NameIn {}

export class PathResolver {
  private readonly known: FolderCache;
  private readonly turns = new KeyedMutex();

  constructor(
    private readonly folders: FolderContext,
    clock: Clock,
  ) {
    this.known = new FolderCache(clock);
  }

  /**
   * For what changes files or takes them away: a path may lead elsewhere by now than a minute ago, and no error would
   * tell.
   * @returns the moment to name as `since`
   */
  moment(): number {
    return this.known.latest;
  }

  /**
   * @returns the folder's id
   * @throws `not_found` naming the part that isn't there, `conflict` listing the ids where a name stands for several
   */
  folder(wanted: FolderPath, call: CallOptions): Promise<string> {
    return this.sure(() => this.walk(pathNames(wanted.path), wanted, call));
  }

  /** The folder at a path, made with all that lead to it. @throws `conflict`; `invalid_input` for the root */
  async newFolder(
    { path, from, fields, since }: Omit<FolderPath, 'create'> & { from: string; fields: string },
    call: CallOptions,
  ): Promise<NamedFolder> {
    const names = pathNames(path);
    const name = names.pop();
    if (name === undefined) throw new DriveError('invalid_input', { text: 'invalid_input_empty_name' });
    return this.sure(async () => {
      const before = since === undefined ? {} : { since };
      const parentId = await this.walk(names, { path, from, create: true, ...before }, call);
      return folderNamed(this.folders, { name, parentId, fields }, call);
    });
  }

  /** @returns what is there, a file or a folder, with `id` and `mimeType`. @throws `not_found`, `conflict` */
  async file(path: string, call: CallOptions, { trashed = false, since }: FilePath = {}): Promise<DriveFile> {
    const { drive } = this.folders;
    const names = pathNames(path);
    const name = names.pop();
    if (name === undefined) return { id: rootId(drive.service) };
    return this.sure(async () => {
      const before = since === undefined ? {} : { since };
      const parentId = await this.walk(names, { path, create: false, ...before }, call);
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
  async sure<T>(work: () => Promise<T>, mayRepeat = (): boolean => true): Promise<T> {
    const before = this.known.timesKnown;
    try {
      return await work();
    } catch (error) {
      const isStale =
        isDriveError(error, 'not_found') && this.known.timesKnown > before && !this.known.isEmpty;
      if (!isStale || !mayRepeat()) throw error;
      this.known.clear();
      return work();
    }
  }

  /** What was known of the folder's place is no longer so. */
  forget(id: string): void {
    this.known.forget(id);
  }

  private async walk(names: readonly string[], wanted: FolderPath, call: CallOptions): Promise<string> {
    let parentId = wanted.from || rootId(this.folders.drive.service);
    if (wanted.since !== undefined) await this.confirm(this.known.way(parentId, names), wanted.since, call);
    for (const name of names) parentId = await this.enter({ ...wanted, parentId, name }, call);
    return parentId;
  }

  /** What is known is asked for at once instead of one by one; what is no longer so is looked for after that. */
  private async confirm(way: readonly CachedFolder[], since: number, call: CallOptions): Promise<void> {
    const { drive } = this.folders;
    const isOld = ({ look }: CachedFolder): boolean => look <= since;
    if (way.filter(isOld).length < 2 || !canBeAsked(drive.service, way)) return;
    const ask = async (alone: CallOptions): Promise<void> => {
      if (way.every((step) => this.known.recall(step, since) === step.id)) return;
      const look = this.known.begin();
      for (const step of await revalidatePath(drive, way, alone)) this.known.keep({ ...step, look });
    };
    await this.once(`way ${way.map(({ id }) => id).join(' ')}`, ask, call);
  }

  /** Of many calls at once the first asks, and the others find what it found. */
  private async enter(step: Step, call: CallOptions): Promise<string> {
    const known = this.known.recall(step, step.since);
    if (known !== undefined) return known;
    const find = async (alone: CallOptions): Promise<string> => {
      const found = this.known.recall(step, step.since);
      if (found !== undefined) return found;
      const look = this.known.begin();
      const id = await this.look(step, alone);
      this.known.keep({ ...step, id, look });
      return id;
    };
    return this.once(keyOf(step), find, call);
  }

  /** One after the other; whoever leaves leaves it to the others. */
  private once<T>(key: string, work: (alone: CallOptions) => Promise<T>, call: CallOptions): Promise<T> {
    const onWait = (ms: number): void => {
      if (!call.signal?.aborted) call.onWait?.(ms);
    };
    return this.turns.run(key, (signal) => work({ signal, onWait }), call.signal);
  }

  private async look({ parentId, name, path, create }: Step, call: CallOptions): Promise<string> {
    const wanted = { name, parentId, fields: 'id' };
    if (create) return (await folderNamed(this.folders, wanted, call)).folder.id;
    const folder = await onlyFolder(this.folders.drive, wanted, call);
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
  if (found.length > 1) throw ambiguous(name, found);
  return only;
}
