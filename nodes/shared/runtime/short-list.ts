/** How many items a text names. The message has all of them. */
const NAMED = 10;

/** @returns the first items, separated by commas, for a warning */
export function shortList(items: readonly string[]): string {
  return [...items.slice(0, NAMED), ...(items.length > NAMED ? ['…'] : [])].join(', ');
}
