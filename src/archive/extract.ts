/**
 * Writes the entries of an archive into an empty folder; synchronously, in a worker thread, because for small files the
 * round trips to the thread pool take longer than writing them. Nothing is written outside it: until all other entries are in
 * place, a symbolic link is one that refers to itself, so that the system refuses every path through it (ELOOP). Links
 * get their targets last, and folders their times after that.
 */
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  fchmodSync,
  fchownSync,
  futimesSync,
  lchownSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type DriveError, errorCode } from '../errors';
import { fileTime } from './durable';
import { CaseCollisions, type EntryProblem, badEntry, relativePath } from './entry-path';
import { JsonLinesWriter, readJsonLines } from './json-lines';
import type { PathMatcher } from '../search/path-globs';
import type { TarEntry } from './read-archive';
import { isRoot } from './swap';
import type { FolderEntry } from './swap-journal';

export interface ExtractOptions {
  /** Name of the archive, for error messages. */
  archive: string;
  /** Selects entries by path; undefined for all. */
  include: PathMatcher | undefined;
  isCaseSensitive: boolean;
  /** The mode of files created with 777: what the process's umask allows. */
  creationMode: number;
  /** Called after every entry. */
  onEntry?: ((progress: ExtractProgress) => void) | undefined;
}

export interface ExtractProgress {
  entries: number;
  /** Of the contents. */
  bytes: number;
}

/** Places in the work folder. */
export interface ExtractPlaces {
  /** The folder to fill; it exists and is empty. */
  staged: string;
  /** A file for the attributes of folders. */
  folders: string;
  /** A file for the symbolic links. */
  links: string;
}

interface LinkEntry extends FolderEntry {
  /** What a symbolic link refers to; or, for a hard link to a symbolic link, that link's path. */
  target: string;
  isHard: boolean;
}

export class Extraction {
  readonly progress: ExtractProgress = { entries: 0, bytes: 0 };
  private readonly collisions: CaseCollisions | undefined;
  private readonly ownerIsRestored = isRoot();
  /** Of new files. Asking the system takes as long as setting a time. */
  private readonly owner = { uid: process.geteuid?.(), gid: process.getegid?.() };
  /** By the path of a file that isn't selected, the paths of the selected hard links to it. */
  private readonly missing = new Map<string, string[]>();

  private constructor(
    private readonly places: ExtractPlaces,
    private readonly options: ExtractOptions,
    private readonly folders: JsonLinesWriter,
    private readonly links: JsonLinesWriter,
  ) {
    this.collisions = options.isCaseSensitive ? undefined : new CaseCollisions();
  }

  static async create(places: ExtractPlaces, options: ExtractOptions): Promise<Extraction> {
    const folders = await JsonLinesWriter.create(places.folders);
    return new Extraction(places, options, folders, await JsonLinesWriter.create(places.links));
  }

  /** @returns whether it is selected. @throws `bad_response` for an entry that can't be restored safely, `local_file` … */
  async add(entry: TarEntry, content: AsyncIterable<Buffer>): Promise<boolean> {
    const path = this.checkedPath(entry);
    if (this.options.include && (path === '' || !this.options.include(path))) return false;
    if (this.collisions?.has(path)) throw this.problem('collision', entry.name);
    try {
      await this.write(path, entry, content);
    } catch (error) {
      throw this.explain(error, entry.name);
    }
    this.progress.entries += 1;
    this.options.onEntry?.(this.progress);
    return true;
  }

  /** True if hard links refer to files that aren't selected: then {@link addMissing} has to see all entries again. */
  get isIncomplete(): boolean {
    return this.missing.size > 0;
  }

  /** Writes a file that isn't selected under the name of the first hard link to it. @returns whether there is one */
  async addMissing(entry: TarEntry, content: AsyncIterable<Buffer>): Promise<boolean> {
    const path = relativePath(entry.name);
    const [first, ...others] = this.missing.get(path ?? '') ?? [];
    if (path === undefined || first === undefined || entry.type !== 'file') return false;
    this.missing.delete(path);
    await this.writeFile(first, entry, content);
    for (const other of others) this.createHardLink(this.stagedPath(first), other);
    return true;
  }

  /** Creates the links and sets the attributes of folders. No content may be written after that. */
  async finish(): Promise<void> {
    const [unresolved] = this.missing.keys();
    if (unresolved !== undefined) throw this.problem('link', unresolved);
    await this.links.close();
    await this.folders.close();
    for await (const line of readJsonLines(this.places.links)) this.createLink(line as LinkEntry);
    await this.setFolderAttributes();
  }

  /** Closes all files, after a failure. */
  async abandon(): Promise<void> {
    await this.links.close().catch(() => undefined);
    await this.folders.close().catch(() => undefined);
  }

  private checkedPath({ name, type }: TarEntry): string {
    const path = relativePath(name);
    if (path === undefined || (path === '' && type !== 'folder')) throw this.problem('path', name);
    if (type === 'unsupported') throw this.problem('type', name);
    return path;
  }

  private async write(path: string, entry: TarEntry, content: AsyncIterable<Buffer>): Promise<void> {
    switch (entry.type) {
      case 'file':
        return this.writeFile(path, entry, content);
      case 'folder':
        return this.writeFolder(path, entry);
      case 'link':
        return this.writeHardLink(path, entry);
      default:
        return this.writeSymbolicLink(path, entry);
    }
  }

