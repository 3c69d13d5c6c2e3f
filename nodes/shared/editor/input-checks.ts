/** Checks values that a user typed, as far as that is possible before a message arrives. */
import { hasBalancedParentheses, isObject, isReference, parseDriveUrl } from '../contract/values';
import { RESERVED_FIELDS } from '../contract/defaults';
import { type GlobKind, globProblem } from '../../../src/core/globs/glob-syntax';

/** What a typed input is for. */
export type InputKind = 'file' | 'folder' | 'name' | 'path' | 'anything';

/** A key below `validation` in the catalogue. */
export type InputProblem =
  | 'nothing_chosen'
  | 'env_name'
  | 'file_needed'
  | 'name_needed'
  | 'path_needed'
  | 'id_slash'
  | 'id_blank'
  | 'drive_address'
  | 'published_url';

/** Problems of an empty text. */
const REQUIRED: Readonly<Partial<Record<InputKind, InputProblem>>> = {
  file: 'file_needed',
  name: 'name_needed',
  path: 'path_needed',
};

/** @param type of the TypedInput. A value that comes from a message or the context has no problem */
export function inputProblem(kind: InputKind, type: string, value: string): InputProblem | undefined {
  if (type === 'drive') return value === '' ? 'nothing_chosen' : undefined;
  if (type === 'env') return envProblem(value);
  if (type !== 'str') return undefined;
  if (value === '') return REQUIRED[kind];
  if (isReference(value) || value === '${}') return envProblem(value);
  return kind === 'file' || kind === 'folder' ? idProblem(value) : undefined;
}

/** @param value the name of a variable, or a text that contains names as `${NAME}` */
function envProblem(value: string): InputProblem | undefined {
  const references = [...value.matchAll(/\$\{([^}]*)\}/g)].map(([, name]) => name ?? '');
  const names = references.length > 0 ? references : [value];
  return names.every((name) => /^[A-Za-z_][\w.-]*$/.test(name)) ? undefined : 'env_name';
}

function idProblem(value: string): InputProblem | undefined {
  if (/^https?:\/\//.test(value)) {
    const url = parseDriveUrl(value) ?? { problem: 'no_id' };
    if ('id' in url) return undefined;
    return url.problem === 'published' ? 'published_url' : 'drive_address';
  }
  if (value.trim() === '') return 'id_blank';
  // A text that starts with a slash is a path.
  return !value.startsWith('/') && value.includes('/') ? 'id_slash' : undefined;
}

/** A key below `validation` in the catalogue, and its parameters. */
export type PatternProblem = [
  key: 'regex' | 'glob_open' | 'glob_range' | 'glob_alternatives' | 'glob_backslash' | 'glob_impossible',
  params: Record<string, string>,
];

/** @param match how search-files compares names */
export function patternProblem(match: string, pattern: string): PatternProblem | undefined {
  if (match === 'regex') return regexProblem(pattern);
  return match === 'glob' ? toPatternProblem(pattern, 'name') : undefined;
}

/** @param lines patterns for paths, as the runtime splits them. @returns the problem of the first invalid one */
export function pathPatternsProblem(lines: string): PatternProblem | undefined {
  for (const line of lines.split('\n')) {
    const problem = toPatternProblem(line.trim(), 'path');
    if (problem) return problem;
  }
  return undefined;
}

function toPatternProblem(pattern: string, kind: GlobKind): PatternProblem | undefined {
  const found = globProblem(pattern, kind);
  if (!found) return undefined;
  const { problem, ...params } = found;
  return [`glob_${problem}`, { pattern, ...params }];
}

function regexProblem(source: string): PatternProblem | undefined {
  try {
    new RegExp(source, 'u');
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    return ['regex', { reason: message.slice(message.lastIndexOf(': ') + 1).trim() }];
  }
}

/** A key below `validation` in the catalogue. */
export type FieldsProblem = 'fields_parentheses' | 'fields_shape';

/** @param fields a comma-separated list, with subfields in parentheses: `id,owners(displayName)` */
export function fieldsProblem(fields: string): FieldsProblem | undefined {
  if (!hasBalancedParentheses(fields)) return 'fields_parentheses';
  return /^[\w\s,()/*-]*$/.test(fields) ? undefined : 'fields_shape';
}

/**
 * @returns whether a text is such as `folder,modifiedTime desc`;
 *   https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list
 */
export function isOrderBy(text: string): boolean {
  return text.trim() === '' || text.split(',').every((key) => /^\s*\w+(?:\s+desc)?\s*$/.test(key));
}

/** An IANA time zone that this browser knows. Also true for an empty text, which means the server's time zone. */
export function isTimeZone(name: string): boolean {
  if (name.trim() === '') return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name.trim() });
    return true;
  } catch {
    return false;
  }
}

/** A key below `validation` in the catalogue. */
export type MetadataProblem = 'metadata' | 'metadata_own';

/** @param json an object as JSON; `''` means none */
export function metadataProblem(json: string): MetadataProblem | undefined {
  if (json === '') return undefined;
  const metadata = parseJson(json);
  if (!isObject(metadata)) return 'metadata';
  return RESERVED_FIELDS.some((name) => name in metadata) ? 'metadata_own' : undefined;
}

/** Parses JSON that a user pasted. @returns undefined if the text isn't JSON */
export function parseJson(text: string): unknown {
  try {
    // Some Windows editors write a byte order mark at the start of a file.
    return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
  } catch {
    return undefined;
  }
}
