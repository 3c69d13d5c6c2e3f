/**
 * Runs work in folders on the drive: work in the same folder, or in one inside the other, one after the other if any of
 * it writes there. The service knows only the parents of a folder. They are requested only while there is other work.
 */
import { ifFound } from '../errors';
import { type DriveContext, rootId } from '../drive/drive-context';
import { getMetadataIfSupported } from '../drive/metadata';
import { shortcutFields, targetOf } from '../drive/shortcuts';
import { abortable } from '../core/abort';
import { type FolderAccess, mayConflict, waitForEarlier } from '../core/folder-lock';
import { toNFC } from '../drive/query';
import type { RootFolder } from '../drive/root-folder';
import { type FolderPathRequest, type PathResolver, splitPath } from '../drive/resolver';
import type { CallOptions } from '../types';

/** A folder by its id, `''` for the root, or by its path. */
export type TargetFolder = string | FolderPathRequest;

export interface LockContext {
  drive: DriveContext;
  paths: PathResolver;
  rootFolder: RootFolder;
}

/** The folder that work takes place in. */
export interface LockedFolder {
  /** Undefined for a path whose missing folders may be created. */
  id: string | undefined;
  /** Creates the missing folders. Another client may have created them meanwhile. */
  create?: (() => Promise<FolderCreation>) | undefined;
}

export interface FolderCreation {
  id: string;
  /** False if the folder already exists. */
  created: boolean;
}

/** Where work takes place, as far as it is known without its parents. */
interface Place {
  /** Undefined for a path that doesn't exist yet. */
  targetId: string | undefined;
  /** The target, or else the folders that will contain it. */
  ids: readonly string[];
  /** Shared by all that ask for it. */
  chain?: Promise<Chain> | undefined;
}

/** A target with the folders that contain it. */
interface Chain {
  ids: ReadonlySet<string>;
  /** False if a custom service doesn't report parents. */
  isComplete: boolean;
}

/** Work that is running or waiting. */
interface Pending {
  target: TargetFolder;
  /** Of the path from the root, in NFC; undefined for a folder that was given by its id. */
  names: readonly string[] | undefined;
  place: Promise<Place>;
  access: FolderAccess;
  end: Promise<unknown>;
}

/** More than folders can be nested. */
const MAX_DEPTH = 200;

export class DriveFolderLock {
  private readonly pending = new Set<Pending>();

  constructor(private readonly context: LockContext) {}

  /**
   * Runs `work` when all earlier work that it must not run together with has ended. The work itself creates the missing
   * folders of a path, once it has found no reason not to.
   * @throws `cancelled` if the signal is aborted before the work starts
   */
  async run<T>(
    target: TargetFolder,
    work: (folder: LockedFolder) => Promise<T>,
    { access, ...call }: CallOptions & { access: FolderAccess },
  ): Promise<T> {
    const earlier = [...this.pending].filter((other) => mayConflict(access, other.access));
    const own: Pending = {
      target,
      names: typeof target === 'string' ? undefined : splitPath(target.path).map(toNFC),
      place: this.locate(target, earlier.length > 0, call),
      access,
      end: Promise.resolve(),
    };
    const result = this.open(own, earlier, call).then(work);
    own.end = result.catch(ignore);
    this.pending.add(own);
    return result.finally(() => this.pending.delete(own));
  }

  /** Waits for earlier work. */
  private async open(own: Pending, earlier: readonly Pending[], call: CallOptions): Promise<LockedFolder> {
    let { target } = own;
    void own.place.catch(ignore);
    if (earlier.length > 0) {
      const ends: Promise<unknown>[] = [];
      for (const other of earlier) if (await this.overlap(own, other, call)) ends.push(other.end);
      await waitForEarlier(ends, call);
      const cacheEpoch = this.context.paths.cacheEpoch();
      if (typeof target !== 'string') target = { ...target, cacheEpoch };
      own.place = this.locate(target, false, call);
      void own.place.catch(ignore);
    }
    const { targetId } = await own.place;
    if (typeof target === 'string') return { id: target };
    const path = target;
    return { id: targetId, create: () => this.create(own, path, call) };
  }

