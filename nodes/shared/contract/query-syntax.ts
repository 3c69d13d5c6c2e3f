/** Google Drive's query language. https://developers.google.com/workspace/drive/api/guides/ref-search-terms */

/**
 * Whether quotes and parentheses have counterparts: otherwise the query would change the meaning of the other criteria,
 * with which it is combined. A backslash escapes a quote.
 */
export function isBalancedQuery(query: string): boolean {
  const withoutTexts = query.replace(/'(?:[^'\\]|\\[^])*'/g, '');
  let depth = 0;
  for (const char of withoutTexts) {
    if (char === "'") return false;
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
