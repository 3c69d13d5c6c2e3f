/** The search of a search-files node, for its messages and for the search test in its dialog. */
import type { SearchRequest } from '../../../src/index';
import { NAME_MATCHES } from '../contract/choices';
import { parseTime } from '../contract/parse-time';
import { SEARCH_DEFAULTS, type SearchFilesConfig } from '../contract/search-defaults';
import type { Inputs } from './inputs';
import { type ListSettings, readListSettings } from './list-output';
import type { RunContext } from './run-context';

type SearchInput = Pick<RunContext<SearchFilesConfig>, 'config' | 'inputs' | 'msg'>;

/** @throws `invalid_input` before anything is requested */
export async function readSearch(
  input: SearchInput,
): Promise<{ request: SearchRequest; settings: ListSettings }> {
  const { config, inputs } = input;
  const settings = readListSettings(input);
  const match = inputs.oneOf('match', NAME_MATCHES);
  const kind = inputs.oneOf('kind', ['files', 'folders', 'any']);
  const filters = readFilters(config, inputs, Date.now());
  const { folder, text } = await readFolderAndText(input);
  // A property that is empty by mistake must never list a whole drive.
  if (folder === '' && text === '' && !(inputs.isString('folder') && inputs.isString('text'))) {
    throw inputs.invalid('invalid_input_everything', 'text', text);
  }
  const { fields, orderBy, limit } = settings;
  const request: SearchRequest = {
    ...filters,
    folderId: folder || undefined,
    limit: limit || undefined,
    text,
    match,
    caseSensitive: config.caseSensitive === true,
    kind,
    includeTrashed: config.includeTrashed === true,
    fields,
    orderBy,
  };
  return { request, settings };
}

type Filters = Pick<
  SearchRequest,
  'modifiedAfter' | 'modifiedBefore' | 'minSize' | 'maxSize' | 'mimeType' | 'recursive' | 'maxDepth' | 'sort'
>;

/** @param now ms since 1970 */
function readFilters(config: SearchFilesConfig, inputs: Inputs, now: number): Filters {
  const time = (property: 'modifiedAfter' | 'modifiedBefore'): number | undefined => {
    const text = String(config[property]).trim();
    if (text === '') return undefined;
    const parsed = parseTime(text, now);
    if (parsed === undefined) throw inputs.invalid('invalid_input_time', property, text);
    return parsed;
  };
  const bytes = (property: 'minSize' | 'maxSize'): number | undefined =>
    String(config[property]).trim() === '' ? undefined : inputs.nonNegative(property);
  const sort = inputs.oneOf('sort', ['', 'newest', 'oldest', 'name', 'largest']);
  return {
    modifiedAfter: time('modifiedAfter'),
    modifiedBefore: time('modifiedBefore'),
    minSize: bytes('minSize'),
    maxSize: bytes('maxSize'),
    mimeType: String(config.mimeType).trim(),
    recursive: config.recursive === true,
    // Rounded up, because 0 would mean no limit.
    maxDepth: Math.ceil(inputs.nonNegative('maxDepth')),
    sort: sort || undefined,
  };
}

/** With the default sources, a payload that is a string or number is the text, and a payload that is a folder the folder. */
async function readFolderAndText({ inputs, msg }: SearchInput): Promise<{ folder: string; text: string }> {
  const { payload } = msg;
  const isText = typeof payload === 'string' || typeof payload === 'number';
  const textIsPayload = isText && inputs.readsMessagePath('text', SEARCH_DEFAULTS.text);
  const hasDefaultFolder = inputs.readsMessagePath('folder', SEARCH_DEFAULTS.folder);
  return {
    text: textIsPayload ? inputs.asText('text', payload) : await inputs.text('text'),
    folder:
      textIsPayload && hasDefaultFolder
        ? ''
        : await readFolder(inputs, hasDefaultFolder ? payload : undefined),
  };
}

async function readFolder(inputs: Inputs, payload: unknown): Promise<string> {
  const folder = folderInPayload(payload);
  return folder === undefined ? inputs.folder('folder') : inputs.id('folder', 'folder', folder);
}

/** An array of exactly one counts as that one. */
function folderInPayload(payload: unknown): unknown {
  const item: unknown = Array.isArray(payload) && payload.length === 1 ? payload[0] : payload;
  if (typeof item !== 'object' || item === null) return undefined;
  if ('folderId' in item) return item.folderId;
  return 'id' in item ? item : undefined;
}
