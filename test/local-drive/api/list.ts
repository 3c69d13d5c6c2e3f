import type { Request, Response } from 'express';
import { invalidParameter, invalidValue } from '../http/api-error';
import { contextOf } from '../http/request-context';
import { integerParameter, queryOf } from '../http/query-parameters';
import type { FileRecord } from '../storage/file-record';
import { compileQuery, requiredParent } from '../search/compile-query';
import { Order } from '../search/order';
import { decodePageToken, encodePageToken } from '../search/page-token';
import { parseQuery, type Query } from '../search/parser';
import { QueryError } from '../search/tokenizer';
import { applyRequestedMask, requestedMask, type DriveBackend } from './backend';
import { submask } from './field-mask';
import { toResources } from './resource';
import { FILE_LIST } from './schemas';
import { corpusOf, isInCorpus, type Corpus } from './shared-drives';
import { checkGrantedSpaces, spaceOf } from './spaces';

const DEFAULTS = 'kind,nextPageToken,incompleteSearch,files(kind,id,name,mimeType)';

/**
 * files.list: search, order, pages.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list
 */
export async function listFiles(drive: DriveBackend, request: Request, response: Response): Promise<void> {
  const query = queryOf(request);
  const { effects } = contextOf(request);
  const mask = requestedMask(request, FILE_LIST, DEFAULTS);
  const spaces = readListSpaces(query);
  checkGrantedSpaces(request, spaces);
  const corpus = corpusOf(drive.store, request);
  const pageSize = integerParameter(query, 'pageSize', { min: 1, max: 1000, fallback: drive.pageSize });
  const size = Math.min(pageSize, effects.pageLimit ?? pageSize);
  const order = Order.parse(query.get('orderBy') ?? '');
  const search = [query.get('q'), query.get('orderBy'), JSON.stringify(corpus)].join('\n');
  const token = query.get('pageToken');
  const after = token === null ? undefined : decodePageToken(search, order, token);

  const lookup = { search: `${search}\n${spaces.join()}`, revision: drive.store.nextChange, order };
  const found = drive.searchCache.page(after, size + 1, lookup, () =>
    findMatches(drive, query.get('q') ?? '', { spaces, corpus }),
  );
  const page = found.slice(0, size);
  const next = page.at(-1)?.sortKey ?? after;
  const { lateBy, editPage } = effects;
  const isListed = ({ createdTime }: FileRecord): boolean =>
    lateBy === undefined || createdTime <= drive.clock.now() - lateBy;
  const result = {
    kind: 'drive#fileList',
    nextPageToken: found.length > size ? encodePageToken(search, next) : undefined,
    incompleteSearch: effects.incompleteSearch ?? false,
    files: await toResources(
      drive,
      page.map(({ record }) => record).filter(isListed),
      submask(mask, 'files') ?? new Map(),
    ),
  };
  const sent = applyRequestedMask(result, mask) as { files?: Record<string, unknown>[] };
  response.json(editPage ? { ...sent, files: editPage(sent.files ?? []) } : sent);
}

/** All matching files, unsorted. */
function* findMatches(
  drive: DriveBackend,
  text: string,
  { spaces, corpus }: { spaces: string[]; corpus: Corpus },
): Generator<FileRecord> {
  const { store } = drive;
  const query = text.trim() === '' ? undefined : parseSearch(text);
  const test = query && compileQuery(query, drive);
  const parent = query && requiredParent(query);
  const folder = parent === undefined ? undefined : store.get(parent);
  const candidates = folder ? store.childrenOf(folder.id) : store.all();
  for (const record of candidates) {
    if (store.isTopFolder(record.id) || !spaces.includes(spaceOf(store, record))) continue;
    if (!isInCorpus(corpus, store.driveIdOf(record))) continue;
    if (!test || test(record)) yield record;
  }
}

function parseSearch(text: string): Query {
  try {
    return parseQuery(text);
  } catch (error) {
    throw error instanceof QueryError ? invalidValue('q') : error;
  }
}

/** Checks `corpora`, `driveId` and `spaces` against each other. @returns the requested spaces */
function readListSpaces(query: URLSearchParams): string[] {
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
