/**
 * Reads the sources of a snapshot and stores what the repository doesn't have, in a worker thread. A file isn't read if
 * its size, times and inode are those in the parent snapshot.
 */
import { type BigIntStats, lstatSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type FileContent, fileKey, openEntry } from '../entries/source-entry';
import { isInside } from '../../fs/pinned-folder';
import { localFileError } from '../../fs/local-file-error';
import { diskPath } from '../../fs/path-bytes';
import { type SourceSelection, type WalkedEntry, sourceName, walkSources } from '../../fs/walk-sources';
import type { BlobIndex } from './blob-index';
import type { BlobWriter } from './blob-writer';
import { Chunker, MAX_CHUNK, MIN_CHUNK } from './chunker';
import type { Repository } from './repository';
import { NS_PER_MS, isDamaged } from './json-file';
import type { Snapshot } from './snapshot-file';
import type { SnapshotSummary } from './snapshot-request';
import { type SnapshotNode, readNodes } from './tree';
import { type NamedNode, SourceTree, newNode, toNode, unsigned, writeTree } from './tree-writer';

/** Numbers of what was read, and the differences from the sources. */
export type WriteSummary = Omit<SnapshotSummary, 'complete' | 'addedBytes' | 'uploadedBytes' | 'requests'>;

/** The nodes of a folder in the parent snapshot, by name, with their JSON. */
type Earlier = Map<string, { node: SnapshotNode; json: Buffer }>;

/** A folder of which not all is known yet. */
interface OpenFolder {
  /** As {@link WalkedEntry.path}. */
  path: string;
  node: SnapshotNode;
  /** By name: a folder that changes while it is read may contain one twice. */
  nodes: Map<string, NamedNode>;
  earlier: Earlier;
}

export interface WriteContext {
  repository: Repository;
  index: BlobIndex;
  writer: BlobWriter;
  parent: Pick<Snapshot, 'tree' | 'time' | 'mounts'> | undefined;
  /** Called often. */
  onProgress: () => void;
}

/** ms without a look at messages from the main thread. */
const MAX_BUSY = 20;
/** ns. The kernel's times advance with its tick, and those of exFAT in steps of 10 ms. */
const STEP = 20_000_000n;
const SECOND = 1_000_000_000n;
/** Of times in whole seconds, or every other one as on FAT. An hour more, for disks in the network with a slow clock. */
const COARSE_STEP = 3_602n * SECOND + STEP;
/** ns by which the clock of a disk in the network may be ahead. Some files have times years ahead, and never change. */
const MAX_AHEAD = 86_400n * SECOND;
/** Of entries that have no content; the others are skipped. */
const SPECIAL_TYPES = ['device', 'fifo'];

export class SourceWriter {
  readonly summary: WriteSummary = {
    ...{ entries: 0, files: 0, folders: 0, bytes: 0, newFiles: 0, changedFiles: 0, unchangedFiles: 0 },
    ...{ changed: [], skipped: [] },
  };
  /** Those in the parent snapshot, if restic has written that before 0.17: every entry has its device. */
  readonly earlierMounts: string[] = [];
  private readonly tree = new SourceTree();
  private chunker: Chunker | undefined;
  private readonly buffer = Buffer.allocUnsafeSlow(2 * MAX_CHUNK);
  private folders: OpenFolder[] = [];
  /** Content of a file with several names, until all of them were found. */
  private readonly hardLinks = new Map<string, { content: string[]; remaining: bigint }>();
  private pausedAt = performance.now();
  /** ns since 1970. */
  private readonly startedAt = BigInt(Date.now()) * NS_PER_MS;

  constructor(private readonly context: WriteContext) {}

