/** Work in folders on disk: work in the same folder, or in one inside the other, runs one after the other. */
import { sep } from 'node:path';
import type { CallOptions } from '../types';
import { waitForEarlier } from './wait-for-earlier';

export class FolderLock {
  /** What is running or waiting, with the folder's path and a separator. */
  private readonly pending = new Set<{ folder: string; end: Promise<unknown> }>();

  /**
   * Runs `work` when all earlier work in folders that overlap has ended.
   * @param path absolute, without symbolic links
   * @throws `cancelled` if the signal is aborted before the work starts
   */
  async run<T>(path: string, work: () => Promise<T>, call: CallOptions = {}): Promise<T> {
    // On a disk that ignores case, two spellings are one folder. Elsewhere, waiting without need does no harm.
    const folder = path.endsWith(sep) ? path.toLowerCase() : `${path.toLowerCase()}${sep}`;
    const earlier = [...this.pending].filter(
      (other) => folder.startsWith(other.folder) || other.folder.startsWith(folder),
    );
    const ends = earlier.map(({ end }) => end);
    const result = waitForEarlier(ends, call).then(work);
    const entry = { folder, end: result.catch(() => undefined) };
    this.pending.add(entry);
    return result.finally(() => this.pending.delete(entry));
  }
}
