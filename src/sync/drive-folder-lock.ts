/**
 * Runs work in folders on the drive: work in the same folder, or in one inside the other, one after the other if any of
 * it writes there, whatever the account. The service knows only the parents of a folder. They are requested only while
 * there is other work. Of several processes on this machine, one at a time writes to the same folder.
 */
import { createHash } from 'node:crypto';
import { lstat, readlink, rename, symlink, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { errorCode, ifFound } from '../errors';
import { type DriveContext, rootId } from '../drive/drive-context';
import { getMetadataIfSupported } from '../drive/metadata';
import { shortcutFields, targetOf } from '../drive/shortcuts';
import { abortable } from '../core/abort';
import { type FolderAccess, mayConflict, waitForEarlier } from '../core/folder-lock';
import type { CreateFolderResult } from '../drive/create-folder';
import { toNFC } from '../drive/query';
import type { RootFolder } from '../drive/root-folder';
import { type FolderPathRequest, type PathResolver, splitPath } from '../drive/resolver';
import { OWNER, currentOwner, isOwn, isOwnOrEnded, newOwnerName, parseOwner } from '../fs/part-owner';
import type { CallOptions, Clock } from '../types';

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
  create?: (() => Promise<CreateFolderResult>) | undefined;
}

/** Where work takes place. A missing folder has its path from an existing one instead of an id. */
interface Place {
  /** The folder: its id, its path, or both once it was created. */
  own: readonly string[];
  /** The folders that contain it, as far as they are known. */
  above: ReadonlySet<string>;
  /** Whether these are all. */
  isComplete: boolean;
  /** Id of the folder, or of the nearest one above that exists. */
  nearestId: string;
  isMissing: boolean;
  /** With all folders above. Shared by all that ask for it. */
  whole?: Promise<Place> | undefined;
}

/** Work that is running or waiting. */
interface Pending {
  lock: DriveFolderLock;
  target: TargetFolder;
  place: Promise<Place>;
  access: FolderAccess;
  end: Promise<unknown>;
}

/** More than folders can be nested. */
const MAX_DEPTH = 200;
/** ms between two looks at the lock of another process. */
const POLL_INTERVAL = 1_000;

/** Shared by all clients: two accounts may use the same folder. */
const pending = new Set<Pending>();

