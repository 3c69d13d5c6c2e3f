/** Used by the runtime and the editor for the list of fields that a user enters. */

/** @returns whether each parenthesis has its counterpart, as in `id,owners(displayName)` */
export function hasBalancedParentheses(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
