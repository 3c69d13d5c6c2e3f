/**
 * Writes the entries of an archive or snapshot into an empty folder; synchronously, in a worker thread, because for
 * small files the round trips to the thread pool take longer than writing them. Nothing is written outside it: until all
 * other entries are in place, a symbolic link is one that refers to itself, so that the system refuses every path
 * through it (ELOOP). Links get their targets last, and folders their times after that. Hard links: `writeHardLink`; a
 * backup writes them in write-tar.ts. The last of several entries with a path counts, as for GNU tar.
 */
import {
  type Stats,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  lchownSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readlinkSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { DriveError, errorCode } from '../../errors';
import { fileTime } from '../../fs/durable';
import { badEntry, CaseCollisions, entryError, type EntryProblem } from './entry-problems';
import { relativePath } from '../../fs/safe-name';
import { hasReservedName, isRestoreList } from '../../fs/reserved-names';
import { JsonLinesWriter, readJsonLines } from '../../fs/json-lines';
import { decodePath, diskPath, readablePath } from '../../fs/path-bytes';
import type { PathMatcher } from '../../core/globs/path-globs';
import { type Device, NO_ID, type StoredEntry } from './entry';
import { isRoot } from '../../fs/part-owner';

export interface ExtractOptions {
  /** Name of the archive, for error messages. */
  archive: string;
  /** Selects entries by path; undefined for all. */
  include: PathMatcher | undefined;
  /** Whether the contents of the archive's only top folder are written in its place. */
  stripTop?: boolean | undefined;
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

/** Entries that aren't written, because their names are reserved. */
export interface ReservedEntries {
  count: number;
  /** Of the first ones. */
  paths: string[];
}

/** An entry that can't be created here. Paths are for users. */
export interface SkippedEntry {
  path: string;
  reason: 'device' | 'socket' | 'volume';
}

/** Places in the work folder. */
export interface ExtractPlaces {
  /** The folder to fill; it exists and is empty. */
  staged: string;
  /** A file for the attributes of folders. */
  folders: string;
  /** A file for the symbolic links. */
  links: string;
  /** A folder for files that aren't selected, but hard links to them are. */
  unselected: string;
}

/** Attributes of a folder. Times are in seconds since 1970. */
export interface FolderAttributes {
  mode: number;
  mtime: number;
  /** Only if the owner is restored. */
  uid?: number;
  gid?: number;
}

/** A folder entry of the archive. */
export interface FolderEntry extends FolderAttributes {
  path: string;
}

/** How many of them are named. */
const MAX_RESERVED = 20;
/** Zeros that are worth a hole in a file. */
const HOLE = Buffer.alloc(64 * 1024);
/** A file system full of devices isn't worth the memory. */
const MAX_SKIPPED = 1_000;

interface LinkEntry extends FolderEntry {
  /** What a symbolic link refers to; or, for a hard link to a symbolic link, that link's path. */
  target: string;
  isHard: boolean;
}

/** Of a disk. Files and folders without content take some room, too. */
const DISK_BLOCK = 4_096;
/** Bytes of a symbolic link's target: PATH_MAX on Linux. */
const MAX_TARGET = 4_095;
/** The bits that let anyone run a file as its owner or group. */
const [SET_UID, SET_GID] = [0o4000, 0o2000];
const SET_ID_BITS = SET_UID | SET_GID;
/** How often all entries may be added: see {@link Extraction.startNextPass}. Programs create no hard links to hard links. */
const MAX_PASSES = 8;

export class Extraction {
  progress: ExtractProgress = { entries: 0, bytes: 0 };
  reserved: ReservedEntries = { count: 0, paths: [] };
  /** The first ones. */
  skipped: SkippedEntry[] = [];
  private readonly collisions: CaseCollisions | undefined;
  private readonly ownerIsRestored = isRoot();
  /** Of new files. Asking the system takes as long as setting a time. */
  private readonly owner: { uid: number; gid: number };
  private pass = 1;
  /** Selected hard links to what isn't selected, and their targets. After the first pass, only these are written. */
  private readonly linked = new Set<string>();
  private isIncomplete = false;
  /** Devices, and hard links to them, that aren't created. */
  private readonly uncreated = new Set<string>();
  /** The name in {@link ExtractOptions.stripTop}, as soon as an entry has it. */
  private top: string | undefined;
  /** The last path that was compared with the patterns. */
  private matched = { path: '', isFolder: false, isSelected: false };
  /** Whether the links contain one that `isHard`. */
  private hasHardLinks = false;
  /** Bytes that the current entry takes on disk. */
  private room = 0;

  private constructor(
    private readonly places: ExtractPlaces,
    private readonly options: ExtractOptions,
    private readonly folders: JsonLinesWriter,
    private readonly links: JsonLinesWriter,
  ) {
    this.collisions = options.isCaseSensitive ? undefined : new CaseCollisions();
    // In a folder with the set-gid bit, new files have its group, and new folders the bit.
    const { mode, gid } = lstatSync(places.staged);
    const isInherited = (mode & SET_GID) !== 0;
    const group = isInherited ? gid : (process.getegid?.() ?? NO_ID);
    this.owner = { uid: process.geteuid?.() ?? NO_ID, gid: group };
  }

  static async create(places: ExtractPlaces, options: ExtractOptions): Promise<Extraction> {
    const folders = await JsonLinesWriter.create(places.folders);
    return new Extraction(places, options, folders, await JsonLinesWriter.create(places.links));
  }

  /**
   * @returns bytes on disk; 0 if the entry isn't written
   * @throws `bad_response` for an entry that can't be restored safely, `local_file` for one that this disk can't store,
   *   …
   */
  async add(given: StoredEntry, content: AsyncIterable<Buffer>): Promise<number> {
    const entry = this.withOwner(given);
    const path = this.checkedPath(entry);
    const isFolder = entry.type === 'folder';
    const isWritten = this.isWritten(path, isFolder);
    if (this.options.stripTop && path === '') return 0;
    if (this.pass > 1 && !this.linked.has(path)) return 0;
    if (isWritten) this.checkTop(path, isFolder);
    if (!isWritten && this.isSelected(path, isFolder)) this.skipReserved(path);
    if (!isWritten && (isFolder || this.pass === 1)) return 0;
    if (entry.isContinued) return this.skip(path, 'volume');
    if (entry.type === 'unsupported') throw this.problem('type', entry.name);
    if (entry.type === 'device' && !this.canCreate(path, entry)) return 0;
    if (entry.type === 'link' && !this.hasTarget(path, entry)) return 0;
    if (this.pass > 1 && this.isIncomplete) return 0;
    if (isWritten && this.collisions?.has(path)) throw this.problem('collision', entry.name);
    this.room = 0;
    this.uncreated.delete(path);
    try {
      await this.write(path, entry, content);
    } catch (error) {
      throw this.explain(error, entry);
    }
    if (!isWritten) return this.room;
    this.progress.entries += 1;
    this.options.onEntry?.(this.progress);
    return this.room;
  }

  /**
   * @returns true if all entries have to be added once more: hard links refer to files that aren't selected, and that
   *   had been passed before this was known
   */
  startNextPass(): boolean {
    if (!this.isIncomplete) return false;
    this.isIncomplete = false;
    this.pass += 1;
    mkdirSync(this.places.unselected, { recursive: true });
    return true;
  }

  /** Creates the links and sets the attributes of folders. No content may be written after that. */
  async finish(): Promise<void> {
    await this.links.close();
    await this.folders.close();
    await this.createLinks();
    await this.setFolderAttributes();
  }

  /** Closes all files, after a failure. */
  async abandon(): Promise<void> {
    await this.links.close().catch(() => undefined);
    await this.folders.close().catch(() => undefined);
  }

  private isWritten(path: string, isFolder = false): boolean {
    return this.isSelected(path, isFolder) && !hasReservedName(path);
  }

  private isSelected(path: string, isFolder: boolean): boolean {
    const { include } = this.options;
    if (!include) return true;
    if (path !== this.matched.path || isFolder !== this.matched.isFolder)
      this.matched = { path, isFolder, isSelected: path !== '' && include(path, isFolder) };
    return this.matched.isSelected;
  }

  /** @throws `invalid_input` for an entry that isn't in the only top folder */
  private checkTop(path: string, isFolder: boolean): void {
    if (!this.options.stripTop) return;
    const [top = ''] = path.split('/', 1);
    this.top ??= top;
    if (top === this.top && (isFolder || path !== top)) return;
    const params = { name: this.options.archive, entry: readablePath(top).slice(0, 200) };
    throw new DriveError('invalid_input', { text: 'invalid_input_strip_top', params });
  }

  private skipReserved(path: string): void {
    if (isRestoreList(path)) return;
    this.reserved.count += 1;
    if (this.reserved.paths.length < MAX_RESERVED) this.reserved.paths.push(path);
  }

  /** @returns false if the target, and so the link, comes in the next pass, or isn't created */
  private hasTarget(path: string, entry: StoredEntry): boolean {
    const target = relativePath(entry.linkName);
    if (target === undefined || target === '' || target === path) throw this.problem('link', entry.name);
    if (this.uncreated.has(target)) return this.skipDevice(path, 'device');
    const isLinked = this.linked.has(target);
    if (this.pass === 1 ? this.isWritten(target) && !isLinked : this.isWritten(target) || isLinked)
      return true;
    if (this.pass === MAX_PASSES) throw this.problem('link', entry.name);
    this.linked.add(path).add(target);
    this.isIncomplete = true;
    return false;
  }

  private checkedPath({ name, type }: StoredEntry): string {
    const path = relativePath(name);
    if (path === undefined || (path === '' && type !== 'folder')) throw this.problem('path', name);
    return path;
  }

  private async write(path: string, entry: StoredEntry, content: AsyncIterable<Buffer>): Promise<void> {
    switch (entry.type) {
      case 'file':
        return this.writeFile(path, entry, content);
      case 'folder':
        return this.writeFolder(path, entry);
      case 'link':
        return this.writeHardLink(path, entry);
      case 'device':
        return this.writeDevice(path, entry);
      default:
        return this.writeSymbolicLink(path, entry);
    }
  }

  private async writeFile(path: string, entry: StoredEntry, content: AsyncIterable<Buffer>): Promise<void> {
    const mode = this.modeOf(entry);
    const isLater = this.isOther(entry) || !this.isPlainMode(mode);
    const fd = this.create(path, (file) => openSync(file, 'wx', isLater ? 0o600 : mode));
    try {
      if (entry.parts) await writeWithHoles(fd, content);
      else for await (const chunk of content) writeAll(fd, chunk);
      if (this.isOther(entry)) fchownSync(fd, entry.uid, entry.gid);
      if (isLater)
        fchmodSync(
          fd,
          safeMode(mode, entry, () => fstatSync(fd)),
        );
      futimesSync(fd, fileTime(entry.mtime), fileTime(entry.mtime));
    } finally {
      closeSync(fd);
    }
    if (this.isWritten(path)) this.progress.bytes += entry.size;
  }

  /** Only root restores the owners, so the bits would let others act as this process's user, as for GNU tar. */
  private modeOf({ mode }: StoredEntry): number {
    return this.ownerIsRestored ? mode : mode & ~SET_ID_BITS;
  }

  /** Without an owner in the entry, it is that of new files. */
  private withOwner(entry: StoredEntry): StoredEntry {
    const { mode } = entry;
    if (entry.uid !== NO_ID && entry.gid !== NO_ID) return entry;
    const lost = (entry.uid === NO_ID ? SET_UID : 0) | (entry.gid === NO_ID ? SET_GID : 0);
    const uid = entry.uid === NO_ID ? this.owner.uid : entry.uid;
    const gid = entry.gid === NO_ID ? this.owner.gid : entry.gid;
    return Object.assign({}, entry, { mode: mode & ~lost, uid, gid });
  }

  /** Every call for a file takes as long as writing a small one, so none is made that changes nothing. */
  private isOther({ uid, gid }: StoredEntry): boolean {
    return this.ownerIsRestored && (uid !== this.owner.uid || gid !== this.owner.gid);
  }

  /** True if a new file gets exactly this mode. */
  private isPlainMode(mode: number): boolean {
    return (mode & ~this.options.creationMode) === 0;
  }

  private async writeFolder(path: string, entry: StoredEntry): Promise<void> {
    if (path !== '') this.createFolder(path);
    const { mtime, uid, gid } = entry;
    const mode = this.modeOf(entry);
    await this.folders.add({ path: this.newPath(path), mode, mtime, uid, gid } satisfies FolderEntry);
  }

  private createFolder(path: string): void {
    this.room += DISK_BLOCK;
    const folder = this.stagedPath(path);
    try {
      this.withParents(path, () => mkdirSync(folder, 0o700));
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      if (lstatSync(folder).isDirectory()) return;
      unlinkSync(folder);
      mkdirSync(folder, 0o700);
    }
  }

  /** Only root may create devices. Node.js can't, so a program does, whose arguments have to be UTF-8. */
  private canCreate(path: string, { device, position }: StoredEntry): boolean {
    const isAllowed = device !== undefined && (device.kind === 'p' || this.ownerIsRestored);
    if (isAllowed && typeof this.placeOf(path) === 'string' && process.platform !== 'win32') return true;
    // An archive can't contain sockets.
    return this.skipDevice(path, device || position !== undefined ? 'device' : 'socket');
  }

  private skipDevice(path: string, reason: 'device' | 'socket'): false {
    if (this.isWritten(path) && !this.uncreated.has(path)) this.skip(path, reason);
    this.uncreated.add(path);
    return false;
  }

  private skip(path: string, reason: SkippedEntry['reason']): 0 {
    if (this.skipped.length < MAX_SKIPPED) this.skipped.push({ path: readablePath(path), reason });
    return 0;
  }

  private writeDevice(name: string, entry: StoredEntry): Promise<void> {
    const { kind, major, minor } = entry.device as Device;
    const numbers = kind === 'p' ? [] : [String(major), String(minor)];
    const file = this.create(name, (place) => {
      if (lstatSync(place, { throwIfNoEntry: false })) throw Object.assign(new Error(), { code: 'EEXIST' });
      lstatSync(dirname(String(place)));
      // The program has other open files.
      const path = String(place).replace(/^\/proc\/self\//, `/proc/${process.pid}/`);
      execFileSync('mknod', ['-m', '600', '--', path, kind, ...numbers], { stdio: 'ignore' });
      return place;
    });
    if (this.ownerIsRestored) lchownSync(file, entry.uid, entry.gid);
    chmodSync(file, this.modeOf(entry));
    lutimesSync(file, fileTime(entry.mtime), fileTime(entry.mtime));
    return Promise.resolve();
  }

  private async writeSymbolicLink(path: string, entry: StoredEntry): Promise<void> {
    const { linkName } = entry;
    if (linkName === '' || linkName.includes('\0') || Buffer.byteLength(linkName) > MAX_TARGET)
      throw this.problem('link', entry.name);
    await this.writePlaceholder(path, entry, { target: linkName, isHard: false });
  }

  private async writePlaceholder(
    path: string,
    { mode, mtime, uid, gid }: StoredEntry,
    link: Pick<LinkEntry, 'target' | 'isHard'>,
  ): Promise<void> {
    // Nothing leads through what isn't selected: it gets its target at once.
    const target = this.isWritten(path) ? basename(path) : link.target;
    this.create(path, (file) => symlinkSync(diskPath(target), file));
    if (!this.isWritten(path)) return;
    this.hasHardLinks ||= link.isHard;
    await this.links.add({ path, ...link, mode, mtime, uid, gid } satisfies LinkEntry);
  }

  private async writeHardLink(path: string, entry: StoredEntry): Promise<void> {
    const target = relativePath(entry.linkName) ?? '';
    const existing = this.placeOf(target);
    const stats = lstatSync(existing, { throwIfNoEntry: false });
    if (stats?.isFile()) this.createHardLink(existing, path, stats.size);
    else if (!stats?.isSymbolicLink() || (this.isWritten(target) && !this.isWritten(path)))
      throw this.problem('link', entry.name);
    else if (this.isWritten(target)) await this.writePlaceholder(path, entry, { target, isHard: true });
    else await this.writePlaceholder(path, entry, { target: targetOf(existing), isHard: false });
  }

  private createHardLink(existing: string | Buffer, path: string, size: number): void {
    this.create(path, (file) => {
      try {
        linkSync(existing, file);
      } catch (error) {
        if (!COPIED.has(errorCode(error) ?? '')) throw error;
        // Not through a link in its place.
        copyFileSync(existing, file, constants.COPYFILE_EXCL);
        this.copyAttributes(lstatSync(existing), file);
        this.room += size;
      }
    });
  }

  /** The system copies only the mode, with the bits that let anyone run the file as its owner. */
  private copyAttributes(stats: Stats, file: string | Buffer): void {
    const { uid, gid, mtimeMs } = stats;
    if (this.ownerIsRestored) chownSync(file, uid, gid);
    chmodSync(
      file,
      safeMode(stats.mode & 0o7777, { uid, gid }, () => lstatSync(file)),
    );
    utimesSync(file, mtimeMs / 1_000, mtimeMs / 1_000);
  }

  /** Creates a file or link in the place of an earlier entry, except for a folder that isn't empty. */
  private create<T>(path: string, create: (file: string | Buffer) => T): T {
    this.room += DISK_BLOCK;
    const file = this.placeOf(path);
    try {
      return this.withParents(path, () => create(file));
    } catch (error) {
      if (!EXISTING.has(errorCode(error) ?? '')) throw error;
      if (lstatSync(file).isDirectory()) rmdirSync(file);
      else unlinkSync(file);
      return create(file);
    }
  }

  private withParents<T>(path: string, create: () => T): T {
    try {
      return create();
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      this.createFolders(dirname(path), error);
      return create();
    }
  }

  /**
   * One after the other, because each takes room.
   * @throws the given error if the folder exists, or the staged one is missing
   */
  private createFolders(path: string, missing: unknown): void {
    if (path === '.') throw missing;
    this.room += DISK_BLOCK;
    const folder = this.stagedPath(path);
    try {
      mkdirSync(folder);
    } catch (error) {
      // Some disks report a missing folder for a name that they can't store.
      if (errorCode(error) === 'EEXIST') throw missing;
      if (errorCode(error) !== 'ENOENT') throw error;
      this.createFolders(dirname(path), error);
      mkdirSync(folder);
    }
  }

  private async createLinks(): Promise<void> {
    /** Targets of links in whose place there is another entry now, for hard links to them. */
    const replaced = new Map<string, string>();
    for await (const line of readJsonLines(this.places.links)) {
      const link = line as LinkEntry;
      if (lstatSync(this.stagedPath(link.path)).isSymbolicLink()) this.createLink(link, replaced);
      else if (this.hasHardLinks) replaced.set(link.path, this.finalTarget(link, replaced));
    }
  }

  private createLink(link: LinkEntry, replaced: ReadonlyMap<string, string>): void {
    const { path, mtime, uid, gid } = link;
    const file = this.stagedPath(path);
    const target = this.finalTarget(link, replaced);
    unlinkSync(file);
    symlinkSync(diskPath(target), file);
    if (this.ownerIsRestored) lchownSync(file, uid ?? 0, gid ?? 0);
    lutimesSync(file, fileTime(mtime), fileTime(mtime));
  }

  private finalTarget({ target, isHard }: LinkEntry, replaced: ReadonlyMap<string, string>): string {
    return isHard ? (replaced.get(target) ?? targetOf(this.stagedPath(target))) : target;
  }

  /**
   * Folders that their owner may not enter get their modes last, from the end, because their content comes after them.
   */
  private async setFolderAttributes(): Promise<void> {
    const closed: FolderEntry[] = [];
    for await (const line of readJsonLines(this.places.folders)) {
      const entry = line as FolderEntry;
      const { path, mtime, uid = 0, gid = 0 } = entry;
      const folder = diskPath(join(this.places.staged, path));
      // It may have been replaced by a link that leads elsewhere.
      if (!lstatSync(folder).isDirectory()) continue;
      if (this.ownerIsRestored) chownSync(folder, uid, gid);
      utimesSync(folder, fileTime(mtime), fileTime(mtime));
      const mode = safeMode(entry.mode, { uid, gid }, () => lstatSync(folder));
      if ((mode & 0o500) === 0o500) chmodSync(folder, mode);
      else closed.push(Object.assign(entry, { mode }));
    }
    for (const { path, mode } of closed.reverse()) chmodSync(diskPath(join(this.places.staged, path)), mode);
  }

  private stagedPath(path: string): string | Buffer {
    return diskPath(join(this.places.staged, this.newPath(path)));
  }

  /** In the target. */
  private newPath(path: string): string {
    return this.options.stripTop ? path.split('/').slice(1).join('/') : path;
  }

  /** What isn't selected is beside the staged tree, so that no entry leads to it. */
  private placeOf(path: string): string | Buffer {
    if (this.isWritten(path)) return this.stagedPath(path);
    return join(this.places.unselected, createHash('sha256').update(JSON.stringify(path)).digest('hex'));
  }

  private explain(error: unknown, { name, type }: StoredEntry): unknown {
    const code = errorCode(error) ?? '';
    if (code === 'ELOOP') return this.problem('link', name);
    if (['EEXIST', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY'].includes(code)) return this.problem('kind', name);
    return entryError(error, name, type === 'symlink');
  }

  private problem(problem: EntryProblem, name: string): DriveError {
    return badEntry(problem, this.options.archive, name);
  }
}

/** @returns the mode without bits that would be those of another owner: some disks ignore the one that is set */
function safeMode(mode: number, owner: { uid: number; gid: number }, stats: () => Stats): number {
  if ((mode & SET_ID_BITS) === 0) return mode;
  const { uid, gid } = stats();
  return mode & ~((uid === owner.uid ? 0 : SET_UID) | (gid === owner.gid ? 0 : SET_GID));
}

/** A file exists, or a folder, on which some systems report another error. */
const EXISTING = new Set(['EEXIST', 'EISDIR']);
/** Errors of disks without hard links, such as FAT, or without more of them. */
const COPIED = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

function targetOf(link: string | Buffer): string {
  return decodePath(readlinkSync(link, { encoding: 'buffer' }));
}

function writeAll(fd: number, chunk: Buffer, position: number | null = null): void {
  for (let written = 0; written < chunk.length;) {
    const place = position === null ? null : position + written;
    written += writeSync(fd, chunk, written, chunk.length - written, place);
  }
}

async function writeWithHoles(fd: number, content: AsyncIterable<Buffer>): Promise<void> {
  let position = 0;
  for await (const chunk of content) {
    let start = 0;
    for (let end = 0; end < chunk.length; end += HOLE.length) {
      if (!HOLE.equals(chunk.subarray(end, end + HOLE.length))) continue;
      writeAll(fd, chunk.subarray(start, end), position + start);
      start = end + HOLE.length;
    }
    writeAll(fd, chunk.subarray(start), position + start);
    position += chunk.length;
  }
  // After a hole at the end, the file is too short.
  ftruncateSync(fd, position);
}