export class DriveFolderLock {
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
    const { baseUrl } = this.context.drive.service;
    const earlier = [...pending].filter(
      ({ lock, ...other }) =>
        lock.context.drive.service.baseUrl === baseUrl && mayConflict(access, other.access),
    );
    const place = this.locate(target, earlier.length > 0, call);
    const own: Pending = { lock: this, target, place, access, end: Promise.resolve() };
    const result = this.waitAndRun(own, { earlier, work }, call);
    own.end = result.catch(ignore);
    pending.add(own);
    return result.finally(() => pending.delete(own));
  }

  private async waitAndRun<T>(
    own: Pending,
    { earlier, work }: { earlier: readonly Pending[]; work: (folder: LockedFolder) => Promise<T> },
    call: CallOptions,
  ): Promise<T> {
    own.place.catch(ignore);
    if (earlier.length > 0) {
      const ends: Promise<unknown>[] = [];
      for (const other of earlier) if (await this.overlap(own, other, call)) ends.push(other.end);
      await waitForEarlier(ends, call);
      this.locateAgain(own, call);
    }
    if (own.access === 'read') return work(await this.open(own, call));
    for (;;) {
      const locks = [await this.lockOnMachine(await own.place, call)];
      try {
        if (!locks[0]?.hasWaited) return await work(await this.open(own, call, locks));
      } finally {
        for (const { unlock } of locks) await unlock();
      }
      this.locateAgain(own, call);
    }
  }

  private lockOnMachine({ own }: Place, call: CallOptions): Promise<MachineLock> {
    const { clock, service } = this.context.drive;
    const key = createHash('sha256').update(JSON.stringify([service.baseUrl, ...own]));
    return lockOnMachine(key.digest('hex').slice(0, 16), clock, call);
  }

  /** Other work may have created or removed folders meanwhile. */
  private locateAgain(own: Pending, call: CallOptions): void {
    const { target } = own;
    const cacheEpoch = this.context.paths.cacheEpoch();
    if (typeof target !== 'string') own.target = { ...target, cacheEpoch };
    own.place = this.locate(own.target, false, call);
    own.place.catch(ignore);
  }

  /** @param locks gets that of a new folder. */
  private async open(own: Pending, call: CallOptions, locks: MachineLock[] = []): Promise<LockedFolder> {
    const { target } = own;
    if (typeof target === 'string') return { id: target };
    const place = await own.place;
    const create = async (): Promise<CreateFolderResult> => {
      const result = await this.context.paths.createFolder({ ...target, fields: 'id' }, call);
      const { id } = result.folder;
      // From now on, work in this folder by its id has to wait, too.
      own.place = Promise.resolve({ ...place, own: [...place.own, id], nearestId: id });
      // Another process, too. It may have been faster.
      const lock = await this.lockOnMachine(placeOf([id], []), call);
      locks.push(lock);
      return lock.hasWaited ? { ...result, created: false } : result;
    };
    return { id: place.isMissing ? undefined : place.nearestId, create };
  }

  /**
   * Creates nothing.
   * @param isWaiting earlier work may still create or remove folders of the path
   * @throws `not_found` for a path that work must not create; `conflict` for a file on the path
   */
  private async locate(target: TargetFolder, isWaiting: boolean, call: CallOptions): Promise<Place> {
    const { drive, paths } = this.context;
    if (typeof target === 'string') return placeOf([target || rootId(drive.service)], []);
    const request = { ...target, refusesFiles: !isWaiting };
    const ids = await paths.findExisting(request, call);
    const missing = splitPath(target.path).slice(ids.length - 1);
    // Without shortcuts, a folder has one path.
    const isComplete = !drive.service.can.shortcuts && !target.baseFolderId;
    const mustExist = !isWaiting && !target.createMissing && missing.length > 0;
    if (mustExist) return placeOf([...ids, await paths.resolveFolder(request, call)], []);
    return { ...placeOf(ids, missing), isComplete };
  }

  private async overlap(own: Pending, other: Pending, call: CallOptions): Promise<boolean> {
    const [place, otherPlace] = [
      await settled(own.place),
      await abortable(settled(other.place), call.signal),
    ];
    // Either it fails soon, or it waits for other work and is located again after that.
    if (!place || !otherPlace || areNested(place, otherPlace)) return true;
    const whole = await this.withParents(place, call);
    const otherWhole = await other.lock.withParents(otherPlace, call);
    return !whole.isComplete || !otherWhole.isComplete || areNested(whole, otherWhole);
  }

  private withParents(place: Place, { signal, ...call }: CallOptions): Promise<Place> {
    const whole = place.whole ?? this.fetchParents(place, call);
    place.whole = whole;
    whole.catch(() => (place.whole = undefined));
    return abortable(whole, signal);
  }

  private async fetchParents(place: Place, call: CallOptions): Promise<Place> {
    if (place.isComplete) return place;
    const { drive, rootFolder } = this.context;
    const { service } = drive;
    const above = new Set(place.above);
    let id: string | undefined = place.nearestId;
    for (let depth = 0; id !== undefined && depth < MAX_DEPTH; depth++) {
      above.add(id);
      if (await rootFolder.isRoot(id, undefined))
        return { ...place, above: above.add(rootId(service)), isComplete: true };
      id = await this.findParent(id, call);
    }
    // With the scope drive.file, the id of the root is unknown.
    if ((await rootFolder.getId(undefined)) === undefined) above.add(rootId(service));
    return { ...place, above, isComplete: service.can.parents };
  }

  /** @returns the target of a shortcut */
  private async findParent(id: string, call: CallOptions): Promise<string | undefined> {
    const { drive } = this.context;
    const fields = ['id', 'parents', ...shortcutFields(drive.service)].join(',');
    const file = await ifFound(getMetadataIfSupported(drive, id, fields, call));
    return file && (targetOf(file)?.id ?? file.parents?.[0]);
  }
}

