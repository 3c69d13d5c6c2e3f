import type { Request, Response } from 'express';
import { driveNotFound, invalidValue } from '../service/api-error';
import { exchangeOf } from '../service/exchange';
import { booleanParameter, integerParameter, queryOf } from '../service/parameters';
import { masked, requestedMask, type DriveContext } from './drive';
import { maskOf, type Mask } from './field-mask';
import { time, toResource } from './resource';
import { CHANGE_LIST, START_PAGE_TOKEN } from './schemas';
import { checkSpaces, spaceOf } from './spaces';

const DEFAULTS =
  'kind,nextPageToken,newStartPageToken,' +
  'changes(kind,type,changeType,time,removed,fileId,file(kind,id,name,mimeType))';

/** GET /drive/v3/changes/startPageToken: where the feed stands now. */
export function startPageToken(drive: DriveContext, request: Request, response: Response): void {
  const mask = requestedMask(request, START_PAGE_TOKEN, '*');
  checkScope(queryOf(request));
  const answer = { kind: 'drive#startPageToken', startPageToken: String(drive.store.nextChange) };
  response.json(masked(answer, mask));
}

/**
 * GET /drive/v3/changes: each file that changed since a token, once, at its latest change.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/changes/list
 */
export async function listChanges(drive: DriveContext, request: Request, response: Response): Promise<void> {
  const { store } = drive;
  const query = queryOf(request);
  const mask = requestedMask(request, CHANGE_LIST, DEFAULTS);
  const spaces = checkScope(query);
  const pageSize = integerParameter(query, 'pageSize', { min: 1, max: 1000, fallback: drive.pageSize });
  const size = Math.min(pageSize, exchangeOf(request).effects.pageLimit ?? pageSize);
  const from = readToken(query.get('pageToken'), store.nextChange);
  const entries = store.changes.from(from, size + 1);
  const next = entries[size];
  const withRemoved = booleanParameter(query, 'includeRemoved', true);
  const changeMask = maskOf(mask, 'changes') ?? new Map<string, Mask>();
  const changes: object[] = [];
  checkSpaces(request, spaces);
  for (const { id } of entries.slice(0, size)) {
    const record = store.get(id);
    if (record ? spaces.includes(spaceOf(store, record)) : withRemoved)
      changes.push(await toChange(drive, id, changeMask));
  }
  const answer = {
    kind: 'drive#changeList',
    ...(next ? { nextPageToken: String(next.change) } : { newStartPageToken: String(store.nextChange) }),
    changes,
  };
  response.json(masked(answer, mask));
}

/** My Drive is all there is: a shared drive is unknown. Returns the spaces. */
function checkScope(query: URLSearchParams): string[] {
  for (const each of [
    'supportsAllDrives',
    'includeItemsFromAllDrives',
    'includeCorpusRemovals',
    'restrictToMyDrive',
  ]) {
    booleanParameter(query, each);
  }
  const drive = query.get('driveId');
  if (drive !== null) throw driveNotFound(drive);
  const spaces = (query.get('spaces') ?? 'drive').split(',');
  if (!spaces.every((each) => each === 'drive' || each === 'appDataFolder')) throw invalidValue('spaces');
  return spaces;
}

async function toChange(drive: DriveContext, id: string, mask: Mask): Promise<object> {
  const record = drive.store.get(id);
  const at = record?.changeTime ?? drive.store.removal(id)?.time;
  return {
    kind: 'drive#change',
    type: 'file',
    changeType: 'file',
    time: time(at),
    removed: record === undefined,
    fileId: id,
    ...(record && { file: await toResource(drive, record, maskOf(mask, 'file') ?? new Map<string, Mask>()) }),
  };
}

/** Tokens are numbers of changes; those of the future and all else are invalid. */
function readToken(token: string | null, next: number): number {
  const change = Number(token);
  if (token === null || !/^\d{1,15}$/.test(token) || change < 1 || change > next)
    throw invalidValue('pageToken');
  return change;
}
