/** Repeats work that used a cached folder which another client has moved, renamed or removed since. */
import { isDriveError } from '../errors';
import type { FolderCache } from './folder-cache';

export interface CacheRetryOptions {
  cache: FolderCache;
  /** Called before the work is repeated. */
  mayRepeat?: (() => boolean) | undefined;
}

/** Repeats work once with an empty cache if it failed with `not_found` after using a cached folder. */
export async function retryWithoutCache<T>(
  work: () => Promise<T>,
  { cache, mayRepeat = () => true }: CacheRetryOptions,
): Promise<T> {
  const hitsBefore = cache.hits;
  try {
    return await work();
  } catch (error) {
    const mayBeStale = isDriveError(error, 'not_found') && cache.hits > hitsBefore && !cache.isEmpty;
    if (!mayBeStale || !mayRepeat()) throw error;
    cache.clear();
    return work();
  }
}
