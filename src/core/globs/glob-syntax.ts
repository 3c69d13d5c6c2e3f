/**
 * Mistakes in globs: a bracket that is never closed would match only itself, and `[z-a]` or `../x` nothing. The editor
 * uses this file too, so it depends on neither Node.js nor errors.
 */

/** In globs for paths, `{a,b}` is either text. In those for names, braces are ordinary characters. */
export type GlobKind = 'path' | 'name';

type GlobProblem =
  | { problem: 'open'; char: '[' | '{' }
  | { problem: 'range'; range: string }
  /** There are more than {@link MAX_ALTERNATIVES}. */
  | { problem: 'alternatives' }
  /** In a path: it separates no folders, and elsewhere it would escape the next character. */
  | { problem: 'backslash' }
  /** No path inside a folder is like that. */
  | { problem: 'impossible' };

/** Each path is compared with every alternative. */
export const MAX_ALTERNATIVES = 1000;

/** A `]` directly after the `[` is a member of the set. */
const SET = /\[[!^]?\]?[^\]]*\]/gu;

/** In a set, a bracket stands for itself: `[[]`. @returns undefined for a valid glob */
export function globProblem(glob: string, kind: GlobKind): GlobProblem | undefined {
  const char = kind === 'path' ? openInPath(glob) : openInName(glob);
  if (char !== undefined) return { problem: 'open', char };
  const range = backwardRange(glob);
  if (range !== undefined) return { problem: 'range', range };
  return kind === 'path' ? pathProblem(glob) : undefined;
}

/** The names between the slashes. As in paths, `./a//b/` is the same as `a/b`. */
export function namesInGlob(glob: string): string[] {
  return glob.split('/').filter((name) => name !== '' && name !== '.');
}

function pathProblem(glob: string): GlobProblem | undefined {
  if (glob.replace(SET, '').includes('\\')) return { problem: 'backslash' };
  const alternatives = expandBraces(glob, MAX_ALTERNATIVES);
  if (!alternatives) return { problem: 'alternatives' };
  return alternatives.some(isImpossible) ? { problem: 'impossible' } : undefined;
}

/** An empty alternative, as in `{a,}`, is no mistake. */
function isImpossible(glob: string): boolean {
  const names = namesInGlob(glob);
  return glob !== '' && (names.length === 0 || names.includes('..'));
}

function openInPath(glob: string): '[' | '{' | undefined {
  return glob.split('/').map(openInName).find(Boolean) ?? (hasOpenBrace(glob) ? '{' : undefined);
}

function hasOpenBrace(glob: string): boolean {
  let depth = 0;
  for (const [brace] of glob.replace(SET, '').matchAll(/[{}]/g)) {
    depth = brace === '{' ? depth + 1 : Math.max(0, depth - 1);
  }
  return depth > 0;
}

function openInName(glob: string): '[' | undefined {
  return glob.replace(SET, '').includes('[') ? '[' : undefined;
}

/** In pairs from the left, as in a regular expression: `[a-b-c]` has the range `a-b` and two more characters. */
function backwardRange(glob: string): string | undefined {
  const sets = glob.normalize('NFC').match(SET) ?? [];
  const ranges = sets.flatMap((set) => set.replace(/^\[[!^]?|\]$/g, '').match(/[^]-[^]/gu) ?? []);
  return ranges.find((range) => {
    const [first = '', , last = ''] = range;
    return (first.codePointAt(0) ?? 0) > (last.codePointAt(0) ?? 0);
  });
}

/** Between two braces that aren't closed yet, or outside of all. */
interface Level {
  /** The alternatives before the last comma. */
  done: string[];
  current: string[];
}

/**
 * `*.{jpg,png}` becomes `*.jpg` and `*.png`. Braces without a comma, and characters in `[…]`, stand for themselves.
 * @param glob each `{` is closed
 * @param limit the most globs
 * @returns undefined if there are more
 */
export function expandBraces(glob: string, limit: number): string[] | undefined {
  const outer: Level[] = [];
  let level: Level = { done: [], current: [''] };
  for (const token of glob.match(/\[[!^]?\]?[^\]]*\]|[^]/gu) ?? []) {
    if (token === '{') {
      outer.push(level);
      level = { done: [], current: [''] };
    } else if (token === ',' && outer.length > 0) {
      level = { done: [...level.done, ...level.current], current: [''] };
    } else {
      const parent = token === '}' ? outer.pop() : undefined;
      const suffixes = parent ? alternatives(level) : [token];
      level = parent ?? level;
      if (level.current.length * suffixes.length > limit) return undefined;
      level.current = level.current.flatMap((prefix) => suffixes.map((suffix) => prefix + suffix));
    }
    if (level.done.length > limit) return undefined;
  }
  return level.current;
}

function alternatives({ done, current }: Level): string[] {
  return done.length === 0 ? current.map((text) => `{${text}}`) : [...done, ...current];
}
