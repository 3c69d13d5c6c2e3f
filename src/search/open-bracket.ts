/** Globs with a bracket that is never closed, which is probably a mistake: they would match only themselves. */
import { DriveError } from '../errors';

/** A `]` directly after the `[` is a member of the set. */
const SET = /\[[!^]?\]?[^\]]*\]/gu;

/**
 * In a set, a bracket stands for itself: `[[]`. In names, `{` is an ordinary character.
 * @param property the node's property that the glob comes from
 * @throws `invalid_input`
 */
export function checkBrackets(glob: string, kind: 'path' | 'name', property: string): void {
  const char = kind === 'path' ? openInPath(glob) : openInName(glob);
  if (char === undefined) return;
  const params = { property, pattern: glob, char };
  throw new DriveError('invalid_input', { text: 'invalid_input_pattern_open', params });
}

function openInPath(glob: string): string | undefined {
  return glob.split('/').map(openInName).find(Boolean) ?? (hasOpenBrace(glob) ? '{' : undefined);
}

function hasOpenBrace(glob: string): boolean {
  let depth = 0;
  for (const [brace] of glob.replace(SET, '').matchAll(/[{}]/g)) {
    depth = brace === '{' ? depth + 1 : Math.max(0, depth - 1);
  }
  return depth > 0;
}

function openInName(glob: string): string | undefined {
  return glob.replace(SET, '').includes('[') ? '[' : undefined;
}
