/** The entries of a backup as a tree, and which of them are ticked. */
import type { BackupEntry } from '../shared/contract/dialog-api';

export interface TreeEntry {
  path: string;
  name: string;
  isFolder: boolean;
  size: number;
  /** ms since 1970; null for a folder that isn't an entry itself. */
  modifiedTime: number | null;
}

export class EntryTree {
  private readonly entries = new Map<string, TreeEntry>();
  /** Paths, by the path of the folder; `''` is the top. */
  private readonly folders = new Map<string, string[]>();
  private readonly sorted = new Set<string>();

  constructor(entries: readonly BackupEntry[]) {
    // The last entry with a path counts.
    for (const [path, isFolder, size, modifiedTime] of entries) this.add(path, isFolder, size, modifiedTime);
  }

  has(path: string): boolean {
    return this.entries.has(path);
  }

  /** Folders first, each by name. */
  children(folder: string): TreeEntry[] {
    const paths = this.folders.get(folder) ?? [];
    const entries = paths.map((path) => this.entries.get(path)!);
    if (this.sorted.has(folder)) return entries;
    const { compare } = new Intl.Collator(undefined, { numeric: true });
    entries.sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || compare(a.name, b.name));
    this.folders.set(
      folder,
      entries.map(({ path }) => path),
    );
    this.sorted.add(folder);
    return entries;
  }

  private add(path: string, isFolder: boolean, size: number, modifiedTime: number | null): void {
    const slash = path.lastIndexOf('/');
    const parent = path.slice(0, Math.max(0, slash));
    if (parent !== '' && !this.entries.has(parent)) this.add(parent, true, 0, null);
    if (!this.entries.has(path)) {
      const siblings = this.folders.get(parent);
      if (siblings) siblings.push(path);
      else this.folders.set(parent, [path]);
    }
    this.entries.set(path, { path, name: path.slice(slash + 1), isFolder, size, modifiedTime });
  }
}

export type TickState = 'true' | 'false' | 'mixed';

/** A ticked folder stands for all that it contains. */
export class Ticks {
  private readonly ticked = new Set<string>();

  constructor(
    private readonly tree: EntryTree,
    paths: readonly string[],
  ) {
    for (const path of paths) if (tree.has(path)) this.tick(path);
  }

  get paths(): string[] {
    return [...this.ticked].sort();
  }

  state(path: string): TickState {
    if (this.ticked.has(path) || this.tickedParent(path) !== undefined) return 'true';
    const inside = `${path}/`;
    for (const ticked of this.ticked) if (ticked.startsWith(inside)) return 'mixed';
    return 'false';
  }

  toggle(path: string): void {
    if (this.state(path) === 'true') this.untick(path);
    else this.tick(path);
  }

  private tick(path: string): void {
    if (this.tickedParent(path) !== undefined) return;
    const inside = `${path}/`;
    for (const ticked of this.ticked) if (ticked.startsWith(inside)) this.ticked.delete(ticked);
    this.ticked.add(path);
  }

  /** Of a ticked folder that contains it, everything else stays ticked. */
  private untick(path: string): void {
    const parent = this.tickedParent(path);
    this.ticked.delete(parent ?? path);
    if (parent === undefined) return;
    for (let folder = parent; folder !== path;) {
      const isWithin = (child: string): boolean => path === child || path.startsWith(`${child}/`);
      const children = this.tree.children(folder).map((child) => child.path);
      for (const child of children) if (!isWithin(child)) this.ticked.add(child);
      folder = children.find(isWithin) ?? path;
    }
  }

  private tickedParent(path: string): string | undefined {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      if (this.ticked.has(folder)) return folder;
    }
    return undefined;
  }
}

/** @param path of a file or folder in a backup. @returns the pattern that matches it and what it contains, and nothing else */
export function toIncludeLine(path: string): string {
  const escaped = path
    .replace(/[*?[\]{}\\]/g, (char) => `[${char}]`)
    // Spaces around a pattern are ignored, and line breaks separate patterns.
    .replace(/^ | $/g, '[ ]')
    .replace(/[\n\r]/g, '?');
  // Without a slash, a pattern matches names in every folder.
  return escaped.includes('/') ? escaped : `/${escaped}`;
}

/** @returns the path for which {@link toIncludeLine} makes the pattern, if there is one */
export function fromIncludeLine(line: string): string | undefined {
  const path = line.replace(/^\//, '').replace(/\[(.)\]/g, '$1');
  return path !== '' && toIncludeLine(path) === line ? path : undefined;
}
