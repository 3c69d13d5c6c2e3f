import type { Request, Response } from 'express';
import { driveNotFound, insufficientScopes, invalidValue } from '../http/api-error';
import { integerParameter, queryOf } from '../http/query-parameters';
import { contextOf } from '../http/request-context';
import { type Predicate, compileQuery } from '../search/compile-query';
import { type Query, parseQuery } from '../search/parser';
import { QueryError } from '../search/tokenizer';
import { applyRequestedMask, requestedMask, type DriveBackend } from './backend';
import { DRIVE, DRIVE_LIST } from './schemas';
import { driveResource } from './shared-drives';

/**
 * drives.list: the user's shared drives, page by page. `q` compares names.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/drives/list
 */
export function listDrives(drive: DriveBackend, request: Request, response: Response): void {
  checkScope(request);
  const query = queryOf(request);
  const size = integerParameter(query, 'pageSize', { min: 1, max: 100, fallback: 10 });
  const token = query.get('pageToken');
  const start = Number(token ?? 0);
  if (token !== null && !/^\d{1,9}$/.test(token)) throw invalidValue('pageToken');
  const drives = drive.store.sharedDrives().filter(filterOf(drive, query.get('q') ?? ''));
  const list = {
    kind: 'drive#driveList',
    ...(drives.length > start + size && { nextPageToken: String(start + size) }),
    drives: drives.slice(start, start + size).map(driveResource),
  };
  response.json(applyRequestedMask(list, requestedMask(request, DRIVE_LIST, '*')));
}

/** drives.get. */
export function getDrive({ store }: DriveBackend, request: Request, response: Response): void {
  checkScope(request);
  const id = String(request.params.driveId);
  const drive = store.sharedDrives().find((each) => each.id === id);
  if (!drive) throw driveNotFound(id);
  response.json(applyRequestedMask(driveResource(drive), requestedMask(request, DRIVE, 'kind,id,name')));
}

/** 403 for `drive.file`: these methods require access to the entire drive. */
function checkScope(request: Request): void {
  if (!contextOf(request).grantsSharedDrives) throw insufficientScopes();
}

/** https://developers.google.com/workspace/drive/api/guides/ref-search-terms#drive_properties */
function filterOf(drive: DriveBackend, q: string): Predicate {
  if (q.trim() === '') return () => true;
  try {
    const query = parseQuery(q);
    if (comparesOnlyNames(query)) return compileQuery(query, drive);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
  }
  throw invalidValue('q');
}

function comparesOnlyNames(query: Query): boolean {
  if (query.type === 'not') return comparesOnlyNames(query.inner);
  if (query.type === 'and' || query.type === 'or')
    return comparesOnlyNames(query.left) && comparesOnlyNames(query.right);
  return query.type === 'text' && query.field === 'name';
}
