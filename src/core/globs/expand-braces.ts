/** Alternatives in globs, as in bash: https://www.gnu.org/software/bash/manual/html_node/Brace-Expansion.html */

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
