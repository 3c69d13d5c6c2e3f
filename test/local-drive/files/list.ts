/** Lists and searches. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list */
import type { Request, Response } from 'express';
import { invalidParameter, invalidValue } from '../service/api-error';
import { exchangeOf } from '../service/exchange';
import { integerParameter, queryOf } from '../service/parameters';
import type { FileRecord } from '../metadata/file-record';
import { compile, parentIn } from '../search/evaluate';
import { Order } from '../search/order';
import { readPageToken, writePageToken } from '../search/page-token';
import { parseQuery, type Query } from '../search/parser';
import { QueryError } from '../search/tokens';
import { masked, requestedMask, type DriveContext } from './drive';
import { maskOf } from './field-mask';
import { toResources } from './resource';
import { FILE_LIST } from './schemas';
import { corpusOf, isOf, type Corpus } from './shared-drives';
import { checkSpaces, spaceOf } from './spaces';

const DEFAULTS = 'kind,nextPageToken,incompleteSearch,files(kind,id,name,mimeType)';

/**
 * GET /drive/v3/files: search, order, pages.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list
 */
export async function list(drive: DriveContext, request: Request, response: Response): Promise<void> {
  const query = queryOf(request);
  const { effects } = exchangeOf(request);
  const mask = requestedMask(request, FILE_LIST, DEFAULTS);
  const spaces = checkCorpora(query);
  checkSpaces(request, spaces);
  const corpus = corpusOf(drive.store, request);
  const pageSize = integerParameter(query, 'pageSize', { min: 1, max: 1000, fallback: drive.pageSize });
  const size = Math.min(pageSize, effects.pageLimit ?? pageSize);
  const order = Order.parse(query.get('orderBy') ?? '');
  const search = [query.get('q'), query.get('orderBy'), JSON.stringify(corpus)].join('\n');
  const token = query.get('pageToken');
  const place = token === null ? undefined : readPageToken(search, order, token);

  const wanted = { search: `${search}\n${spaces.join()}`, revision: drive.store.nextChange, order };
  const found = drive.results.after(place, size + 1, wanted, () =>
    find(drive, query.get('q') ?? '', { spaces, corpus }),
  );
  const page = found.slice(0, size);
  const next = page.at(-1)?.place ?? place;
  const answer = {
    kind: 'drive#fileList',
    nextPageToken: found.length > size ? writePageToken(search, next) : undefined,
    incompleteSearch: effects.incompleteSearch ?? false,
    files: await toResources(
      drive,
      page.map(({ record }) => record),
      maskOf(mask, 'files') ?? new Map(),
    ),
  };
  response.json(masked(answer, mask));
}

/** What matches, unsorted. */
function* find(
  drive: DriveContext,
  text: string,
  { spaces, corpus }: { spaces: string[]; corpus: Corpus },
): Generator<FileRecord> {
  const { store } = drive;
  const query = text.trim() === '' ? undefined : parse(text);
  const test = query && compile(query, drive);
  const parent = query && parentIn(query);
  const folder = parent === undefined ? undefined : store.get(parent);
  const candidates = folder ? store.childrenOf(folder.id) : store.all();
  for (const record of candidates) {
    if (store.isTop(record.id) || !spaces.includes(spaceOf(store, record))) continue;
    if (!isOf(corpus, store.driveOf(record))) continue;
    if (!test || test(record)) yield record;
  }
}

function parse(text: string): Query {
  try {
    return parseQuery(text);
  } catch (error) {
    throw error instanceof QueryError ? invalidValue('q') : error;
  }
}

/** The corpora as such: which of them is meant, `corpusOf` says. Returns the spaces. */
function checkCorpora(query: URLSearchParams): string[] {
  const corpora = query.get('corpora') ?? 'user';
  if (!['user', 'domain', 'drive', 'allDrives'].includes(corpora)) throw invalidValue('corpora');
  const drive = query.get('driveId');
  if (corpora === 'drive' && drive === null) {
    throw invalidParameter('driveId', 'The driveId parameter must be specified if corpora is drive.');
  }
  if (drive !== null && corpora !== 'drive') {
    throw invalidParameter('corpora', 'The driveId parameter must not be specified unless corpora is drive.');
  }
  const spaces = (query.get('spaces') ?? 'drive').split(',');
  if (!spaces.every((each) => ['drive', 'appDataFolder', 'photos'].includes(each)))
    throw invalidValue('spaces');
  return spaces;
}
