/** Validates the editor's requests to browse a drive. */
import { invalidRequest } from '../../shared/admin/admin-guard';
import type { List } from '../../shared/contract/browse-api';
import { parseCursor } from './browse-page';

export interface ListRequest {
  /** Folder id, `''` for the root. */
  folder: string;
  /** Instead of a folder, `''` for none. */
  list: '' | List;
  /** Part of a name; if given, the list, the shared drive or the whole drive is searched. */
  text: string;
  /** Id of the shared drive to search, `''` for the account's drive. */
  drive: string;
  kind: 'folders' | 'any';
  page: string;
}

export interface DrivesRequest {
  /** Part of a name, `''` for all. */
  text: string;
  /** Page token, `''` for the first page. */
  page: string;
}

export interface FolderRequest {
  name: string;
  /** Folder id, `''` for the root. */
  parent: string;
}

/** The settings in the dialog of a node. */
export interface TestRequest {
  /** The node's properties; missing ones have their defaults. */
  settings: Readonly<Record<string, string | number | boolean>>;
  /** Values for properties that are read from a message, a context store or the environment. */
  examples: Readonly<Record<string, string>>;
}

const MAX_LENGTH = 4_096;

/** Each function throws `invalid_input` naming the property. */
export const browseRequest = {
  list(query: unknown): ListRequest {
    const given = object(query);
    const page = text(given, 'page');
    if (parseCursor(page) === undefined) throw invalidRequest('page');
    const kind = oneOf(given, 'kind', ['any', 'folders']);
    const list = oneOf(given, 'list', ['', 'sharedWithMe', 'starred']);
    const [folder, drive] = [text(given, 'folder'), text(given, 'drive')];
    return { folder, list, text: text(given, 'text'), drive, kind, page };
  },

  drives(query: unknown): DrivesRequest {
    const given = object(query);
    return { text: text(given, 'text').trim(), page: text(given, 'page') };
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
    const example = object(examples, 'examples');
    return {
      settings: Object.fromEntries(Object.entries(given).map(([name, value]) => [name, plain(name, value)])),
      examples: Object.fromEntries(Object.keys(example).map((name) => [name, text(example, name)])),
    };
  },
};

type Given = Readonly<Record<string, unknown>>;

function object(value: unknown, name = 'body'): Given {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidRequest(name);
  return value as Given;
}

function plain(name: string, value: unknown): string | number | boolean {
  if (typeof value === 'string' && value.length <= MAX_LENGTH) return value;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  throw invalidRequest(name);
}

function text(given: Given, name: string): string {
  const value = given[name] ?? '';
  if (typeof value !== 'string' || value.length > MAX_LENGTH) throw invalidRequest(name);
  return value;
}

/** The first is the default. */
function oneOf<T extends string>(given: Given, name: string, values: readonly [T, ...T[]]): T {
  const value = given[name] ?? values[0];
  const found = values.find((each) => each === value);
  if (found === undefined) throw invalidRequest(name);
  return found;
}