  private async writeFile(path: string, entry: TarEntry, content: AsyncIterable<Buffer>): Promise<void> {
    const mode = this.isOther(entry) || !this.isPlainMode(entry.mode) ? 0o600 : entry.mode;
    const fd = this.create(path, (file) => openSync(file, 'wx', mode));
    try {
      for await (const chunk of content) writeAll(fd, chunk);
      if (this.isOther(entry)) fchownSync(fd, entry.uid, entry.gid);
      if (this.isOther(entry) || !this.isPlainMode(entry.mode)) fchmodSync(fd, entry.mode);
      futimesSync(fd, fileTime(entry.mtime), fileTime(entry.mtime));
    } finally {
      closeSync(fd);
    }
    this.progress.bytes += entry.size;
  }

  /** Every call for a file takes as long as writing a small one, so none is made that changes nothing. */
  private isOther({ uid, gid }: TarEntry): boolean {
    return this.ownerIsRestored && (uid !== this.owner.uid || gid !== this.owner.gid);
  }

  /** True if a new file gets exactly this mode. */
  private isPlainMode(mode: number): boolean {
    return (mode & ~this.options.creationMode) === 0;
  }

  private async writeFolder(path: string, entry: TarEntry): Promise<void> {
    const folder = this.stagedPath(path);
    if (path !== '') {
      try {
        this.withParents(path, () => mkdirSync(folder, 0o700));
      } catch (error) {
        if (errorCode(error) !== 'EEXIST' || !lstatSync(folder).isDirectory()) throw error;
      }
    }
    const { mode, mtime, uid, gid } = entry;
    await this.folders.add({ path, mode, mtime, uid, gid } satisfies FolderEntry);
  }

  private async writeSymbolicLink(path: string, entry: TarEntry): Promise<void> {
    if (entry.linkName === '' || entry.linkName.includes('\0')) throw this.problem('link', entry.name);
    await this.writePlaceholder(path, entry, { target: entry.linkName, isHard: false });
  }

  private async writePlaceholder(
    path: string,
    { mode, mtime, uid, gid }: TarEntry,
    link: Pick<LinkEntry, 'target' | 'isHard'>,
  ): Promise<void> {
    this.create(path, (file) => symlinkSync(basename(file), file));
    await this.links.add({ path, ...link, mode, mtime, uid, gid } satisfies LinkEntry);
  }

  private async writeHardLink(path: string, entry: TarEntry): Promise<void> {
    const target = relativePath(entry.linkName);
    if (target === undefined || target === '' || target === path) throw this.problem('link', entry.name);
    if (this.options.include && !this.options.include(target)) {
      this.missing.set(target, [...(this.missing.get(target) ?? []), path]);
      return;
    }
    const existing = this.stagedPath(target);
    const stats = lstatSync(existing, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) await this.writePlaceholder(path, entry, { target, isHard: true });
    else if (stats?.isFile()) this.createHardLink(existing, path);
    else throw this.problem('link', entry.name);
  }

  private createHardLink(existing: string, path: string): void {
    this.create(path, (file) => {
      try {
        linkSync(existing, file);
      } catch (error) {
        // FAT has no hard links.
        if (errorCode(error) !== 'EPERM' && errorCode(error) !== 'ENOTSUP') throw error;
        copyFileSync(existing, file);
      }
    });
  }

  /** Creates a file or link. The last of several entries for a file counts, as with `tar --append`. */
  private create<T>(path: string, create: (file: string) => T): T {
    const file = this.stagedPath(path);
    try {
      return this.withParents(path, () => create(file));
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' || !lstatSync(file).isFile()) throw error;
      rmSync(file);
      return create(file);
    }
  }

  private withParents<T>(path: string, create: () => T): T {
    try {
      return create();
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      mkdirSync(dirname(this.stagedPath(path)), { recursive: true });
      return create();
    }
  }

  private createLink({ path, target, isHard, mtime, uid, gid }: LinkEntry): void {
    const file = this.stagedPath(path);
    rmSync(file);
    symlinkSync(isHard ? readlinkSync(this.stagedPath(target)) : target, file);
    if (this.ownerIsRestored) lchownSync(file, uid ?? 0, gid ?? 0);
    lutimesSync(file, fileTime(mtime), fileTime(mtime));
  }

  /** Folders that their owner may not enter get their modes last, from the end, because their content comes after them. */
  private async setFolderAttributes(): Promise<void> {
    const closed: FolderEntry[] = [];
    for await (const line of readJsonLines(this.places.folders)) {
      const entry = line as FolderEntry;
      const { path, mode, mtime, uid = 0, gid = 0 } = entry;
      const folder = this.stagedPath(path);
      if (this.ownerIsRestored) chownSync(folder, uid, gid);
      utimesSync(folder, fileTime(mtime), fileTime(mtime));
      if ((mode & 0o500) === 0o500) chmodSync(folder, mode);
      else closed.push(entry);
    }
    for (const { path, mode } of closed.reverse()) chmodSync(this.stagedPath(path), mode);
  }

  private stagedPath(path: string): string {
    return join(this.places.staged, path);
  }

  private explain(error: unknown, name: string): unknown {
    if (errorCode(error) === 'ELOOP') return this.problem('link', name);
    if (['EEXIST', 'ENOTDIR', 'EISDIR'].includes(errorCode(error) ?? ''))
      return this.problem('collision', name);
    return error;
  }

  private problem(problem: EntryProblem, name: string): DriveError {
    return badEntry(problem, this.options.archive, name);
  }
}

function writeAll(fd: number, chunk: Buffer): void {
  for (let written = 0; written < chunk.length;) written += writeSync(fd, chunk, written);
}
