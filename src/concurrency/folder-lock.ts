/**
 * Work in folders on disk: work in the same folder, or in one inside the other, runs one after the other if any of it
 * writes there.
 */
import { sep } from 'node:path';
import type { CallOptions } from '../types';
import { waitForEarlier } from './wait-for-earlier';

/** What work does in a folder. Work that only reads doesn't wait for other work that only reads. */
export type FolderAccess = 'read' | 'write';

interface Pending {
  /** The folder's path and a separator. */
  folder: string;
  access: FolderAccess;
  end: Promise<unknown>;
}

export class FolderLock {
  /** What is running or waiting. */
  private readonly pending = new Set<Pending>();

  /**
   * Runs `work` when all earlier work that it must not run together with has ended.
   * @param path absolute, without symbolic links
   * @throws `cancelled` if the signal is aborted before the work starts
   */
  async run<T>(
    path: string,
    work: () => Promise<T>,
    call: CallOptions & { access?: FolderAccess } = {},
  ): Promise<T> {
    const { access = 'write' } = call;
    // On a disk that ignores case, two spellings are one folder. Elsewhere, waiting without need does no harm.
    const folder = path.endsWith(sep) ? path.toLowerCase() : `${path.toLowerCase()}${sep}`;
    const earlier = [...this.pending].filter(
      (other) =>
        mayConflict(access, other.access) &&
        (folder.startsWith(other.folder) || other.folder.startsWith(folder)),
    );
    const ends = earlier.map(({ end }) => end);
    const result = waitForEarlier(ends, call).then(work);
    const entry = { folder, access, end: result.catch(() => undefined) };
    this.pending.add(entry);
    return result.finally(() => this.pending.delete(entry));
  }
}

/** Shared by all clients: two accounts may use the same folder on disk. */
export const foldersOnDisk = new FolderLock();

export function mayConflict(access: FolderAccess, other: FolderAccess): boolean {
  return access === 'write' || other === 'write';
}
