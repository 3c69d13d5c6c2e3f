/** What the editor sends to look at a drive, checked. */
import { invalidRequest } from '../admin/admin-request';
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

/** What is set in the dialog of search-files. */
export interface TestRequest {
  /** The node's properties; those that are missing have their defaults. */
  settings: Readonly<Record<string, string | number | boolean>>;
  /** In place of what only a message, the context or the environment brings. */
  examples: { folder: string; text: string };
}

const LONGEST = 4_096;

/** Each throws `invalid_input` naming the property. */
export const browseRequest = {
  list(query: unknown): ListRequest {
    const given = object(query);
    const page = text(given, 'page');
    if (parseCursor(page) === undefined) throw invalidRequest('page');
    const kind = oneOf(given, 'kind', ['any', 'folders']);
    return { folder: text(given, 'folder'), text: text(given, 'text'), kind, page };
  },

  folder(body: unknown): FolderRequest {
    const given = object(body);
    const name = text(given, 'name').trim();
    if (name === '' || name.includes('/')) throw invalidRequest('name');
    return { name, parent: text(given, 'parent') };
  },

  test(body: unknown): TestRequest {
    const { settings, examples = {} } = object(body);
    const given = object(settings, 'settings');
    const entries = Object.entries(given).map(([name, value]) => [name, plain(name, value)] as const);
    const example = object(examples, 'examples');
    return {
      settings: Object.fromEntries(entries),
      examples: { folder: text(example, 'folder'), text: text(example, 'text') },
    };
  },
};

type Given = Readonly<Record<string, unknown>>;

function object(value: unknown, name = 'body'): Given {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidRequest(name);
  return value as Given;
}

function plain(name: string, value: unknown): string | number | boolean {
  if (typeof value === 'string' && value.length <= LONGEST) return value;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  throw invalidRequest(name);
}

function text(given: Given, name: string): string {
  const value = given[name] ?? '';
  if (typeof value !== 'string' || value.length > LONGEST) throw invalidRequest(name);
  return value;
}

/** The first is the default. */
function oneOf<T extends string>(given: Given, name: string, values: readonly [T, ...T[]]): T {
  const value = given[name] ?? values[0];
  const found = values.find((each) => each === value);
  if (found === undefined) throw invalidRequest(name);
  return found;
}
