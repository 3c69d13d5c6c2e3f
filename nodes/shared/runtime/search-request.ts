/** What search files looks for: for a message, and for a test of what is set in its dialog. */
import type { SearchRequest } from '../../../src/index';
import type { SearchFilesConfig } from './search-files-config';
import type { RunContext } from './run-context';
import { LIST_DEFAULTS, type ListSettings, readListSettings } from './list-output';
import { conditions } from './search-conditions';

export const SEARCH_DEFAULTS: SearchFilesConfig = {
  folder: 'payload.folderId',
  folderType: 'msg',
  text: 'payload.text',
  textType: 'msg',
  match: 'contains',
  caseSensitive: false,
  kind: 'files',
  includeTrashed: false,
  recursive: false,
  maxDepth: 0,
  modifiedAfter: '',
  modifiedBefore: '',
  minSize: '',
  maxSize: '',
  mimeType: '',
  sort: '',
  ...LIST_DEFAULTS,
};

type SearchInput = Pick<RunContext<SearchFilesConfig>, 'config' | 'inputs' | 'msg'>;

/** @throws `invalid_input` naming what can't be used */
export async function readSearch(
  given: SearchInput,
): Promise<{ wanted: SearchRequest; settings: ListSettings }> {
  const { config, inputs } = given;
  const settings = readListSettings(given);
  const match = inputs.oneOf('match', ['contains', 'anywhere', 'exact', 'glob', 'regex']);
  const kind = inputs.oneOf('kind', ['files', 'folders', 'any']);
  const more = conditions(config, inputs, Date.now());
  const { folder, text } = await folderAndText(given);
  // A property that is empty by mistake must never list a whole drive.
  if (folder === '' && text === '' && !(inputs.isString('folder') && inputs.isString('text'))) {
    throw inputs.invalid('invalid_input_everything', 'text', text);
  }
  const { fields, orderBy, limit } = settings;
  const wanted = {
    ...more,
    ...(folder ? { folderId: folder } : {}),
    ...(limit > 0 ? { most: limit } : {}),
    text,
    match,
    caseSensitive: config.caseSensitive === true,
    kind,
    includeTrashed: config.includeTrashed === true,
    fields,
    orderBy,
  };
  return { wanted, settings };
}

/** Short forms: a text or number as `msg.payload` is the text, a folder object is the folder. */
async function folderAndText({ inputs, msg }: SearchInput): Promise<{ folder: string; text: string }> {
  const { payload } = msg;
  const isText = typeof payload === 'string' || typeof payload === 'number';
  const textIsPayload = isText && inputs.readsMessagePath('text', SEARCH_DEFAULTS.text);
  const readsFolder = inputs.readsMessagePath('folder', SEARCH_DEFAULTS.folder);
  return {
    text: textIsPayload ? inputs.asText('text', payload) : await inputs.text('text'),
    folder: textIsPayload && readsFolder ? '' : await folderOf(inputs, readsFolder ? payload : undefined),
  };
}

async function folderOf(inputs: SearchInput['inputs'], payload: unknown): Promise<string> {
  const folder = folderIn(payload);
  return folder === undefined ? inputs.folder('folder') : inputs.id('folder', 'folder', folder);
}

/** What a payload says of the folder, which may be the payload itself; an array of one counts as the one. */
function folderIn(payload: unknown): unknown {
  const only: unknown = Array.isArray(payload) && payload.length === 1 ? payload[0] : payload;
  if (typeof only !== 'object' || only === null) return undefined;
  if ('folderId' in only) return only.folderId;
  return 'id' in only ? only : undefined;
}
