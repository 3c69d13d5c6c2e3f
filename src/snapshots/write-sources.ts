/** Reads the sources of a snapshot and stores what the repository doesn't have. In a worker thread. */
import { type BigIntStats, lstatSync, statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type FileContent, openEntry } from '../archive/source-entry';
import { diskPath } from '../disk/path-bytes';
import { type SourceSelection, type WalkedEntry, sourceName, walkSources } from '../disk/walk-sources';
import type { BlobIndex } from './blob-index';
import type { BlobWriter } from './blob-writer';
import { Chunker, MAX_CHUNK } from './chunker';
import type { Repository } from './repository';
import type { SnapshotSummary } from './snapshot-request';
import { type SnapshotNode, readTree } from './tree';
import { type NamedNode, SourceTree, newNode, toNode, writeTree } from './tree-writer';

/** What was read, and what differs from the sources. */
export type WriteSummary = Omit<SnapshotSummary, 'complete' | 'addedBytes' | 'uploadedBytes' | 'requests'>;

/** A folder of which not all is known yet. */
interface OpenFolder {
  /** As {@link WalkedEntry.path}. */
  path: string;
  node: SnapshotNode;
  /** By name: a folder that changes while it is read may contain one twice. */
  nodes: Map<string, NamedNode>;
  /** What the parent snapshot has of it. */
  earlier: Map<string, SnapshotNode>;
}

export interface WriteContext {
  repository: Repository;
  index: BlobIndex;
  writer: BlobWriter;
  /** Tree of the parent snapshot. */
  parentTree: string | undefined;
  /** Called often. */
  onProgress: () => void;
}

/** ms without a look at messages from the main thread. */
const MAX_BUSY = 20;
/** Of entries that have no content; the others are skipped. */
const SPECIAL_TYPES = ['device', 'fifo'];

export class SourceWriter {
  readonly summary: WriteSummary = {
    ...{ entries: 0, files: 0, folders: 0, bytes: 0, newFiles: 0, changedFiles: 0, unchangedFiles: 0 },
    ...{ changed: [], skipped: [] },
  };
  private readonly tree = new SourceTree();
  private readonly chunker: Chunker;
  private readonly buffer = Buffer.allocUnsafeSlow(MAX_CHUNK);
  private folders: OpenFolder[] = [];
  /** Content of a file with several names, until all of them were found. */
  private readonly hardLinks = new Map<string, { content: string[]; remaining: bigint }>();
  private pausedAt = performance.now();

  constructor(private readonly context: WriteContext) {
    this.chunker = new Chunker(context.repository.config.polynomial);
  }

  /** @returns the ID of the root's tree. @throws as walkSources */
  async write({ sources, isExcluded }: SourceSelection): Promise<string> {
    for (const source of sources) {
      const names = pathNames(source);
      const earlier = await this.earlierOf(names.slice(0, -1));
      for await (const entry of walkSources({ sources: [source], isExcluded })) {
        await this.closeUntil(entry.path, names);
        await this.addEntry(entry, { names, earlier });
        this.context.onProgress();
        await this.pause();
      }
      await this.closeUntil(undefined, names);
    }
    return this.tree.write(this.context.writer, (names) => statSync(pathOf(names), { bigint: true }));
  }

  private async addEntry(
    entry: WalkedEntry,
    source: { names: string[]; earlier: Map<string, SnapshotNode> },
  ): Promise<void> {
    const parent = this.folders.at(-1);
    const name = parent ? path.posix.basename(entry.path) : (source.names.at(-1) ?? '');
    const earlier = (parent?.earlier ?? source.earlier).get(name);
    const node = await this.nodeOf(entry, name, earlier);
    if (!node) return;
    this.summary.entries += 1;
    if (node.type === 'dir') {
      this.summary.folders += 1;
      this.folders.push({
        path: entry.path,
        node,
        nodes: new Map(),
        earlier: await this.treeOf(earlier?.subtree),
      });
    } else this.finishNode(node, source.names);
  }

