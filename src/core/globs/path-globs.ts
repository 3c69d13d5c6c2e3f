/** Globs for paths of files in a folder or an archive: relative, separated by `/`, one per line in dialogs. */
import { expandBraces, MAX_ALTERNATIVES, namesInGlob } from './glob-syntax';
import { checkGlob } from './pattern-error';

/**
 * @param isFolder whether `folder/**` matches the path `folder` too
 * @returns whether the path, or a folder that contains it, matches one of the globs
 */
export type PathMatcher = (path: string, isFolder?: boolean) => boolean;

/** Bytes of a path: see src/fs/path-bytes.ts. */
const NOT_UTF8 = /[\udc80-\udcff]/gu;

/**
 * `*` and `?` match within a name, `**` any number of folders, `[a-z]` and `[!a-z]` one character, `{a,b}` either text.
 * A glob without a slash matches names in every folder, one with a slash the path from its start; a slash at the end is
 * ignored. Spaces around a glob are ignored, and so is an empty one. U+FFFD matches a byte that isn't UTF-8, as users
 * see it.
 * @param property the node's property that the globs come from
 * @throws `invalid_input` for an invalid range such as `[z-a]`, a `[` or `{` that isn't closed, too many alternatives,
 *   a backslash, and what can't match, such as `../x`
 */
export function createPathMatcher(globs: readonly string[], property = 'pattern'): PathMatcher {
  const trimmed = globs.map((glob) => glob.trim());
  for (const glob of trimmed) checkGlob(glob, 'path', property);
  const alternatives = trimmed.flatMap((glob) => expandBraces(glob, MAX_ALTERNATIVES) ?? []);
  const matchers = alternatives.map(parseGlob).filter((segments) => segments.length > 0);
  return (path, isFolder = false) => {
    const names = path.replace(NOT_UTF8, '\ufffd').normalize('NFC').split('/');
    return matchers.some((segments) => matchesStart(segments, names, isFolder));
  };
}

/** A part of a glob between slashes: whether it matches a name. `**` is null. */
type Segment = ((name: string) => boolean) | null;

function parseGlob(glob: string): Segment[] {
  const text = glob.normalize('NFC');
  const segments = namesInGlob(text).map((name) => (name === '**' ? null : compileGlob(name)));
  if (segments.length === 0) return [];
  const isAnchored = /\/[^/]/.test(text);
  return isAnchored ? segments : [null, ...segments];
}

/** Whether the segments match the first names of a path: a matching folder includes what it contains. */
function matchesStart(segments: readonly Segment[], names: readonly string[], isFolder: boolean): boolean {
  // For each number of segments, whether they can match the names so far. `**` may match none, except at the end.
  const last = segments.length - 1;
  let reachable = closure(segments, new Set([0]));
  for (const name of names) {
    const next = new Set<number>();
    for (const index of reachable) {
      const segment = segments[index];
      if (segment === null) next.add(index === last ? segments.length : index);
      else if (segment?.(name)) next.add(index + 1);
    }
    reachable = closure(segments, next);
    if (reachable.has(segments.length)) return true;
    if (reachable.size === 0) return false;
  }
  return isFolder && segments[last] === null && reachable.has(last);
}

function closure(segments: readonly Segment[], indexes: Set<number>): Set<number> {
  for (const index of indexes)
    if (segments[index] === null && index < segments.length - 1) indexes.add(index + 1);
  return indexes;
}

/** `*`, or what one character has to be. */
type Token = '*' | RegExp;

/** A set such as `[a-z]` or `[!]]`, or any number of `*`, or one character. */
const TOKEN = /\[(?:[!^]?\][^\]]*|[!^][^\]]+|[^\]!^][^\]]*)\]|\*+|[^]/gu;

/**
 * For names. {@link globProblem} finds mistakes first. `*` matches any characters, `?` one, `[a-z]` one of these, `[!a-z]` one of the others.
 * @param glob in NFC
 * @returns whether the glob matches a whole name, in NFC. Takes at most the product of both lengths, unlike a regular
 *   expression: the names may come from anyone
 */
export function compileGlob(glob: string, { ignoreCase = false } = {}): (name: string) => boolean {
  const flags = ignoreCase ? 'isu' : 'su';
  const tokens = Array.from(glob.matchAll(TOKEN), ([token]): Token =>
    token.startsWith('*') ? '*' : new RegExp(`^${characterSource(token)}$`, flags),
  );
  return (name) => matchesTokens(tokens, [...name]);
}

function characterSource(token: string): string {
  if (token === '?') return '.';
  const [, negated, members] = /^\[([!^]?)(.+)\]$/su.exec(token) ?? [];
  if (members === undefined) return token.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return `[${negated ? '^' : ''}${members.replace(/[\\\]^[]/g, '\\$&')}]`;
}

function matchesTokens(tokens: readonly Token[], characters: readonly string[]): boolean {
  let next = 0;
  let star: { token: number; position: number } | undefined;
  for (let position = 0; position < characters.length;) {
    const token = tokens[next];
    if (token === '*') star = { token: next++, position };
    else if (token?.test(characters[position] ?? '')) {
      next += 1;
      position += 1;
    } else if (star) {
      next = star.token + 1;
      position = star.position += 1;
    } else return false;
  }
  return tokens.slice(next).every((token) => token === '*');
}
