/**
 * Work in folders on disk: work in the same folder, or in one inside the other, runs one after the other if any of it
 * writes there.
 */
import { sep } from 'node:path';
import { foldName } from './names';
import type { CallOptions } from '../types';
import { abortable } from './abort';

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
    const folder = withSeparator(path);
    const earlier = [...this.pending].filter(
      (other) => mayConflict(access, other.access) && areNested(folder, other.folder),
    );
    const ends = earlier.map(({ end }) => end);
    const result = waitForEarlier(ends, call).then(work);
    const entry = { folder, access, end: result.catch(() => undefined) };
    this.pending.add(entry);
    return result.finally(() => this.pending.delete(entry));
  }

  /** @returns whether work in the folder, or in one inside or around it, is running or waiting */
  isInUse(path: string): boolean {
    const folder = withSeparator(path);
    return [...this.pending].some((other) => areNested(folder, other.folder));
  }
}

/** @returns whether the paths are the same, or one is inside the other */
export function overlaps(path: string, other: string): boolean {
  return areNested(withSeparator(path), withSeparator(other));
}

/** On a disk that ignores case, two spellings are one folder. Elsewhere, waiting without need does no harm. */
function withSeparator(path: string): string {
  const folder = foldName(path);
  return folder.endsWith(sep) ? folder : folder + sep;
}

function areNested(folder: string, other: string): boolean {
  return folder.startsWith(other) || other.startsWith(folder);
}

/** Shared by all clients: two accounts may use the same folder on disk. */
export const foldersOnDisk = new FolderLock();

/** For lists of files, together with the removals that depend on them; also shared. See {@link driveFolderKey}. */
export const foldersOnDrive = new FolderLock();

/** @returns what stands for the path of a folder on disk, for {@link foldersOnDrive} */
export function driveFolderKey(baseUrl: string, folderId: string): string {
  return JSON.stringify([folderId, baseUrl]);
}

export function mayConflict(access: FolderAccess, other: FolderAccess): boolean {
  return access === 'write' || other === 'write';
}

/** @param ends never rejected. @throws `cancelled` as soon as the signal is aborted */
export async function waitForEarlier(
  ends: readonly Promise<unknown>[],
  { signal, onQueue }: CallOptions,
): Promise<void> {
  const all = abortable(Promise.all(ends), signal);
  if (ends.length > 0) onQueue?.(true);
  try {
    await all;
  } finally {
    if (ends.length > 0) onQueue?.(false);
  }
}
