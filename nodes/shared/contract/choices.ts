/** Choices that several nodes offer. */

/** What to do if the folder already has a file with the same name. */
export const IF_EXISTS = ['duplicate', 'replace', 'skip', 'rename', 'error'] as const;
export type IfExists = (typeof IF_EXISTS)[number];

/** How names are compared with a text or pattern. */
export const NAME_MATCHES = ['contains', 'anywhere', 'exact', 'glob', 'regex'] as const;
export type NameMatch = (typeof NAME_MATCHES)[number];
