/** The search of a search-files node, for its messages and for the search test in its dialog. */
import { types } from 'node:util';
import { type SearchRequest, requireCapability } from '../../src/index';
import { NAME_MATCHES } from '../shared/contract/defaults';
import { isBalancedQuery, isMimeTypePattern } from '../shared/contract/values';
import { parseTime } from '../shared/contract/parse-time';
import type { Inputs } from '../shared/runtime/inputs';
import { type ListSettings, readListSettings } from '../shared/runtime/list-output';
import type { RunContext } from '../shared/runtime/run-context';
import { summarizePublicValue } from '../shared/runtime/value-summary';
import { DEFAULTS, type SearchFilesConfig } from './search-files.defaults';

type SearchInput = Pick<RunContext<SearchFilesConfig>, 'client' | 'config' | 'inputs' | 'msg'>;

/** @throws `invalid_input` before anything is requested */
export async function readSearch(
  input: SearchInput,
): Promise<{ request: SearchRequest; settings: ListSettings }> {
  const { inputs } = input;
  const settings = readListSettings(input, (await readNumber(inputs, 'limit', 'whole')) ?? 0);
  const match = inputs.oneOf('match', NAME_MATCHES);
  const kind = inputs.oneOf('kind', ['files', 'folders', 'any']);
  const filters = await readFilters(inputs, Date.now());
  const googleOnly = readGoogleCriteria(input);
  const { folder, text } = await readFolderAndText(input);
  const isBounded = googleOnly.where !== undefined || googleOnly.query !== undefined;
  // A property that is empty by mistake must never list a whole drive.
  if (folder === '' && text === '' && !isBounded && !(inputs.isString('folder') && inputs.isString('text'))) {
    throw inputs.invalid('invalid_input_everything', 'text', text);
  }
  const { fields, orderBy, limit } = settings;
  const request: SearchRequest = {
    ...filters,
    ...googleOnly,
    folderId: folder || undefined,
    limit: limit || undefined,
    text,
    textProperty: 'text',
    match,
    caseSensitive: inputs.flag('caseSensitive'),
    kind,
    includeTrashed: inputs.flag('includeTrashed'),
    fields,
    orderBy,
  };
  return { request, settings };
}

/** @throws `invalid_input` at a custom service */
function readGoogleCriteria({ client, inputs }: SearchInput): Pick<SearchRequest, 'where' | 'query'> {
  const where = inputs.oneOf('where', ['folder', 'sharedWithMe', 'starred']);
  const query = inputs.settingText('query');
  if (query !== '' && !isBalancedQuery(query))
    throw inputs.invalid('invalid_input_query', 'query', query, { query });
  const setting = where !== 'folder' ? 'where' : query !== '' ? 'query' : undefined;
  if (setting !== undefined) requireCapability(client.service, 'queries', setting);
  return { where: where === 'folder' ? undefined : where, query: query || undefined };
}

type Filters = Pick<
  SearchRequest,
  'modifiedAfter' | 'modifiedBefore' | 'minSize' | 'maxSize' | 'mimeType' | 'recursive' | 'maxDepth' | 'sort'
>;

/** @param now ms since 1970 */
async function readFilters(inputs: Inputs, now: number): Promise<Filters> {
  const sort = inputs.oneOf('sort', ['', 'newest', 'oldest', 'name', 'largest']);
  return {
    modifiedAfter: await readTime(inputs, 'modifiedAfter', now),
    modifiedBefore: await readTime(inputs, 'modifiedBefore', now),
    minSize: await readNumber(inputs, 'minSize'),
    maxSize: await readNumber(inputs, 'maxSize'),
    mimeType: await readMimeType(inputs),
    recursive: inputs.flag('recursive'),
    maxDepth: inputs.wholeNumber('maxDepth'),
    sort: sort || undefined,
  };
}

/** A text as {@link parseTime} reads it, a Date, or ms since 1970. @returns undefined for an empty text */
async function readTime(inputs: Inputs, property: string, now: number): Promise<number | undefined> {
  const value = await inputs.value(property);
  if (typeof value === 'string' && value.trim() === '') return undefined;
  const time =
    typeof value === 'string'
      ? parseTime(value.trim(), now)
      : typeof value === 'number' || types.isDate(value)
        ? Number(value)
        : undefined;
  if (time !== undefined && !Number.isNaN(new Date(time).getTime())) return time;
  throw inputs.invalid('invalid_input_time', property, value, { came: summarizePublicValue(value) });
}

/** @returns undefined for an empty text */
async function readNumber(inputs: Inputs, property: string, kind?: 'whole'): Promise<number | undefined> {
  const value = await inputs.value(property);
  if (typeof value === 'string' && value.trim() === '') return undefined;
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : NaN;
  const isAllowed = kind === 'whole' ? Number.isInteger(number) : Number.isFinite(number);
  if (isAllowed && number >= 0) return number;
  throw inputs.invalid(kind === 'whole' ? 'invalid_input_whole' : 'invalid_input_count', property, value, {
    came: summarizePublicValue(value),
  });
}

async function readMimeType(inputs: Inputs): Promise<string> {
  const value = await inputs.value('mimeType');
  if (typeof value === 'string' && isMimeTypePattern(value)) return value.trim();
  const came = summarizePublicValue(value);
  throw inputs.invalid('invalid_input_mime_type_pattern', 'mimeType', value, { came });
}

/** By default, a payload that is a string or number is the text, and a payload that is a folder is the folder. */
async function readFolderAndText({
  config,
  inputs,
  msg,
}: SearchInput): Promise<{ folder: string; text: string }> {
  const { payload } = msg;
  const isText = typeof payload === 'string' || typeof payload === 'number';
  const textIsPayload = isText && inputs.readsMessagePath('text', DEFAULTS.text);
  const hasDefaultFolder = inputs.readsMessagePath('folder', DEFAULTS.folder);
  if (config.where !== 'folder')
    return { folder: '', text: inputs.asText('text', textIsPayload ? payload : await inputs.value('text')) };
  return {
    text: textIsPayload ? inputs.asText('text', payload) : await inputs.text('text'),
    folder:
      textIsPayload && hasDefaultFolder
        ? ''
        : await readSearchFolder(inputs, hasDefaultFolder ? payload : undefined),
  };
}

async function readSearchFolder(inputs: Inputs, payload: unknown): Promise<string> {
  const folder = folderInPayload(payload);
  return folder ? inputs.id('folder', 'folder', folder.value, folder.source) : inputs.folder('folder');
}

/** An array of exactly one counts as that one. */
function folderInPayload(payload: unknown): { value: unknown; source: string } | undefined {
  const isList = Array.isArray(payload) && payload.length === 1;
  const item: unknown = isList ? payload[0] : payload;
  const source = isList ? 'msg.payload[0]' : 'msg.payload';
  if (typeof item !== 'object' || item === null) return undefined;
  if ('folderId' in item) return { value: item.folderId, source: `${source}.folderId` };
  return 'id' in item ? { value: item, source } : undefined;
}