interface MachineLock {
  /** What is known of the drive may be outdated. */
  hasWaited: boolean;
  unlock: () => Promise<void>;
}

/**
 * Waits for other processes that write to the same folder. The lock is a symbolic link: it is created together with the
 * name of its process, by which the lock of one that was killed is recognized. Where there can be no link, there is no
 * lock.
 * @throws `cancelled`
 */
async function lockOnMachine(key: string, clock: Clock, call: CallOptions): Promise<MachineLock> {
  const link = path.join(tmpdir(), `cloud-drive-sync-${key}`);
  const own = newOwnerName();
  // Not the one of a process that has taken this one for ended, as in another container.
  const unlock = async (): Promise<void> => {
    if ((await ownerIn(link)) === own) await unlink(link).catch(ignore);
  };
  let hasWaited = false;
  try {
    for (;;) {
      const created = await symlink(own, link, 'junction').then(() => 'created', errorCode);
      if (created !== 'EEXIST') return { hasWaited, unlock };
      if (await isHeld(link)) {
        if (!hasWaited) call.onQueue?.(true);
        hasWaited = true;
        await clock.sleep(POLL_INTERVAL, call.signal);
      } else if (!(await discardEnded(link, own))) return { hasWaited, unlock };
    }
  } finally {
    if (hasWaited) call.onQueue?.(false);
  }
}

/** @returns the name of the process that holds a lock, as {@link OWNER} */
async function ownerIn(link: string): Promise<string | undefined> {
  return OWNER.exec(await readlink(link).catch(() => ''))?.[0];
}

/**
 * Whether another process of this machine holds the lock. Those of other containers can't be seen, and another user
 * could make this one wait forever.
 */
async function isHeld(link: string): Promise<boolean> {
  const owner = parseOwner(OWNER.exec((await ownerIn(link)) ?? '')?.slice(1) ?? []);
  if (owner?.pidNamespace !== currentOwner().pidNamespace || isOwnOrEnded(owner)) return false;
  const stats = await lstat(link).catch(() => undefined);
  return stats !== undefined && isOwn({ uid: stats.uid }, path.dirname(link));
}

/**
 * Another process may have found it at the same time, and have created its own lock there: that one is put back.
 * @returns false if it can't be removed
 */
async function discardEnded(link: string, own: string): Promise<boolean> {
  const taken = `${link}-${own}`;
  const failure = await rename(link, taken).then(() => undefined, errorCode);
  if (failure !== undefined) return failure === 'ENOENT';
  if (await isHeld(taken)) await symlink(await readlink(taken), link, 'junction').catch(ignore);
  await unlink(taken).catch(ignore);
  return true;
}

/** @param ids of the existing folders of a path, from the top. @param missing names of the others */
function placeOf(ids: readonly string[], missing: readonly string[]): Place {
  const nearestId = ids.at(-1) ?? '';
  const paths = missing.map((_, index) => [nearestId, ...missing.slice(0, index + 1).map(toNFC)].join('/'));
  const all = [...ids, ...paths];
  const own = all.splice(-1);
  return { own, above: new Set(all), isComplete: false, nearestId, isMissing: missing.length > 0 };
}

/** Whether one is the other, or in it. */
function areNested(place: Place, other: Place): boolean {
  const contains = (outer: Place, inner: Place): boolean =>
    outer.own.some((each) => inner.above.has(each) || inner.own.includes(each));
  return contains(place, other) || contains(other, place);
}

/** @returns undefined for a place that can't be found */
function settled(place: Promise<Place>): Promise<Place | undefined> {
  return place.catch(() => undefined);
}

function ignore(): void {}