  /** @returns the ID of the root's tree. @throws as walkSources */
  async write({ sources, isExcluded }: SourceSelection): Promise<string> {
    const separate = sources.filter((each) => !sources.some((other) => isBelow(other, each)));
    const inOrder = separate.map((source) => ({ source, names: pathNames(source) }));
    // One behind a link in another source comes first, because its place is in the tree of that one.
    for (const { source, names } of inOrder.sort((a, b) => b.names.length - a.names.length)) {
      const earlier = await this.earlierOf(names.slice(0, -1));
      const inner = sources
        .filter((each) => isBelow(source, each))
        .map((each) => path.relative(source, each));
      const isLeftOut = withInnerSources(isExcluded, inner);
      for await (const entry of walkSources({ sources: [source], isExcluded: isLeftOut })) {
        await this.closeUntil(entry.path, names);
        await this.addEntry(entry, { names, earlier });
        this.context.onProgress();
        await this.pause();
      }
      await this.closeUntil(undefined, names);
    }
    return this.tree.write(this.context.writer, folderStats);
  }

  private async addEntry(entry: WalkedEntry, source: { names: string[]; earlier: Earlier }): Promise<void> {
    const parent = this.folders.at(-1);
    const name = parent ? path.posix.basename(entry.path) : (source.names.at(-1) ?? '');
    const earlier = (parent?.earlier ?? source.earlier).get(name);
    const unchanged = this.unchangedFile(entry, earlier);
    if (unchanged) {
      this.summary.entries += 1;
      this.addNode({ name, json: unchanged }, source.names);
      return;
    }
    const node = await this.nodeOf(entry, name, earlier?.node);
    if (!node) return;
    this.summary.entries += 1;
    if (node.type === 'dir') {
      this.summary.folders += 1;
      const inside = await this.treeOf(earlier?.node.subtree);
      const folder = pathOf([...source.names, ...entry.path.split('/').slice(1)]);
      this.addEarlierMounts(folder, earlier?.node.deviceId, inside);
      this.folders.push({ path: entry.path, node, nodes: new Map(), earlier: inside });
    } else this.addNode(toNode(name, node), source.names);
  }

  /** @param device of the folder */
  private addEarlierMounts(
    folder: string,
    device: SnapshotNode['deviceId'] | undefined,
    inside: Earlier,
  ): void {
    for (const [name, { node }] of inside) {
      const isMount = node.type === 'dir' && node.deviceId && device && node.deviceId !== device;
      if (isMount) this.earlierMounts.push(path.join(folder, name));
    }
  }

  /** @returns undefined for a skipped entry */
  private async nodeOf(
    entry: WalkedEntry,
    name: string,
    earlier: SnapshotNode | undefined,
  ): Promise<SnapshotNode | undefined> {
    if ('skipped' in entry) return this.specialNode(entry, name);
    const opened = openEntry(entry);
    if ('skipped' in opened) return this.skip(opened.path, opened.skipped);
    const { type, stats, linkname, content } = opened;
    if (type === 'directory') return newNode(name, 'dir', stats);
    if (type === 'symlink') return { ...newNode(name, 'symlink', stats), linkTarget: linkname };
    try {
      return content && (await this.fileNode(opened.path, name, { content, earlier }));
    } finally {
      content?.close();
    }
  }

  /** Devices and FIFOs are recorded. */
  private specialNode(
    entry: { path: string; skipped: string; localPath?: string },
    name: string,
  ): SnapshotNode | undefined {
    const { path: entryPath, skipped, localPath } = entry;
    if (localPath === undefined || !SPECIAL_TYPES.includes(skipped)) return this.skip(entryPath, skipped);
    const stats = lstatSync(diskPath(localPath), { bigint: true, throwIfNoEntry: false });
    if (stats?.isFIFO()) return newNode(name, 'fifo', stats);
    if (stats?.isBlockDevice()) return newNode(name, 'dev', stats);
    if (stats?.isCharacterDevice()) return newNode(name, 'chardev', stats);
    return this.skip(entryPath, 'vanished');
  }

  private skip(entryPath: string, reason: string): undefined {
    this.summary.skipped.push({ path: entryPath, reason });
    return undefined;
  }

