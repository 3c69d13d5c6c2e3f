/** Compiles globs for names. Their mistakes are found by {@link globProblem} first. */

/** `*`, or what one character has to be. */
type Token = '*' | RegExp;

/** A set such as `[a-z]` or `[!]]`, or any number of `*`, or one character. */
const TOKEN = /\[(?:[!^]?\][^\]]*|[!^][^\]]+|[^\]!^][^\]]*)\]|\*+|[^]/gu;

/**
 * `*` matches any characters, `?` one, `[a-z]` one of these, `[!a-z]` one of the others.
 * @param glob in NFC
 * @returns whether the glob matches a whole name, in NFC. Takes at most the product of both lengths, unlike a regular
 *   expression: the names may come from anyone
 */
export function compileGlob(glob: string, { ignoreCase = false } = {}): (name: string) => boolean {
  const flags = ignoreCase ? 'isu' : 'su';
  const tokens = Array.from(glob.matchAll(TOKEN), ([token]): Token =>
    token.startsWith('*') ? '*' : new RegExp(`^${characterSource(token)}$`, flags),
  );
  return (name) => matches(tokens, [...name]);
}

function characterSource(token: string): string {
  if (token === '?') return '.';
  const [, negated, members] = /^\[([!^]?)(.+)\]$/su.exec(token) ?? [];
  if (members === undefined) return token.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return `[${negated ? '^' : ''}${members.replace(/[\\\]^[]/g, '\\$&')}]`;
}

function matches(tokens: readonly Token[], characters: readonly string[]): boolean {
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
