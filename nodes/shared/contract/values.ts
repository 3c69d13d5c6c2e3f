/** Values that users type, checked by the dialogs and by the runtime. */

/** A value that consists of `${NAME}`, or of `$(NAME)`, which Node-RED also accepts. */
const REFERENCE = /^\$(?:\{([^}]+)\}|\(([^)]+)\))$/;

/** @returns the name of the environment variable that Node-RED substitutes for the value; undefined for other values */
export function referencedVariable(value: unknown): string | undefined {
  const match = typeof value === 'string' ? REFERENCE.exec(value.trim()) : null;
  return match?.[1] ?? match?.[2];
}

export function isReference(value: unknown): boolean {
  return referencedVariable(value) !== undefined;
}

/** @param type of the TypedInput. @returns whether the value is known before a message arrives */
export function isLiteral(type: string, value: string): boolean {
  return type === 'drive' || (type === 'str' && !isReference(value));
}

/** @returns whether a value is an object with members, as in JSON */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** RFC 9110 section 8.3.1: `text/plain; charset=utf-8`. Also true for an empty text. */
export function isMimeType(text: string): boolean {
  return text.trim() === '' || /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(?:;.*)?$/.test(text.trim());
}

/** A MIME type, or a prefix of one followed by `*`. */
export function isMimeTypePattern(text: string): boolean {
  return isMimeType(text) || /^[\w!#$&^.+-]*\/?[\w!#$&^.+-]*\*$/.test(text.trim());
}

/**
 * Whether quotes and parentheses have counterparts: otherwise the query would change the meaning of the other criteria,
 * with which it is combined. A backslash escapes a quote.
 */
export function isBalancedQuery(query: string): boolean {
  const withoutTexts = query.replace(/'(?:[^'\\]|\\[^])*'/g, '');
  return !withoutTexts.includes("'") && hasBalancedParentheses(withoutTexts);
}

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

/** `/document/d/e/2PACX-…/pub` identifies a published copy by a token. The URL doesn't contain the file's id. */
const PUBLISHED = /\/d\/e(?:\/|$)/;
const DRIVE_HOST = /^https:\/\/(?:drive|docs)\.google\.com\//;
/** With or without `/u/N/` for the Nth signed-in user. */
const FILE_PATH = /\/(?:file|document|spreadsheets|presentation|drawings|forms)\/(?:u\/\d+\/)?d\/([\w-]+)/;
const FOLDER_PATH = /\/folders\/([\w-]+)/;
const ID_QUERY = /[?&]id=([\w-]+)/;

export type DriveUrl = { id: string } | { problem: 'published' | 'no_id' };

/** @returns undefined for a text that isn't a URL of Google Drive or its editors */
export function parseDriveUrl(text: string): DriveUrl | undefined {
  if (!DRIVE_HOST.test(text)) return undefined;
  const [path = ''] = text.split(/[?#]/);
  if (PUBLISHED.test(path)) return { problem: 'published' };
  const id = (FILE_PATH.exec(path) ?? FOLDER_PATH.exec(path) ?? ID_QUERY.exec(text))?.[1];
  return id === undefined ? { problem: 'no_id' } : { id };
}

/** Any API version, with or without a resource name. */
const API_PATH = /\/+(?:upload\/+)?drive\/+v\d+(?:\/+(?:files|about|changes))?\/*$/i;

/** @returns the base URL without the API path; undefined if it has none. A path prefix before it stays */
export function stripApiPath(url: string): string | undefined {
  return API_PATH.test(url) ? url.replace(API_PATH, '') : undefined;
}
