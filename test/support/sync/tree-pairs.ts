/** Random pairs of trees, and what a synchronization is expected to make of them. */
import fc from 'fast-check';
import type { SyncRequest, SyncSummary } from '../../../src/index';
import { type Tree, TIME } from './trees';

export type SyncOptions = Pick<SyncRequest, 'compare' | 'extra' | 'maxRemovals' | 'include' | 'exclude'>;

export interface TreePair {
  source: Tree;
  destination: Tree;
  options: SyncOptions;
}

const NAMES = ['a', 'b', 'C', 'd.log', 'é', 'x y', "it's", '漢字', 'back\\slash', '100%', 'emoji 😀'];
const names = fc.constantFrom(...NAMES);
/** Short, so that equal and different contents of the same size are frequent. */
const contents = fc.constantFrom('', '1', '2', 'one', 'two', 'x'.repeat(300));
const times = fc.constantFrom(TIME, TIME + 1, TIME - 86_400);

/** A tree without names that are a file and a folder at once. */
const trees: fc.Arbitrary<Tree> = fc
  .array(
    fc.record({
      folders: fc.array(names, { maxLength: 3 }),
      name: names,
      content: contents,
      time: times,
      isFolder: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .map((items) => {
    const tree: Record<string, string> = {};
    for (const { folders, name, content, time, isFolder } of items) {
      const path = [...folders, name].join('/');
      const parents = folders.map((_folder, index) => folders.slice(0, index + 1).join('/'));
      if (parents.some((parent) => parent in tree) || `${path}/` in tree) continue;
      for (const parent of parents) tree[`${parent}/`] = '';
      if (isFolder && !(path in tree)) tree[`${path}/`] = '';
      else tree[path] = `${content} @${time}`;
    }
    return tree;
  });

const globs = fc.constantFrom<readonly string[]>([], [], [], ['*.log'], ['a'], ['a/**', 'C'], ['/b/*']);

/** @param direction only extra files on the drive can go to the trash */
export function treePairs(direction: 'up' | 'down'): fc.Arbitrary<TreePair> {
  const extra = fc.constantFrom<SyncRequest['extra']>(
    'keep',
    'delete',
    direction === 'up' ? 'trash' : 'delete',
  );
  const options = fc.record({
    compare: fc.constantFrom<SyncRequest['compare']>('time', 'checksum'),
    extra,
    maxRemovals: fc.constantFrom(50, 50, 2),
    include: globs,
    exclude: globs,
  });
  return fc.tuple(trees, trees, fc.boolean(), options).map(([source, other, isSimilar, each]) => ({
    source,
    // Half of the destinations contain much of the source.
    destination: isSimilar ? withoutCollisions({ ...someOf(source), ...other }) : other,
    options: each,
  }));
}

function someOf(tree: Tree): Tree {
  return Object.fromEntries(Object.entries(tree).filter((_entry, index) => index % 3 !== 0));
}

function withoutCollisions(tree: Tree): Tree {
  const result: Record<string, string> = {};
  for (const path of Object.keys(tree).sort()) {
    const parents = parentsOf(path);
    if (parents.some((parent) => parent.slice(0, -1) in result) || path.replace(/\/$/, '') in result)
      continue;
    if (`${path}/` in tree) continue;
    for (const parent of parents) result[parent] = '';
    result[path] = tree[path] ?? '';
  }
  return result;
}

/** Folders that contain the path, with `/` at their ends. */
function parentsOf(path: string): string[] {
  const parts = path.replace(/\/$/, '').split('/');
  return parts.slice(1).map((_part, index) => `${parts.slice(0, index + 1).join('/')}/`);
}

export type Expected =
  | { conflict: string }
  | { tree: Tree; counts: Pick<SyncSummary, 'created' | 'updated' | 'unchanged' | 'removed'> };

/** A simple model: compares whole trees by path. */
export function expectedResult({ source, destination, options }: TreePair): Expected {
  const { extra, maxRemovals, compare } = options;
  const isSelected = (path: string): boolean => selects(path, options);
  const files = (tree: Tree): string[] =>
    Object.keys(tree).filter((path) => !path.endsWith('/') && isSelected(path));
  if (hasKindConflict(source, destination, isSelected)) return { conflict: 'conflict_sync_kinds' };
  const result: Record<string, string> = { ...destination };
  const counts = { created: 0, updated: 0, unchanged: 0, removed: 0 };
  const needFolder = (path: string): void => {
    for (const parent of parentsOf(path)) result[parent] = '';
  };
  for (const path of files(source)) {
    const text = source[path] ?? '';
    const old = destination[path];
    needFolder(path);
    if (old === undefined) counts.created += 1;
    else if (!isChanged(text, old, compare)) {
      counts.unchanged += 1;
      continue;
    } else counts.updated += 1;
    result[path] = text;
  }
  for (const path of Object.keys(source)) {
    if (!path.endsWith('/') || !isSelected(path)) continue;
    if (options.include.length > 0 && !isIncluded(path, options.include)) continue;
    needFolder(path);
    result[path] = '';
  }
  // A file that isn't selected can be where a folder is needed.
  if (Object.keys(result).some((path) => `${path}/` in result)) return { conflict: 'conflict_sync_kinds' };
  if (extra === 'keep') return { tree: result, counts };
  const extraFiles = files(destination).filter((path) => !(path in source));
  const extraFolders = Object.keys(destination)
    .filter((path) => path.endsWith('/') && !(path in source) && isSelected(path))
    .filter((path) => isRemovable(path, { source, destination, extraFiles, options }));
  counts.removed = extraFiles.length;
  if (extraFiles.length + extraFolders.length > 0) {
    if (files(source).length === 0) return { conflict: 'conflict_sync_empty' };
    if (extraFiles.length > maxRemovals) return { conflict: 'conflict_sync_removals' };
  }
  for (const path of [...extraFiles, ...extraFolders]) delete result[path];
  return { tree: result, counts };
}

function isRemovable(
  folder: string,
  { source, destination, extraFiles, options }: TreePair & { extraFiles: string[] },
): boolean {
  const inside = Object.keys(destination).filter((path) => path.startsWith(folder));
  // A folder without selected files isn't part of the synchronization, unless a pattern includes it.
  const isPart = (path: string): boolean =>
    options.include.length === 0 ||
    isIncluded(path, options.include) ||
    extraFiles.some((file) => file.startsWith(path));
  return inside.every((path) =>
    path.endsWith('/')
      ? selects(path, options) && isPart(path) && !(path.slice(0, -1) in source)
      : extraFiles.includes(path),
  );
}

function hasKindConflict(source: Tree, destination: Tree, isSelected: (path: string) => boolean): boolean {
  const paths = Object.keys(source).filter(isSelected);
  return paths.some((path) => {
    const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
    return other in destination && isSelected(other);
  });
}

function isChanged(text: string, old: string, compare: SyncOptions['compare']): boolean {
  const [content = '', time] = text.split(' @');
  const [oldContent = '', oldTime] = old.split(' @');
  if (content.length !== oldContent.length || time !== oldTime) return true;
  return compare === 'checksum' && content !== oldContent;
}

function selects(path: string, { include, exclude }: SyncOptions): boolean {
  if (isIncluded(path, exclude)) return false;
  return path.endsWith('/') || include.length === 0 || isIncluded(path, include);
}

/** The globs above, as regular expressions that also match what is in a matching folder. */
const EXPRESSIONS: Readonly<Record<string, RegExp>> = {
  '*.log': /(^|\/)[^/]*\.log(\/|$)/,
  a: /(^|\/)a(\/|$)/,
  // It matches the folder itself, too, but no file of that name.
  'a/**': /^a\//,
  C: /(^|\/)C(\/|$)/,
  '/b/*': /^b\/[^/]+/,
};

function isIncluded(path: string, patterns: readonly string[]): boolean {
  return patterns.some((glob) => EXPRESSIONS[glob]?.test(path));
}
