/**
 * A folder on disk with files of a repository as they are there, encrypted, so that they aren't downloaded again. It
 * may be deleted at any time, and several processes may use it. Synchronously, in a worker thread: most files are
 * small.
 *
 * All caches of repositories, and who may trust them:
 * - This one: config, keys, snapshots, index and packs of trees. A restore, a list and a backup trust it, and a backup
 *   reads key and config from the drive at its end. A check trusts only what it has written itself, so it reads all of
 *   them from the drive; one of the age alone does so for the config, the keys and the snapshot that it reports.
 * - The state in this folder: when packs were first found unused or missing. Only a backup uses it, to wait longer.
 * - `DriveContext.repositoryFolders`: the IDs of folders, in memory. Each use lists the folders again.
 * - `ownLocks` in drive-store.ts: this process's locks, in memory. They only decide whose lock a listed one is.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  type Stats,
  closeSync,
  fstatSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { devNull } from 'node:os';
import path from 'node:path';
import type { ByteRange, FileType } from './store';

/** Bytes of all repositories together. */
const MAX_SIZE = 256 * 1024 * 1024;
/** ms after which a file that was not completed is removed. */
const MAX_AGE = 3_600_000;
/** Name of a repository's folder. Nothing else is removed: another folder may have been given its name. */
const FOLDER = /^[0-9a-f]{32}$/;
const NO_FILE: readonly string[] = [];

export class RepositoryCache {
  private readonly root: string;
  private readonly folder: string;
  /** Files whose time of use was set. */
  private readonly used = new Set<string>();
  /** Files that were written, and so were read from the drive or sent there. */
  private readonly written = new Set<string>();

  /**
   * @param place of the repository, as a name that is different for each
   * @param distrusted types of which only what was written with this object is read
   */
  constructor(
    root: string,
    place: string,
    private readonly distrusted: readonly FileType[] = [],
  ) {
    // Nothing can be created in a folder below a file, so nothing is cached.
    this.root = isPrivate(root) ? root : path.join(devNull, 'cache');
    this.folder = path.join(this.root, createHash('sha256').update(place).digest('hex').slice(0, 32));
  }

  /** @returns undefined if it isn't there. The content isn't checked. */
  read(type: FileType, name: string, range?: ByteRange): Buffer | undefined {
    if (this.distrusted.includes(type) && !this.written.has(name)) return undefined;
    try {
      const fd = openSync(this.pathOf(type, name), 'r');
      try {
        this.markUsed(fd, name);
        const start = range?.start ?? 0;
        const content = Buffer.allocUnsafeSlow((range?.end ?? fstatSync(fd).size) - start);
        return readSync(fd, content, 0, content.length, start) === content.length ? content : undefined;
      } finally {
        closeSync(fd);
      }
    } catch {
      return undefined;
    }
  }

  /** Without an error if that is impossible, such as on a full disk. */
  write(type: FileType, name: string, content: Uint8Array): void {
    this.written.add(name);
    this.writeFile(this.pathOf(type, name), content);
  }

  private writeFile(file: string, content: Uint8Array | string): void {
    const temporary = `${file}.${randomBytes(6).toString('hex')}`;
    try {
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(temporary, content, { mode: 0o600 });
      renameSync(temporary, file);
    } catch {
      tryRemove(temporary);
    }
  }

  remove(type: FileType, name: string): void {
    tryRemove(this.pathOf(type, name));
  }

  /** @param id of the repository: several may share a folder, such as those in the roots of two accounts */
  readState(id: string): unknown {
    try {
      return JSON.parse(readFileSync(this.stateOf(id), 'utf8'));
    } catch {
      return undefined;
    }
  }

  writeState(id: string, state: object): void {
    this.writeFile(this.stateOf(id), JSON.stringify(state));
  }

  /** Removes the files that the repository doesn't contain any more. */
  keepOnly(type: FileType, names: ReadonlySet<string>): void {
    for (const name of namesIn(path.join(this.folder, type))) if (!names.has(name)) this.remove(type, name);
  }

  /** Removes those that weren't used for the longest time, of any repository. */
  trim(): void {
    const folders = namesIn(this.root).filter((name) => FOLDER.test(name));
    const files = folders
      .flatMap((name) => filesIn(path.join(this.root, name)))
      .map(({ file, stats }) => {
        // The name of a file that is being written has a suffix.
        const isLeft = /\.[0-9a-f]{12}$/.test(file) && Date.now() - stats.mtimeMs > MAX_AGE;
        return { file, size: stats.size, time: isLeft ? 0 : stats.mtimeMs };
      });
    let size = files.reduce((sum, each) => sum + each.size, 0);
    for (const each of files.sort((a, b) => a.time - b.time)) {
      if (size <= MAX_SIZE && each.time > 0) return;
      tryRemove(each.file);
      size -= each.size;
    }
  }

  private stateOf(id: string): string {
    return path.join(this.folder, `state-${id.slice(0, 16)}.json`);
  }

  private pathOf(type: FileType, name: string): string {
    return path.join(this.folder, type, name);
  }

  private markUsed(fd: number, name: string): void {
    if (this.used.has(name)) return;
    this.used.add(name);
    const now = new Date();
    futimesSync(fd, now, now);
  }
}

/**
 * Creates the folder if it is missing.
 * @returns false if another user may write to it: links in it could lead to other files
 */
function isPrivate(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const stats = statSync(folder);
    if (!process.getuid) return stats.isDirectory();
    const isOwn = [lstatSync(folder).uid, stats.uid].every((uid) => uid === process.getuid?.());
    return isOwn && stats.isDirectory() && (stats.mode & 0o022) === 0;
  } catch {
    return false;
  }
}

/** A cache that can't be written to must not make a backup fail. */
function tryRemove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // It is removed another time.
  }
}

function filesIn(folder: string): { file: string; stats: Stats }[] {
  return namesIn(folder).flatMap((name) => {
    const file = path.join(folder, name);
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats?.isDirectory()) return filesIn(file);
    return stats?.isFile() ? [{ file, stats }] : [];
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return NO_FILE;
  }
}
