/**
 * Access to folders that others may write to as well: where one of them is replaced by a symbolic link, nothing is done
 * outside. As in pinned-folder.ts, folders stay open on Linux; elsewhere, they are checked before each use.
 */
import { type Stats, existsSync } from 'node:fs';
import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { descriptorPath, namesIn, openWithoutLink } from './pinned-folder';
import { errorCode } from '../errors';
import { diskPath } from './path-bytes';

interface HeldFolder {
  /** For calls of the file system, until the folder is closed. */
  readonly path: string;
  close(): Promise<void>;
}

/** @param path whose last name isn't followed if it is a link. @throws `ENOTDIR` */
export async function openChild(path: string): Promise<HeldFolder> {
  if (canHoldFolders()) {
    const handle = await openWithoutLink(diskPath(path));
    return { path: descriptorPath(handle), close: () => handle.close() };
  }
  if (!(await lstat(diskPath(path))).isDirectory())
    throw Object.assign(new Error(`ENOTDIR: not a directory, '${path}'`), { code: 'ENOTDIR' });
  return { path, close: () => Promise.resolve() };
}

function canHoldFolders(): boolean {
  return process.platform === 'linux' && existsSync('/proc/self/fd');
}

/**
 * A tree of which paths lead to no other place. The folders on the way to the last entry stay open, because most calls
 * are for its neighbors. A returned path is valid until the next call, so calls must not overlap.
 */
export class Tree {
  private names: string[] = [];
  private readonly opened: HeldFolder[] = [];
  private readonly canHold = canHoldFolders();

  /**
   * @param parent path of a pinned folder, or of a folder that only this process writes to
   * @param name of the tree's top folder, which may be missing
   */
  constructor(
    private readonly parent: string,
    private readonly name: string,
  ) {}

  /** @returns the path of a folder, which isn't a link. @throws `ENOENT`, `ENOTDIR` */
  folder(path: string): Promise<string> {
    return this.open(namesIn(join(this.name, path)));
  }

  /** @returns the path of an entry, which may be missing, or a link. @throws `ENOENT`, `ENOTDIR` for its folder */
  async entry(path: string): Promise<string> {
    const names = namesIn(join(this.name, path));
    return join(await this.open(names.slice(0, -1)), names.at(-1) ?? '');
  }

  /** @returns undefined for a missing entry, or one below something that isn't a folder */
  async stats(path: string): Promise<Stats | undefined> {
    try {
      return await lstat(diskPath(await this.entry(path)));
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
      throw error;
    }
  }

  async exists(path: string): Promise<boolean> {
    return (await this.stats(path)) !== undefined;
  }

  async isFolder(path: string): Promise<boolean> {
    return (await this.stats(path))?.isDirectory() ?? false;
  }

  /** Also creates the folders above it. */
  async createFolder(path: string): Promise<void> {
    const names = namesIn(join(this.name, path));
    try {
      await this.open(names);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      // Those that exist are open now.
      for (let depth = this.opened.length; depth < names.length; depth++) {
        await mkdir(diskPath(join(this.last, names[depth] ?? '')));
        await this.open(names.slice(0, depth + 1));
      }
    }
  }

  close(): Promise<void> {
    return this.closeBelow(0);
  }

  private async open(names: readonly string[]): Promise<string> {
    let common = 0;
    while (common < names.length && names[common] === this.names[common]) common += 1;
    await this.closeBelow(this.canHold ? common : 0);
    for (const name of names.slice(this.opened.length)) {
      this.opened.push(await openChild(join(this.last, name)));
      this.names.push(name);
    }
    return this.last;
  }

  private get last(): string {
    return this.opened.at(-1)?.path ?? this.parent;
  }

  private async closeBelow(depth: number): Promise<void> {
    this.names = this.names.slice(0, depth);
    for (const folder of this.opened.splice(depth)) await folder.close();
  }
}
