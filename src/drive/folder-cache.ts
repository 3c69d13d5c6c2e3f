/**
 * Caches folders by their name. Entries expire after a minute, since other clients may rename, move or delete folders.
 */
import { BoundedMap } from '../core/bounded-map';
import { isDriveError } from '../errors';
import type { Clock, NameInFolder } from '../types';
import { nameKey } from './query';

/** The folder of a name in another folder. */
export interface CachedFolder extends NameInFolder {
  id: string;
  /** The epoch of the lookup that found it. */
  epoch: number;
}

const LIFETIME = 60_000;
const MAX_ENTRIES = 1_000;

export class FolderCache {
  private readonly entries = new BoundedMap<string, CachedFolder & { expiresAt: number }>(MAX_ENTRIES);
  private lastEpoch = 0;
  /** Lookups up to this one may have been those of another user. */
  private clearedEpoch = 0;
  /** The number of lookups that found an entry. */
  private hits = 0;

  constructor(private readonly clock: Clock) {}

  /** The epoch of the latest lookup. */
  get epoch(): number {
    return this.lastEpoch;
  }

  /** Call before looking up a folder. @returns the epoch for {@link set} */
  startLookup(): number {
    return ++this.lastEpoch;
  }

  /** @param afterEpoch ignores entries up to this epoch. @returns the folder's id */
  get(key: NameInFolder, afterEpoch = 0): string | undefined {
    const entry = this.find(key);
    if (!entry || entry.epoch <= afterEpoch) return undefined;
    this.hits += 1;
    return entry.id;
  }

  /** @returns the cached folders of a path, up to the first one that isn't cached */
  getPath(baseFolderId: string, names: readonly string[]): CachedFolder[] {
    const path: CachedFolder[] = [];
    for (const name of names) {
      const entry = this.find({ folderId: path.at(-1)?.id ?? baseFolderId, name });
      if (!entry) break;
      path.push(entry);
    }
    return path;
  }

  /** Ignored if a later lookup has already set the entry, or the cache was cleared since. */
  set({ folderId, name, id, epoch }: CachedFolder): void {
    const key = nameKey({ folderId, name });
    if (epoch <= this.clearedEpoch || (this.entries.get(key)?.epoch ?? 0) > epoch) return;
    this.entries.set(key, { folderId, name, id, epoch, expiresAt: this.clock.monotonic() + LIFETIME });
  }

  /** Another user may have signed in. */
  clear(): void {
    this.clearedEpoch = this.lastEpoch;
    this.entries.clear();
  }

  /** @param id of the cached folder */
  delete(id: string): void {
    for (const [key, entry] of this.entries) if (entry.id === id) this.entries.delete(key);
  }

  /**
   * Repeats work once with an empty cache if it failed with `not_found` after using a cached folder, which another
   * client may have moved, renamed or removed.
   * @param mayRepeat called before the work is repeated
   */
  async retryWithoutCache<T>(work: () => Promise<T>, mayRepeat = (): boolean => true): Promise<T> {
    const hitsBefore = this.hits;
    try {
      return await work();
    } catch (error) {
      const mayBeStale = isDriveError(error, 'not_found') && this.hits > hitsBefore && this.entries.size > 0;
      if (!mayBeStale || !mayRepeat()) throw error;
      // Not the lookups of other calls in progress, which find what is there now.
      this.entries.clear();
      return work();
    }
  }

  private find(name: NameInFolder): CachedFolder | undefined {
    const key = nameKey(name);
    const entry = this.entries.get(key);
    if (!entry || entry.expiresAt > this.clock.monotonic()) return entry;
    this.entries.delete(key);
    return undefined;
  }
}
