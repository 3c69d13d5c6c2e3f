/** The changes feed. https://developers.google.com/workspace/drive/api/reference/rest/v3/changes */
import type { Request, Response } from 'express';
import { driveNotFound, invalidValue } from '../http/api-error';
import { contextOf } from '../http/request-context';
import { booleanParameter, integerParameter, queryOf } from '../http/query-parameters';
import type { FileStore } from '../storage/file-store';
import { applyRequestedMask, requestedMask, type DriveBackend } from './backend';
import { submask, type Mask } from './field-mask';
import { toResource } from './resource';
import { CHANGE_LIST, START_PAGE_TOKEN } from './schemas';
import { corpusOf, isInCorpus, supportsAllDrives, type Corpus } from './shared-drives';
import { checkGrantedSpaces, spaceOf } from './spaces';
import { formatTimestamp } from './timestamp';

const DEFAULTS =
  'kind,nextPageToken,newStartPageToken,' +
  'changes(kind,type,changeType,time,removed,fileId,file(kind,id,name,mimeType))';

/** changes.getStartPageToken: the current position of the feed. */
export function startPageToken(drive: DriveBackend, request: Request, response: Response): void {
  const mask = requestedMask(request, START_PAGE_TOKEN, '*');
  const query = queryOf(request);
  readSpaces(query);
  const driveId = query.get('driveId');
  const isFound = driveId === null || (supportsAllDrives(query) && drive.store.isSharedDrive(driveId));
  if (!isFound) throw driveNotFound(driveId);
  const resource = { kind: 'drive#startPageToken', startPageToken: String(drive.store.nextChange) };
  response.json(applyRequestedMask(resource, mask));
}

/**
 * changes.list: each file that changed since a page token, once, with its latest change.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/changes/list
 */
export async function listChanges(drive: DriveBackend, request: Request, response: Response): Promise<void> {
  const { store } = drive;
  const query = queryOf(request);
  const mask = requestedMask(request, CHANGE_LIST, DEFAULTS);
  const spaces = readSpaces(query);
  const pageSize = integerParameter(query, 'pageSize', { min: 1, max: 1000, fallback: drive.pageSize });
  const size = Math.min(pageSize, contextOf(request).effects.pageLimit ?? pageSize);
  const from = readPageToken(query.get('pageToken'), store.nextChange);
  const entries = store.changes.from(from, size + 1);
  const next = entries[size];
  // Read before the first await: later changes belong to the next request.
  const end = store.nextChange;
  const includeRemoved = booleanParameter(query, 'includeRemoved', true);
  const changeMask = submask(mask, 'changes') ?? new Map<string, Mask>();
  const changes: object[] = [];
  checkGrantedSpaces(request, spaces);
  const corpus = corpusOf(store, request);
  for (const { id } of entries.slice(0, size)) {
    const visibility = visibilityOf(store, id, { spaces, corpus });
    if (visibility === 'visible' || (visibility === 'removed' && includeRemoved))
      changes.push(await toChange(drive, { id, isRemoved: visibility === 'removed' }, changeMask));
  }
  const list = {
    kind: 'drive#changeList',
    ...(next ? { nextPageToken: String(next.change) } : { newStartPageToken: String(end) }),
    changes,
  };
  response.json(applyRequestedMask(list, mask));
}

/** Whether a corpus shows a changed file. A file moved to another drive is removed from the first one's feed. */
function visibilityOf(
  store: FileStore,
  id: string,
  { spaces, corpus }: { spaces: string[]; corpus: Corpus },
): 'visible' | 'removed' | 'hidden' {
  if (store.isHidden(id)) return 'hidden';
  const record = store.get(id);
  if (!record) return isInCorpus(corpus, store.removal(id)?.driveId) ? 'removed' : 'hidden';
  if (!isInCorpus(corpus, store.driveIdOf(record))) {
    const hasLeft = record.formerDrives?.some((each) => isInCorpus(corpus, each || undefined));
    return hasLeft === true ? 'removed' : 'hidden';
  }
  return spaces.includes(spaceOf(store, record)) ? 'visible' : 'hidden';
}

/** Checks the boolean parameters. @returns the requested spaces */
function readSpaces(query: URLSearchParams): string[] {
  for (const each of [
    'supportsAllDrives',
    'includeItemsFromAllDrives',
    'includeCorpusRemovals',
    'restrictToMyDrive',
  ]) {
    booleanParameter(query, each);
  }
  const spaces = (query.get('spaces') ?? 'drive').split(',');
  if (!spaces.every((each) => each === 'drive' || each === 'appDataFolder')) throw invalidValue('spaces');
  return spaces;
}

async function toChange(
  drive: DriveBackend,
  { id, isRemoved }: { id: string; isRemoved: boolean },
  mask: Mask,
): Promise<object> {
  const found = drive.store.get(id);
  const changedAt = found?.changeTime ?? drive.store.removal(id)?.time;
  const record = isRemoved ? undefined : found;
  return {
    kind: 'drive#change',
    type: 'file',
    changeType: 'file',
    time: formatTimestamp(changedAt),
    removed: record === undefined,
    fileId: id,
    ...(record && {
      file: await toResource(drive, record, submask(mask, 'file') ?? new Map<string, Mask>()),
    }),
  };
}

/** Page tokens are numbers of changes up to the next one; everything else is invalid. */
function readPageToken(token: string | null, next: number): number {
  const change = Number(token);
  if (token === null || !/^\d{1,15}$/.test(token) || change < 1 || change > next)
    throw invalidValue('pageToken');
  return change;
}
