/** Reads a snapshot as if it were an archive of the same sources. */
import { posix } from 'node:path';
import { readablePath } from '../../fs/path-bytes';
import type { PathMatcher } from '../../core/globs/path-globs';
import { BlobFetcher } from './blob-fetcher';
import { type BlobIndex, BlobSet } from './blob-index';
import type { LocatedBlob } from './pack';
import { OVERHEAD, freeIfLarge, idOf } from './crypto';
import { type Repository } from './repository';
import { damagedFile } from './json-file';
import type { Snapshot } from './snapshot-file';
import { type SnapshotNode, outOfRange, readTree } from './tree';
import type { Device, EntryVisitor, StoredEntry } from '../entries/entry';

/** A node, and its path as users see it in archives. */
export interface PlacedNode {
  path: string;
  node: SnapshotNode;
}

/** Folders in folders. Paths of the system have at most 4,096 bytes. */
const MAX_DEPTH = 2_048;
/**
 * How much larger a snapshot may be than its different trees. Inodes make trees different, except for empty folders and
 * those with hard links to the same files.
 */
const MAX_REPETITION = 2_000;
/** Entries that are looked at in advance. */
const MAX_ENTRIES = 4_096;
const TYPES: Readonly<Record<SnapshotNode['type'], StoredEntry['type']>> = {
  ...{ file: 'file', dir: 'folder', symlink: 'symlink', irregular: 'device' },
  ...{ dev: 'device', chardev: 'device', fifo: 'device', socket: 'device' },
};

/** Reads the trees of a repository. */
export class TreeReader {
  constructor(
    readonly repository: Pick<
      Repository,
      | 'tree'
      | 'store'
      | 'listed'
      | 'readPack'
      | 'openBlob'
      | 'locate'
      | 'findIntact'
      | 'loadSealed'
      | 'damaged'
    >,
    readonly index: BlobIndex,
  ) {}

  async nodesOf(tree: string): Promise<Generator<SnapshotNode>> {
    return readTree(await this.repository.tree(this.index, tree), tree);
  }

  /** Yields all nodes, each folder before what it contains. */
  async *walk({ tree, paths }: Pick<Snapshot, 'tree' | 'paths'>): AsyncGenerator<PlacedNode> {
    const sources = (await this.findSources(tree, paths)) ?? (await this.topNodes(tree));
    const folders: { path: string; nodes: Iterator<SnapshotNode> }[] = [];
    const seen = new BlobSet(this.index);
    const bytes = { all: 0, different: 0 };
    for (const source of sources) {
      for (let placed: PlacedNode | undefined = source; placed; placed = nextIn(folders)) {
        yield placed;
        const { path, node } = placed;
        if (node.subtree === undefined) continue;
        if (folders.length > MAX_DEPTH) throw damagedFile(node.subtree, 'depth');
        const blob = await this.repository.tree(this.index, node.subtree);
        bytes.all += blob.length;
        if (seen.add(this.index.numberOf(node.subtree, true) as number)) bytes.different += blob.length;
        if (bytes.all > MAX_REPETITION * bytes.different) throw damagedFile(readablePath(path), 'repeated');
        folders.push({ path, nodes: readTree(blob, node.subtree) });
      }
    }
  }

  /** @returns the nodes of the paths, by their last names; undefined if one is missing, or two have the same name */
  private async findSources(tree: string, paths: readonly string[]): Promise<PlacedNode[] | undefined> {
    const lastNames = new Set(paths.map((path) => posix.basename(path)));
    if (paths.length === 0 || lastNames.size < paths.length || lastNames.has('')) return undefined;
    const sources: PlacedNode[] = [];
    for (const path of paths) {
      const node = await this.find(tree, path);
      if (!node) return undefined;
      sources.push({ path: node.name, node });
    }
    const names = paths.map((path) => path.split('/').filter((each) => each !== ''));
    return (await this.leadsTo(tree, names)) ? sources : undefined;
  }

