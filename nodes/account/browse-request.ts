/** What the editor sends to look at a drive, checked. */
import { DriveError } from '../../src/index';
import { parseCursor } from './browse-page';

export interface ListRequest {
  /** Folder id, `''` for the root. */
  folder: string;
  /** Part of a name: then the whole drive is searched. */
  text: string;
  kind: 'folders' | 'any';
  page: string;
}

export interface FolderRequest {
  name: string;
  /** Folder id, `''` for the root. */
  parent: string;
}

export interface SampleRequest {
  /** Folder, `''` for everywhere. */
  folder: string;
  text: string;
  kind: 'files' | 'folders' | 'any';
  includeTrashed: boolean;
  orderBy: string;
}

const LONGEST = 4_096;

/** Each throws `invalid_input` naming the property. */
export const browseRequest = {
  list(query: unknown): ListRequest {
    const given = object(query);
    const page = text(given, 'page');
    if (parseCursor(page) === undefined) throw invalid('page');
    const kind = oneOf(given, 'kind', ['any', 'folders']);
    return { folder: text(given, 'folder'), text: text(given, 'text'), kind, page };
  },

  folder(body: unknown): FolderRequest {
    const given = object(body);
    const name = text(given, 'name').trim();
    if (name === '' || name.includes('/')) throw invalid('name');
    return { name, parent: text(given, 'parent') };
  },

  sample(body: unknown): SampleRequest {
    const given = object(body);
    const { includeTrashed = false } = given;
    if (typeof includeTrashed !== 'boolean') throw invalid('includeTrashed');
    // The runtime has no other way to compare yet, and must not show what it would not find.
    oneOf(given, 'match', ['contains']);
    return {
      folder: text(given, 'folder'),
      text: text(given, 'text'),
      kind: oneOf(given, 'kind', ['files', 'folders', 'any']),
      includeTrashed,
      orderBy: text(given, 'orderBy').trim(),
    };
  },
};

type Given = Readonly<Record<string, unknown>>;

function object(value: unknown): Given {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('body');
  return value as Given;
}

function text(given: Given, name: string): string {
  const value = given[name] ?? '';
  if (typeof value !== 'string' || value.length > LONGEST) throw invalid(name);
  return value;
}

/** The first is the default. */
function oneOf<T extends string>(given: Given, name: string, values: readonly [T, ...T[]]): T {
  const value = given[name] ?? values[0];
  const found = values.find((each) => each === value);
  if (found === undefined) throw invalid(name);
  return found;
}

function invalid(property: string): DriveError {
  return new DriveError('invalid_input', { text: 'invalid_input_request', params: { property } });
}
