/** Checks what is typed into a field, as far as that can be known before a message comes. Knows no browser. */

/** What a field takes. */
export type Takes = 'file' | 'folder' | 'name' | 'path' | 'anything';

/** A key below `validation` in the catalogue. */
export type InputProblem =
  | 'nothing_chosen'
  | 'env_name'
  | 'file_needed'
  | 'name_needed'
  | 'path_needed'
  | 'id_slash'
  | 'id_blank'
  | 'drive_address';

const NEEDED: Readonly<Partial<Record<Takes, InputProblem>>> = {
  file: 'file_needed',
  name: 'name_needed',
  path: 'path_needed',
};

/** @param type of the TypedInput; what only a message can tell has no problem here */
export function inputProblem(takes: Takes, type: string, value: string): InputProblem | undefined {
  if (type === 'drive') return value === '' ? 'nothing_chosen' : undefined;
  if (type === 'env') return envProblem(value);
  if (type !== 'str') return undefined;
  if (value === '') return NEEDED[takes];
  if (isReference(value)) return envProblem(value);
  return takes === 'file' || takes === 'folder' ? idProblem(value) : undefined;
}

/** Node-RED puts the value of the environment variable there. */
export function isReference(value: string): boolean {
  return /^\$\{[^{}]*\}$/.test(value);
}

/** A name, or a text with names as `${NAME}` in it. */
function envProblem(value: string): InputProblem | undefined {
  const references = [...value.matchAll(/\$\{([^}]*)\}/g)].map(([, name]) => name ?? '');
  const names = references.length > 0 ? references : [value];
  return names.every((name) => /^[A-Za-z_][\w.-]*$/.test(name)) ? undefined : 'env_name';
}

/** Where Google's pages have the id. */
const IN_ADDRESS = /\/d\/[\w-]+|\/folders\/[\w-]+|[?&]id=[\w-]+/;

function idProblem(value: string): InputProblem | undefined {
  if (/^https?:\/\//.test(value)) {
    const isGoogles = /^https:\/\/(?:drive|docs)\.google\.com\//.test(value);
    return isGoogles && IN_ADDRESS.test(value) ? undefined : 'drive_address';
  }
  if (value.trim() === '') return 'id_blank';
  // With a slash at its beginning it is a path.
  return !value.startsWith('/') && value.includes('/') ? 'id_slash' : undefined;
}

/** A key below `validation`, and what is filled in. */
export type PatternProblem = ['regex', { reason: string }] | ['glob_range', Record<string, never>];

/** @param match how search-files compares names */
export function patternProblem(match: string, pattern: string): PatternProblem | undefined {
  if (match === 'regex') return regexProblem(pattern);
  return match === 'glob' && hasBackwardRange(pattern) ? ['glob_range', {}] : undefined;
}

/** In a set, `z-a` is nothing; a `[` without its `]` is itself, and right after the `[` a `]` is one of the set. */
function hasBackwardRange(glob: string): boolean {
  const sets = glob.match(/\[[!^]?\]?[^\]]*\]/gu) ?? [];
  return sets.some((set) => {
    const members = set.replace(/^\[[!^]?/, '').slice(0, -1);
    return regexProblem(`[${members.replace(/[\\\]^[]/g, '\\$&')}]`) !== undefined;
  });
}

function regexProblem(source: string): PatternProblem | undefined {
  try {
    new RegExp(source, 'u');
    return undefined;
  } catch (error) {
    const said = error instanceof Error ? error.message : '';
    return ['regex', { reason: said.slice(said.lastIndexOf(': ') + 1).trim() }];
  }
}

export type ListProblem = 'fields_parentheses' | 'fields_shape';

/** A comma list of fields, which may have fields of their own: `id,owners(displayName)`. */
export function fieldsProblem(fields: string): ListProblem | undefined {
  let depth = 0;
  for (const char of fields) {
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (depth < 0) return 'fields_parentheses';
  }
  if (depth > 0) return 'fields_parentheses';
  return /^[\w\s,()/*-]*$/.test(fields) ? undefined : 'fields_shape';
}

/** `folder,modifiedTime desc`. */
export function isOrder(order: string): boolean {
  return order.trim() === '' || order.split(',').every((key) => /^\s*\w+(?:\s+desc)?\s*$/.test(key));
}

/** RFC 9110 8.3.1: `text/plain; charset=utf-8`. */
export function isMediaType(type: string): boolean {
  return type.trim() === '' || /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(?:;.*)?$/.test(type.trim());
}

/** As {@link isMediaType}, or the beginning of one with a `*` after it. */
export function isMediaTypePattern(type: string): boolean {
  return isMediaType(type) || /^[\w!#$&^.+-]*\/?[\w!#$&^.+-]*\*$/.test(type.trim());
}

/** IANA's name of a time zone, as far as this machine knows them; `''` is the server's. */
export function isTimeZone(name: string): boolean {
  if (name.trim() === '') return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name.trim() });
    return true;
  } catch {
    return false;
  }
}

export type MetadataProblem = 'metadata' | 'metadata_own';

/** The members of a file that the upload node sets from its own fields. */
const OWN = ['id', 'name', 'parents', 'mimeType'];

/** JSON of an object; `''` is none. */
export function metadataProblem(json: string): MetadataProblem | undefined {
  if (json === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return 'metadata';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'metadata';
  return OWN.some((name) => name in value) ? 'metadata_own' : undefined;
}
