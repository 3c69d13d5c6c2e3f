/**
 * The lock of a folder on disk, which may be given by a path with symbolic links: work that writes there waits for
 * other work in the folder, in one inside it or around it. Only in this process: {@link foldersOnDisk}.
 */
import { abortable } from '../core/abort';
import { type FolderAccess, foldersOnDisk } from '../core/folder-lock';
import { TimeLimit } from '../core/clock';
import type { CallOptions } from '../types';
import { realPathOf } from '../fs/durable';

/** ms. A network share that is gone may never answer, and work in other folders mustn't wait for it. */
const MAX_WAIT = 10_000;

export class DiskFolderLock {
  /** Work waits in the order in which it arrives, unless a path takes very long to resolve. */
  private arrivals: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly resolve: (folder: string) => Promise<string> = realPathOf,
    private readonly maxWait = MAX_WAIT,
  ) {}

  /**
   * @param call with `prepare`, which runs before the folder is locked. Work doesn't overtake earlier work in the
   *   meantime.
   * @throws `cancelled` if the signal is aborted before the work starts; as `prepare`
   */
  async run<T>(
    folder: string,
    work: () => Promise<T>,
    call: CallOptions & { access: FolderAccess; prepare?: () => Promise<void> },
  ): Promise<T> {
    const { arrivals } = this;
    const resolved = (call.prepare?.() ?? Promise.resolve()).then(() => this.resolve(folder));
    // Without the results: otherwise, each would keep all earlier ones.
    this.arrivals = Promise.all([arrivals, endOrLimit(resolved, this.maxWait)]).then(() => undefined);
    await abortable(arrivals, call.signal);
    return foldersOnDisk.run(await abortable(resolved, call.signal), work, call);
  }

  /** @returns whether work in the folder, or in one inside or around it, is running or waiting */
  async isInUse(folder: string): Promise<boolean> {
    return foldersOnDisk.isInUse(await this.resolve(folder));
  }
}

function endOrLimit(work: Promise<unknown>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const limit = new TimeLimit(ms, resolve);
    const end = (): void => {
      limit.stop();
      resolve();
    };
    void work.then(end, end);
  });
}
