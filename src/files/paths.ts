/**
 * Files and folders by their path: `/Backups/2026/a.tar`. The service knows only ids and names, and of one name there
 * may be several: then nobody guesses.
 */
import { DriveError, isDriveError } from '../errors';
import type { CallOptions, Clock, DriveFile } from '../types';
import { type FolderContext, type NamedFolder, folderNamed } from './create-folder';
import { rootId } from './drive';
import { ambiguous, composed, findByName } from './find-by-name';
import { Turns } from './turns';

export interface FolderPath {
  path: string;
  /** Folder that the path begins in; `''`: the root. */
  from?: string;
  /** Folders that aren't there are made. */
  create: boolean;
  /** Of {@link Paths.moment}: what was found before that is looked for anew. */
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

/** Someone else may rename or move a folder: it is looked for anew after so many ms. */
const KNOWN_FOR = 60_000;
const MOST_KNOWN = 1_000;

interface Known {
  id: string;
  /** Milliseconds since 1970. */
  until: number;
  /** The number of the look that found it. */
  look: number;
}

interface Step extends FolderPath {
  parentId: string;
  name: string;
}

export class Paths {
  /** By the folder they are in and their name, oldest first. */
  private readonly known = new Map<string, Known>();
  private served = 0;
  private looks = 0;
  private readonly turns = new Turns();

  constructor(
    private readonly folders: FolderContext,
    private readonly clock: Clock,
  ) {}

  /**
   * For what takes files away: a path may lead elsewhere by now than a minute ago, and no error would tell.
   * @returns the moment to name as `since`
   */
  moment(): number {
    return this.looks;
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
    { path, from, fields }: { path: string; from: string; fields: string },
    call: CallOptions,
  ): Promise<NamedFolder> {
    const names = pathNames(path);
    const name = names.pop();
    if (name === undefined) throw new DriveError('invalid_input', { text: 'invalid_input_empty_name' });
    return this.sure(async () => {
      const parentId = await this.walk(names, { path, from, create: true }, call);
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
      return onlyOne(await findByName(drive, wanted, call), path, name);
    });
  }

  /**
   * What isn't found by way of a folder from memory is looked for once more, from the root on.
   * @param mayRepeat asked before that
   */
  async sure<T>(work: () => Promise<T>, mayRepeat = (): boolean => true): Promise<T> {
    const before = this.served;
    try {
      return await work();
    } catch (error) {
      const isStale = isDriveError(error, 'not_found') && this.served > before && this.known.size > 0;
      if (!isStale || !mayRepeat()) throw error;
      this.known.clear();
      return work();
    }
  }

  /** What was known of the folder's place is no longer so. */
  forget(id: string): void {
    for (const [key, known] of this.known) if (known.id === id) this.known.delete(key);
  }

  private async walk(names: readonly string[], wanted: FolderPath, call: CallOptions): Promise<string> {
    let parentId = wanted.from || rootId(this.folders.drive.service);
    for (const name of names) parentId = await this.enter({ ...wanted, parentId, name }, call);
    return parentId;
  }

  /** Of many calls at once the first asks, and the others find what it found. */
  private async enter(step: Step, call: CallOptions): Promise<string> {
    const key = JSON.stringify([step.parentId, composed(step.name)]);
    const known = this.recall(key, step.since);
    if (known !== undefined) return known;
    const onWait = (ms: number): void => {
      if (!call.signal?.aborted) call.onWait?.(ms);
    };
    const look = async (signal: AbortSignal): Promise<string> => {
      const found = this.recall(key, step.since);
      if (found !== undefined) return found;
      const number = ++this.looks;
      const id = await this.look(step, { signal, onWait });
      this.known.set(key, { id, until: this.clock.now() + KNOWN_FOR, look: number });
      const [oldest] = this.known.keys();
      if (this.known.size > MOST_KNOWN && oldest !== undefined) this.known.delete(oldest);
      return id;
    };
    return this.turns.run(key, look, call.signal);
  }

  private async look({ parentId, name, path, create }: Step, call: CallOptions): Promise<string> {
    if (create) return (await folderNamed(this.folders, { name, parentId, fields: 'id' }, call)).folder.id;
    const wanted = { names: [name], folderId: parentId, kind: 'folders', fields: 'id' } as const;
    return onlyOne(await findByName(this.folders.drive, wanted, call), path, name).id;
  }

  private recall(key: string, since = 0): string | undefined {
    const known = this.known.get(key);
    if (!known || known.look <= since) return undefined;
    if (known.until > this.clock.now()) {
      this.served += 1;
      return known.id;
    }
    this.known.delete(key);
    return undefined;
  }
}

function onlyOne(found: readonly DriveFile[], path: string, name: string): DriveFile {
  const [only] = found;
  if (!only) throw new DriveError('not_found', { text: 'not_found_path', params: { path, name } });
  if (found.length > 1) throw ambiguous(name, found);
  return only;
}