  /**
   * Whether a tree contains nothing but the way to the paths. Otherwise, it is the tree of `restic backup .`, and the
   * folder contains a copy of its own path.
   */
  private async leadsTo(tree: string, paths: readonly (readonly string[])[]): Promise<boolean> {
    for (const { name, subtree } of await this.nodesOf(tree)) {
      const inside = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
      if (inside.length === 0) return false;
      const isSource = inside.some((rest) => rest.length === 0);
      if (!isSource && (subtree === undefined || !(await this.leadsTo(subtree, inside)))) return false;
    }
    return true;
  }

  private async find(tree: string, path: string): Promise<SnapshotNode | undefined> {
    let node: SnapshotNode | undefined;
    for (const name of path.split('/').filter((each) => each !== '')) {
      const parent: string | undefined = node ? node.subtree : tree;
      node = undefined;
      if (parent === undefined) return undefined;
      for (const each of await this.nodesOf(parent)) if (each.name === name) node = each;
      if (!node) return undefined;
    }
    return node;
  }

  private async topNodes(tree: string): Promise<Generator<PlacedNode>> {
    return atTop(await this.nodesOf(tree));
  }
}

function* atTop(nodes: Iterable<SnapshotNode>): Generator<PlacedNode> {
  for (const node of nodes) yield { path: node.name, node };
}

/** @param folders that are open, the innermost last. @returns undefined at the end of all */
function nextIn(folders: { path: string; nodes: Iterator<SnapshotNode> }[]): PlacedNode | undefined {
  for (let folder = folders.at(-1); folder; folder = folders.at(-1)) {
    const next = folder.nodes.next();
    if (!next.done) return { path: `${folder.path}/${next.value.name}`, node: next.value };
    folders.pop();
  }
  return undefined;
}

interface ReadOptions {
  /** Only what is selected is fetched, but all entries are visited. */
  isSelected: PathMatcher;
  /** False if the visitor never reads the content. */
  needsContent: boolean;
  onFetched: (bytes: number) => void;
}

/** An entry, and where its content is. */
interface QueuedEntry {
  entry: StoredEntry;
  blobs: readonly LocatedBlob[];
  /** How many of the blobs were announced. */
  announced: number;
}

/**
 * Calls the visitor for one entry after the other.
 * @throws `bad_response` for the first tree or file that is damaged or missing
 */
export class SnapshotReader {
  /** Path of the entry that is visited. */
  current = '';
  private readonly fetcher: BlobFetcher;
  /** Those that will be visited. */
  private readonly queue: QueuedEntry[] = [];
  /** How many of them, from the start, have all of their blobs announced. */
  private announced = 0;
  /** Paths of files with several links, by file system and inode. */
  private readonly linked = new Map<string, string>();
  private isAtEnd = false;

  constructor(
    private readonly trees: TreeReader,
    private readonly options: ReadOptions,
  ) {
    const { repository, index } = trees;
    this.fetcher = new BlobFetcher(repository, options.onFetched, (blob, failure) =>
      repository.findIntact(index, blob, failure),
    );
  }

  async read(snapshot: Pick<Snapshot, 'tree' | 'paths'>, visit: EntryVisitor): Promise<void> {
    const nodes = this.trees.walk(snapshot);
    for (;;) {
      await this.lookAhead(nodes);
      const queued = this.queue.shift();
      if (!queued) return;
      if (this.announced > 0) this.announced -= 1;
      this.current = queued.entry.name;
      const taken = { count: 0 };
      await visit(queued.entry, this.contentOf(queued, taken, nodes));
      for (const { id } of queued.blobs.slice(taken.count, queued.announced)) this.fetcher.skip(id);
    }
  }

  /** Announces blobs until there are enough. */
  private async lookAhead(nodes: AsyncGenerator<PlacedNode>): Promise<void> {
    for (; this.announced < this.queue.length; this.announced++) {
      if (!this.announce(this.queue[this.announced] as QueuedEntry)) return;
    }
    while (!this.isAtEnd && this.fetcher.hasRoom && this.queue.length < MAX_ENTRIES) {
      const next = await nodes.next();
      if (next.done) this.isAtEnd = true;
      else {
        const queued = this.toQueued(next.value);
        this.queue.push(queued);
        if (this.announce(queued)) this.announced += 1;
      }
    }
  }

