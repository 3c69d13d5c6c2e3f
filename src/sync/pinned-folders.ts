/** Folders that several writes share, because opening a folder takes as long as writing a small file. */
import { PinnedFolder } from '../fs/pinned-folder';

/** Folders that stay open without a user. */
const MAX_IDLE = 16;

interface SharedFolder {
  path: string;
  opened: Promise<PinnedFolder>;
  users: number;
}

export class PinnedFolders {
  private readonly folders = new Map<string, SharedFolder>();

  /** Runs `work` with an open folder that is at its path. @throws as {@link PinnedFolder.open} */
  async use<T>(path: string, work: (folder: PinnedFolder) => Promise<T>): Promise<T> {
    const existing = this.folders.get(path);
    const shared = existing ?? { path, opened: PinnedFolder.open(path), users: 0 };
    this.folders.set(path, shared);
    shared.users += 1;
    try {
      const folder = await this.open(shared, existing === undefined);
      if (folder) return await work(folder);
    } finally {
      shared.users -= 1;
      await this.closeUnused(shared);
    }
    // Another folder may have taken its place.
    return this.use(path, work);
  }

  /** Call it once nothing is in progress. */
  async close(): Promise<void> {
    for (const shared of this.folders.values()) await close(shared);
    this.folders.clear();
  }

  /** @returns undefined if the folder isn't at its path any more */
  private async open(shared: SharedFolder, isNew: boolean): Promise<PinnedFolder | undefined> {
    try {
      const folder = await shared.opened;
      if (isNew || (await isInPlace(folder))) return folder;
    } catch (error) {
      this.forget(shared);
      throw error;
    }
    this.forget(shared);
    return undefined;
  }

  private forget(shared: SharedFolder): void {
    if (this.folders.get(shared.path) === shared) this.folders.delete(shared.path);
  }

  private async closeUnused(last: SharedFolder): Promise<void> {
    if (last.users === 0 && this.folders.get(last.path) !== last) await close(last);
    const idle = [...this.folders.values()].filter(({ users }) => users === 0);
    const [oldest] = idle;
    if (!oldest || idle.length <= MAX_IDLE) return;
    this.folders.delete(oldest.path);
    await close(oldest);
  }
}

async function isInPlace(folder: PinnedFolder): Promise<boolean> {
  try {
    await folder.check();
    return true;
  } catch {
    return false;
  }
}

async function close({ opened }: SharedFolder): Promise<void> {
  const folder = await opened.catch(() => undefined);
  await folder?.close();
}
