/** Stores the folders of a snapshot: each when all that it contains is known. */
import { type BigIntStats, readFileSync } from 'node:fs';
import type { BlobWriter } from './blob-writer';
import { type NodeType, type SnapshotNode, compareNames, nodeJson, treeOf } from './tree';

/** An entry of a tree, as JSON. */
export interface NamedNode {
  name: string;
  json: string;
}

/** Stores a tree. @returns its ID */
export function writeTree(writer: BlobWriter, nodes: readonly NamedNode[]): Promise<string> {
  const sorted = [...nodes].sort((a, b) => compareNames(a.name, b.name));
  return writer.add(treeOf(sorted.map(({ json }) => json)), true);
}

export function toNode(name: string, node: SnapshotNode): NamedNode {
  return { name, json: nodeJson(node) };
}

/** Everything about an entry except what it contains. The time of access is left out, as by restic. */
export function newNode(name: string, type: NodeType, stats: BigIntStats): SnapshotNode {
  const [uid, gid] = [Number(stats.uid), Number(stats.gid)];
  const isLinked = type !== 'dir' && stats.nlink > 1n;
  const isDevice = type === 'dev' || type === 'chardev';
  return {
    ...{ name, type, uid, gid, mode: Number(stats.mode & 0o7777n) },
    ...{ mtime: stats.mtimeNs, atime: stats.mtimeNs, ctime: stats.ctimeNs },
    ...{ user: userNames().get(uid), group: groupNames().get(gid) },
    ...{
      inode: unsigned(stats.ino),
      deviceId: isLinked ? unsigned(stats.dev) : 0,
      links: type === 'dir' ? 0 : Number(stats.nlink),
    },
    ...{ size: type === 'file' ? Number(stats.size) : 0, device: isDevice ? Number(stats.rdev) : undefined },
  };
}

/** Node.js returns inodes above 2^63, such as those of mergerfs, as negative numbers, which restic can't read. */
export function unsigned(number: bigint): bigint {
  return BigInt.asUintN(64, number);
}

let users: Map<number, string> | undefined;
let groups: Map<number, string> | undefined;

/** Call it before each backup: its thread may have read the names of users and groups for an earlier backup. */
export function forgetOwnerNames(): void {
  users = groups = undefined;
}

function userNames(): Map<number, string> {
  return (users ??= readNames('/etc/passwd'));
}

function groupNames(): Map<number, string> {
  return (groups ??= readNames('/etc/group'));
}

/** https://man7.org/linux/man-pages/man5/passwd.5.html, and group.5. @returns none on other systems */
function readNames(file: string): Map<number, string> {
  try {
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.split(':'));
    return new Map(lines.map(([name = '', , id]) => [Number(id), name]));
  } catch {
    return new Map();
  }
}

/** A folder above the sources, or a source. */
type Branch = Map<string, Branch | { node: NamedNode }>;

function isBranch(value: Branch | { node: NamedNode } | undefined): value is Branch {
  return value !== undefined && !('node' in value);
}

/** @returns a folder on disk, by the names on its path */
type StatsOf = (names: readonly string[]) => BigIntStats;

interface StoreContext {
  writer: BlobWriter;
  statsOf: StatsOf;
}

/** The folders from the root to the sources, whose paths are absolute, as in restic's snapshots. */
export class SourceTree {
  private readonly top: Branch = new Map();

  /**
   * @param names of the folders on the path, and of the source itself. Replaces sources inside it: see {@link inside}
   */
  add(names: readonly string[], node: NamedNode): void {
    let branch = this.top;
    for (const name of names.slice(0, -1)) {
      const next = branch.get(name);
      const below = isBranch(next) ? next : new Map<string, Branch>();
      branch.set(name, below);
      branch = below;
    }
    branch.set(names.at(-1) ?? '', { node });
  }

  /** @returns the ID of the root's tree */
  async write(writer: BlobWriter, statsOf: StatsOf): Promise<string> {
    return writeTree(writer, await store(this.top, { writer, path: [], statsOf }));
  }

  /**
   * @param path names of a folder. @param known names of folders in it whose sources were added to them already
   * @returns what the folder has of sources that are inside it
   */
  inside(path: readonly string[], known: ReadonlySet<string>, context: StoreContext): Promise<NamedNode[]> {
    let branch: Branch | undefined = this.top;
    for (const name of path) {
      const next: Branch | { node: NamedNode } | undefined = branch?.get(name);
      branch = isBranch(next) ? next : undefined;
    }
    const wanted = [...(branch ?? [])].filter(([name, each]) => !isBranch(each) || !known.has(name));
    return store(new Map(wanted), { ...context, path });
  }
}

/** Stores the folders in a branch. */
async function store(
  branch: Branch,
  { path, ...context }: StoreContext & { path: readonly string[] },
): Promise<NamedNode[]> {
  const nodes: NamedNode[] = [];
  for (const [name, below] of branch) {
    if (!isBranch(below)) {
      nodes.push(below.node);
      continue;
    }
    const names = [...path, name];
    const subtree = await writeTree(context.writer, await store(below, { ...context, path: names }));
    nodes.push(toNode(name, { ...newNode(name, 'dir', context.statsOf(names)), subtree }));
  }
  return nodes;
}