  /** @returns false if there is no more room */
  private announce(queued: QueuedEntry): boolean {
    while (queued.announced < queued.blobs.length) {
      if (!this.fetcher.hasRoom) return false;
      this.fetcher.announce(queued.blobs[queued.announced++] as LocatedBlob);
    }
    return true;
  }

  private async *contentOf(
    queued: QueuedEntry,
    taken: { count: number },
    nodes: AsyncGenerator<PlacedNode>,
  ): AsyncGenerator<Buffer> {
    for (const blob of queued.blobs) {
      if (queued.announced === taken.count) {
        this.fetcher.announce(blob);
        queued.announced += 1;
      }
      taken.count += 1;
      const plain = this.fetcher.take(blob.id);
      // Looking ahead may fail first.
      plain.catch(() => undefined);
      if (this.announce(queued)) await this.lookAhead(nodes);
      const bytes = await plain;
      yield bytes;
      freeIfLarge(bytes);
    }
  }

  private toQueued({ path, node }: PlacedNode): QueuedEntry {
    const entry = toEntry(path, node);
    const isSelected = this.options.isSelected(path, node.type === 'dir');
    const wrong = isSelected && this.options.needsContent ? outOfRange(node) : undefined;
    if (wrong) throw damagedFile(readablePath(path), `JSON: ${wrong}`);
    if (node.type !== 'file' || !isSelected) return { entry, blobs: [], announced: 0 };
    const first = node.links > 1 ? this.firstLink(path, node) : undefined;
    if (first !== undefined) {
      return { entry: { ...entry, type: 'link', linkName: first }, blobs: [], announced: 0 };
    }
    const blobs = (node.content ?? []).map((id) => this.locate(id, path));
    const parts = blobs.map((blob) => ({ id: blob.id, length: plainLength(blob) }));
    // In snapshots of early versions of restic, the size of the node may be another one.
    const size = parts.reduce((sum, { length }) => sum + length, 0);
    return {
      entry: { ...entry, parts, size },
      blobs: this.options.needsContent ? blobs : [],
      announced: 0,
    };
  }

  /** @returns the path of an earlier link to the same file */
  private firstLink(path: string, { deviceId, inode, content = [] }: SnapshotNode): string | undefined {
    // Also by content: inodes beyond 2^53 are rounded, and restic may have read the file twice while it changed.
    const key = [deviceId, inode, idOf(Buffer.from(content.join()))].join(' ');
    const first = this.linked.get(key);
    if (first === undefined && inode !== 0) this.linked.set(key, path);
    return first;
  }

  private locate(id: string, path: string): LocatedBlob {
    const { repository, index } = this.trees;
    const blob = repository.locate(index, id, false);
    if (!blob) throw damagedFile(readablePath(path), 'missing');
    return blob;
  }
}

/** @returns bytes of the plaintext, as the index says */
export function plainLength({ length, uncompressedLength }: LocatedBlob): number {
  return uncompressedLength ?? length - OVERHEAD;
}

function toEntry(name: string, node: SnapshotNode): StoredEntry {
  const { type, mode, mtime, uid, gid, size, linkTarget = '' } = node;
  return {
    ...{ name, mode, uid, gid, type: TYPES[type], linkName: type === 'symlink' ? linkTarget : '' },
    size: type === 'file' ? size : 0,
    // Node.js sets no times more exactly than microseconds. This is the last one before the time.
    mtime: Number((mtime - (((mtime % 1_000n) + 1_000n) % 1_000n)) / 1_000n) / 1e6,
    device: toDevice(node),
  };
}

/** https://github.com/torvalds/linux/blob/master/include/linux/kdev_t.h: as `stat` returns it */
function toDevice({ type, device = 0 }: SnapshotNode): Device | undefined {
  if (type === 'fifo') return { kind: 'p', major: 0, minor: 0 };
  if (type !== 'dev' && type !== 'chardev') return undefined;
  const number = BigInt(device);
  const major = ((number >> 8n) & 0xfffn) | ((number >> 32n) & 0xffff_f000n);
  const minor = (number & 0xffn) | ((number >> 12n) & 0xffff_ff00n);
  return { kind: type === 'dev' ? 'b' : 'c', major: Number(major), minor: Number(minor) };
}
