/** Mistakes in globs: a bracket that is never closed would match only itself, and `[z-a]` nothing. */
import { DriveError } from '../errors';

/** A `]` directly after the `[` is a member of the set. */
const SET = /\[[!^]?\]?[^\]]*\]/gu;

/**
 * In a set, a bracket stands for itself: `[[]`. In names, `{` is an ordinary character.
 * @param property the node's property that the glob comes from
 * @throws `invalid_input`
 */
export function checkBrackets(glob: string, kind: 'path' | 'name', property: string): void {
  const params = { property, pattern: glob };
  const char = kind === 'path' ? openInPath(glob) : openInName(glob);
  if (char !== undefined) {
    throw new DriveError('invalid_input', {
      text: 'invalid_input_pattern_open',
      params: { ...params, char },
    });
  }
  const range = backwardRange(glob);
  if (range !== undefined) {
    throw new DriveError('invalid_input', {
      text: 'invalid_input_pattern_range',
      params: { ...params, range },
    });
  }
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

/** In pairs from the left, as in a regular expression: `[a-b-c]` has the range `a-b` and two more characters. */
function backwardRange(glob: string): string | undefined {
  const sets = glob.normalize('NFC').match(SET) ?? [];
  const ranges = sets.flatMap((set) => set.replace(/^\[[!^]?|\]$/g, '').match(/[^]-[^]/gu) ?? []);
  return ranges.find((range) => {
    const [first = '', , last = ''] = range;
    return (first.codePointAt(0) ?? 0) > (last.codePointAt(0) ?? 0);
  });
}