  /** @returns the JSON of a file that needn't be read. All other attributes change the time of change, too */
  private unchangedFile(
    entry: WalkedEntry,
    earlier: { node: SnapshotNode; json: Buffer } | undefined,
  ): string | undefined {
    if ('skipped' in entry || entry.type !== 'file' || earlier?.node.type !== 'file') return undefined;
    const { size, mtime, ctime, inode, content = [] } = earlier.node;
    let stats: BigIntStats | undefined;
    try {
      stats = lstatSync(diskPath(entry.localPath), { bigint: true });
    } catch {
      return undefined;
    }
    const isSame =
      stats.isFile() &&
      BigInt(size) === stats.size &&
      mtime === stats.mtimeNs &&
      ctime === stats.ctimeNs &&
      Number(inode) === Number(unsigned(stats.ino));
    if (!isSame || this.isUnsure(stats)) return undefined;
    if (!content.every((id) => this.context.index.has(id, false))) return undefined;
    this.summary.unchangedFiles += 1;
    this.countFile(size);
    return earlier.json.toString();
  }

  /** Other programs don't store {@link mayChangeUnnoticed}. Their parent's time is this machine's, not the service's. */
  private isUnsure(stats: BigIntStats): boolean {
    const { parent } = this.context;
    return parent !== undefined && !parent.mounts && mayChangeUnnoticed(stats, parent.time);
  }

  private async fileNode(
    entryPath: string,
    name: string,
    { content: file, earlier }: { content: FileContent; earlier: SnapshotNode | undefined },
  ): Promise<SnapshotNode | undefined> {
    const { stats } = file;
    const link = this.findHardLink(stats);
    const content = link ?? (await this.readContent(file));
    if (file.failure !== undefined) return this.skip(entryPath, file.failure);
    if (!link) this.rememberHardLink(stats, content);
    if (file.hasChanged) this.summary.changed.push(entryPath);
    if (earlier?.type === 'file') this.summary.changedFiles += 1;
    else this.summary.newFiles += 1;
    this.countFile(link ? Number(stats.size) : 0);
    const node = { ...newNode(name, 'file', stats), content };
    return mayChangeUnnoticed(stats, this.startedAt) ? { ...node, ctime: node.ctime - 1n } : node;
  }

  private countFile(bytes: number): void {
    this.summary.files += 1;
    this.summary.bytes += bytes;
  }

  private async readContent(file: FileContent): Promise<string[]> {
    const ids: string[] = [];
    const { buffer } = this;
    let [start, end] = [0, 0];
    while (end - start + file.remaining > 0 && file.failure === undefined) {
      if (end - start < MAX_CHUNK) {
        // Seldom, because it moves what is left.
        if (start + MAX_CHUNK > buffer.length) [start, end] = [0, buffer.copy(buffer, 0, start, end)];
        end += file.fill(buffer.subarray(end));
      }
      const length = this.cut(buffer.subarray(start, end));
      ids.push(await this.context.writer.add(buffer.subarray(start, start + length), false));
      start += length;
      this.summary.bytes += length;
      this.context.onProgress();
      await this.pause();
    }
    file.finish();
    return ids;
  }

  private cut(bytes: Buffer): number {
    if (bytes.length <= MIN_CHUNK) return bytes.length;
    // Its tables take a while, and most runs change only small files.
    this.chunker ??= new Chunker(this.context.repository.config.polynomial);
    return this.chunker.cut(bytes);
  }

  private findHardLink(stats: BigIntStats): string[] | undefined {
    const first = stats.nlink > 1n ? this.hardLinks.get(fileKey(stats)) : undefined;
    if (!first) return undefined;
    first.remaining -= 1n;
    if (first.remaining <= 0n) this.hardLinks.delete(fileKey(stats));
    return first.content;
  }

  private rememberHardLink(stats: BigIntStats, content: string[]): void {
    if (stats.nlink > 1n) this.hardLinks.set(fileKey(stats), { content, remaining: stats.nlink - 1n });
  }

  /** Stores the folders that don't contain the entry. @param next undefined at the end of a source */
  private async closeUntil(next: string | undefined, names: readonly string[]): Promise<void> {
    for (let folder = this.folders.at(-1); folder; folder = this.folders.at(-1)) {
      if (next?.startsWith(`${folder.path}/`)) return;
      this.folders.pop();
      await this.addSourcesInside(folder, names);
      const subtree = await writeTree(this.context.writer, [...folder.nodes.values()]);
      this.addNode(toNode(folder.node.name, { ...folder.node, subtree }), names);
    }
  }