  private async create(own: Pending, path: FolderPathRequest, call: CallOptions): Promise<FolderCreation> {
    const { folder, created } = await this.context.paths.createFolder({ ...path, fields: 'id' }, call);
    // From now on, work in this folder by its id has to wait.
    own.place = Promise.resolve({ targetId: folder.id, ids: [folder.id] });
    return { id: folder.id, created };
  }

  /**
   * Creates nothing.
   * @param isWaiting earlier work may still create or remove folders of the path
   * @throws `not_found` for a path that work must not create; `conflict` for a file on the path
   */
  private async locate(target: TargetFolder, isWaiting: boolean, call: CallOptions): Promise<Place> {
    const { drive, paths } = this.context;
    if (typeof target === 'string') {
      const id = target || rootId(drive.service);
      return { targetId: id, ids: [id] };
    }
    const { createMissing } = target;
    if (isWaiting || createMissing) {
      const ids = await paths.findExisting({ ...target, refusesFiles: createMissing && !isWaiting }, call);
      return { targetId: ids.length > splitPath(target.path).length ? ids.at(-1) : undefined, ids };
    }
    const id = await paths.resolveFolder({ ...target, refusesFiles: true }, call);
    return { targetId: id, ids: [id] };
  }

  private async overlap(own: Pending, other: Pending, call: CallOptions): Promise<boolean> {
    if (own.names && other.names) {
      if (startsWith(own.names, other.names) || startsWith(other.names, own.names)) return true;
      // Without shortcuts, a folder has one path.
      if (!this.context.drive.service.can.shortcuts) return false;
    }
    const ownPlace = await own.place;
    const otherPlace = await abortable(
      other.place.catch(() => undefined),
      call.signal,
    );
    // Either it fails soon, or it waits for other work and is located again after that.
    if (!otherPlace) return true;
    if (contains(ownPlace, otherPlace.ids) || contains(otherPlace, ownPlace.ids)) return true;
    const [ownChain, otherChain] = [await this.chainOf(ownPlace, call), await this.chainOf(otherPlace, call)];
    if (!ownChain.isComplete || !otherChain.isComplete) return true;
    return contains(ownPlace, [...otherChain.ids]) || contains(otherPlace, [...ownChain.ids]);
  }

  private chainOf(place: Place, { signal, ...call }: CallOptions): Promise<Chain> {
    if (!place.chain) {
      const chain = this.fetchChain(place, call);
      place.chain = chain;
      void chain.catch(() => (place.chain = undefined));
    }
    return abortable(place.chain, signal);
  }

  private async fetchChain({ ids: known }: Place, call: CallOptions): Promise<Chain> {
    const { drive, rootFolder } = this.context;
    const { service } = drive;
    const ids = new Set(known);
    let id = known.at(-1) ?? '';
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      ids.add(id);
      if (await rootFolder.isRoot(id, undefined)) return { ids: ids.add(rootId(service)), isComplete: true };
      const parent = await this.findParent(id, call);
      if (parent === undefined) break;
      id = parent;
    }
    // With the scope drive.file, the id of the root is unknown.
    if ((await rootFolder.getId(undefined)) === undefined) ids.add(rootId(service));
    return { ids, isComplete: service.can.parents };
  }

  /** @returns the target of a shortcut */
  private async findParent(id: string, call: CallOptions): Promise<string | undefined> {
    const { drive } = this.context;
    const fields = ['id', 'parents', ...shortcutFields(drive.service)].join(',');
    const file = await ifFound(getMetadataIfSupported(drive, id, fields, call));
    return file && (targetOf(file)?.id ?? file.parents?.[0]);
  }
}

function startsWith(names: readonly string[], start: readonly string[]): boolean {
  return start.every((name, index) => names[index] === name);
}

function contains({ targetId }: Place, ids: readonly string[]): boolean {
  return targetId !== undefined && ids.includes(targetId);
}

function ignore(): void {}