  /** @returns undefined for a skipped entry */
  private async nodeOf(
    entry: WalkedEntry,
    name: string,
    earlier: SnapshotNode | undefined,
  ): Promise<SnapshotNode | undefined> {
    if ('skipped' in entry) return this.specialNode(entry, name);
    const unchanged = entry.type === 'file' ? this.unchangedNode(entry.localPath, name, earlier) : undefined;
    if (unchanged) return unchanged;
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

  /** @returns undefined if the file has to be read */
  private unchangedNode(
    localPath: string,
    name: string,
    earlier: SnapshotNode | undefined,
  ): SnapshotNode | undefined {
    if (earlier?.type !== 'file') return undefined;
    const { content = [] } = earlier;
    let stats: BigIntStats | undefined;
    try {
      stats = lstatSync(diskPath(localPath), { bigint: true });
    } catch {
      return undefined;
    }
    const isSame =
      stats.isFile() &&
      BigInt(earlier.size) === stats.size &&
      earlier.mtime === stats.mtimeNs &&
      earlier.ctime === stats.ctimeNs &&
      Number(earlier.inode) === Number(stats.ino);
    if (!isSame || !content.every((id) => this.context.index.has(id, false))) return undefined;
    this.summary.unchangedFiles += 1;
    this.countFile(Number(stats.size));
    return { ...newNode(name, 'file', stats), content };
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
    return { ...newNode(name, 'file', stats), content };
  }

  private countFile(bytes: number): void {
    this.summary.files += 1;
    this.summary.bytes += bytes;
  }

  private async readContent(file: FileContent): Promise<string[]> {
    const ids: string[] = [];
    const { buffer } = this;
    for (let kept = 0; kept + file.remaining > 0 && file.failure === undefined;) {
      const filled = kept + file.fill(buffer.subarray(kept));
      const length = this.chunker.cut(buffer.subarray(0, filled));
      ids.push(await this.context.writer.add(buffer.subarray(0, length), false));
      buffer.copyWithin(0, length, filled);
      kept = filled - length;
      this.summary.bytes += length;
      this.context.onProgress();
      await this.pause();
    }
    file.finish();
    return ids;
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
      const subtree = await writeTree(this.context.writer, [...folder.nodes.values()]);
      this.finishNode({ ...folder.node, subtree }, names);
    }
  }

  private finishNode(node: SnapshotNode, source: readonly string[]): void {
    const named = toNode(node.name, node);
    const parent = this.folders.at(-1);
    if (parent) parent.nodes.set(node.name, named);
    else this.tree.add(source, named);
  }

  /** What the parent snapshot has in a folder, by the names on its path. */
  private async earlierOf(names: readonly string[]): Promise<Map<string, SnapshotNode>> {
    let nodes = await this.treeOf(this.context.parentTree);
    for (const name of names) nodes = await this.treeOf(nodes.get(name)?.subtree);
    return nodes;
  }

  /** Without what can't be read: then more files count as new. */
  private async treeOf(id: string | undefined): Promise<Map<string, SnapshotNode>> {
    const { repository, index } = this.context;
    const nodes = new Map<string, SnapshotNode>();
    if (id === undefined || !index.has(id, true)) return nodes;
    for (const node of readTree(await repository.tree(index, id), id)) nodes.set(node.name, node);
    return nodes;
  }

  /** Lets the thread receive messages, and refresh its lock. */
  private async pause(): Promise<void> {
    if (performance.now() - this.pausedAt < MAX_BUSY) return;
    await setImmediate();
    this.pausedAt = performance.now();
  }
}

/** Different if the file was changed meanwhile: see write-tar.ts. */
function fileKey({ dev, ino, nlink, size, ctimeNs }: BigIntStats): string {
  return [dev, ino, nlink, size, ctimeNs].join(':');
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