  private async addSourcesInside({ path, nodes }: OpenFolder, names: readonly string[]): Promise<void> {
    const inSource = path.split('/').slice(1);
    const context = { writer: this.context.writer, statsOf: folderStats };
    const known = new Set(nodes.keys());
    for (const node of await this.tree.inside([...names, ...inSource], known, context))
      nodes.set(node.name, node);
  }

  private addNode(node: NamedNode, source: readonly string[]): void {
    const parent = this.folders.at(-1);
    if (parent) parent.nodes.set(node.name, node);
    else this.tree.add(source, node);
  }

  /** @param names on the path of the folder */
  private async earlierOf(names: readonly string[]): Promise<Earlier> {
    let nodes = await this.treeOf(this.context.parent?.tree);
    for (const name of names) nodes = await this.treeOf(nodes.get(name)?.node.subtree);
    return nodes;
  }

  /** Without what can't be read: then more files count as new, and the trees of a damaged pack are stored again. */
  private async treeOf(id: string | undefined): Promise<Earlier> {
    const { repository, index, writer } = this.context;
    const nodes: Earlier = new Map();
    try {
      for (const each of id === undefined ? [] : readNodes(await repository.tree(index, id), id))
        nodes.set(each.node.name, each);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      const { pack } = index.find(id ?? '', true) ?? {};
      // A pack of this run would only be stored in the same way again.
      if (pack !== undefined && !writer.hasStored(pack)) index.drop([pack]);
    }
    return nodes;
  }

  /** Lets the thread receive messages, and refresh its lock. */
  private async pause(): Promise<void> {
    if (performance.now() - this.pausedAt < MAX_BUSY) return;
    await setImmediate();
    this.pausedAt = performance.now();
  }
}

/**
 * Whether a change after the start of a run may leave the times as they are. The file is then stored with another time
 * of change, so that the next backup reads it again.
 */
function mayChangeUnnoticed({ mtimeNs, ctimeNs }: BigIntStats, start: bigint): boolean {
  const end = BigInt(Date.now()) * NS_PER_MS + MAX_AHEAD;
  const times = [mtimeNs, ctimeNs];
  // Many programs set the time of the content to a whole second, on any disk.
  const step = times.every((time) => time % SECOND === 0n) ? COARSE_STEP : STEP;
  return times.some((time) => time + step > start && time < end);
}

/** @returns false for the source itself, and for one behind a link, which isn't followed */
function isBelow(source: string, other: string): boolean {
  if (source === other || !isInside(source, other)) return false;
  try {
    return realpathSync(other) === path.join(realpathSync(source), path.relative(source, other));
  } catch {
    return true;
  }
}

/**
 * A source that is inside another one is read with that, by its own exclusions.
 * @param inner relative to the outer one
 */
function withInnerSources(
  isExcluded: SourceSelection['isExcluded'],
  inner: readonly string[],
): SourceSelection['isExcluded'] {
  const paths = inner.map((each) => `${each.split(path.sep).join('/')}/`);
  return (entry, isFolder) => {
    if (paths.some((each) => each.startsWith(`${entry}/`))) return false;
    const own = paths.find((each) => entry.startsWith(each)) ?? '';
    return isExcluded(entry.slice(own.length), isFolder);
  };
}

/** Of a folder above a source. */
function folderStats(names: readonly string[]): BigIntStats {
  const folder = pathOf(names);
  try {
    return statSync(folder, { bigint: true });
  } catch (error) {
    throw localFileError(error, folder);
  }
}

/** @returns the path of a source as in snapshots. @throws `invalid_input` for the root of a file system */
export function sourcePath(source: string): string {
  sourceName(source);
  return path.resolve(source);
}

/** On Windows, the first one is the drive, without its colon. */
function pathNames(source: string): string[] {
  const { root, dir, base } = path.parse(sourcePath(source));
  const drive = root.replace(/[:\\/]+/g, '');
  return [drive, ...dir.slice(root.length).split(path.sep), base].filter((name) => name !== '');
}

function pathOf(names: readonly string[]): string {
  return process.platform === 'win32'
    ? path.join(`${names[0] ?? ''}:\\`, ...names.slice(1))
    : `/${names.join('/')}`;
}
