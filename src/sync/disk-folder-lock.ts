/** Work in folders on disk, as in {@link foldersOnDisk}, with paths that may contain symbolic links. */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { abortable } from '../concurrency/abortable';
import { type FolderAccess, foldersOnDisk } from '../concurrency/folder-lock';
import type { CallOptions } from '../types';

export class DiskFolderLock {
  /** Work waits in the order in which it arrives, however long its path takes to resolve. */
  private arrivals: Promise<unknown> = Promise.resolve();

  /** @throws `cancelled` if the signal is aborted before the work starts */
  async run<T>(
    folder: string,
    work: () => Promise<T>,
    call: CallOptions & { access: FolderAccess },
  ): Promise<T> {
    const { arrivals } = this;
    const resolved = realFolder(folder);
    // Without the results: otherwise, each would keep all earlier ones.
    this.arrivals = Promise.all([arrivals, resolved]).then(() => undefined);
    await abortable(arrivals, call.signal);
    return foldersOnDisk.run(await abortable(resolved, call.signal), work, call);
  }
}

/** Without symbolic links in the part of the path that exists. */
async function realFolder(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch {
    const parent = path.dirname(folder);
    return parent === folder ? folder : path.join(await realFolder(parent), path.basename(folder));
  }
}
