/** Folders that were found by their name, for a while: someone else may rename, move or delete them. */
import type { Clock } from '../types';
import { toNFC } from '../files/find-by-name';

/** A name in a folder. */
export interface NameInFolder {
  folderId: string;
  name: string;
}

/** A folder that was found there. */
export interface CachedFolder extends NameInFolder {
  id: string;
  /** The number of the look that found it. */
  epoch: number;
}

/** It is looked for anew after so many ms. */
const KNOWN_FOR = 60_000;
const MOST_KNOWN = 1_000;

export class FolderCache {
  /** By the folder they are in and their name, oldest first. */
  private readonly known = new Map<string, CachedFolder & { until: number }>();
  private looks = 0;
  private served = 0;

  constructor(private readonly clock: Clock) {}

  /** The number of the latest look. */
  get epoch(): number {
    return this.looks;
  }

  /** How often something was known, so far. */
  get hits(): number {
    return this.served;
  }

  get isEmpty(): boolean {
    return this.known.size === 0;
  }

  /** @returns the number of a look that begins now */
  startLookup(): number {
    return ++this.looks;
  }

  /** @param since only what was found by a later look than this one */
  get(place: NameInFolder, since = 0): string | undefined {
    const found = this.find(place);
    if (!found || found.epoch <= since) return undefined;
    this.served += 1;
    return found.id;
  }

  /** What is known of a way, as far as it is; it may no longer be so. */
  getPath(from: string, names: readonly string[]): CachedFolder[] {
    const way: CachedFolder[] = [];
    for (const name of names) {
      const found = this.find({ folderId: way.at(-1)?.id ?? from, name });
      if (!found) break;
      way.push(found);
    }
    return way;
  }

  /** A look that ends late knows less than one that began after it. */
  set({ folderId, name, id, epoch }: CachedFolder): void {
    const key = cacheKey({ folderId, name });
    if ((this.known.get(key)?.epoch ?? 0) > epoch) return;
    this.known.delete(key);
    this.known.set(key, { folderId, name, id, epoch, until: this.clock.monotonic() + KNOWN_FOR });
    const [oldest] = this.known.keys();
    if (this.known.size > MOST_KNOWN && oldest !== undefined) this.known.delete(oldest);
  }

  delete(id: string): void {
    for (const [key, known] of this.known) if (known.id === id) this.known.delete(key);
  }

  clear(): void {
    this.known.clear();
  }

  private find(place: NameInFolder): CachedFolder | undefined {
    const key = cacheKey(place);
    const found = this.known.get(key);
    if (!found || found.until > this.clock.monotonic()) return found;
    this.known.delete(key);
    return undefined;
  }
}

export function cacheKey({ folderId, name }: NameInFolder): string {
  return JSON.stringify([folderId, toNFC(name)]);
}
