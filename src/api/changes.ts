/**
 * The feed of changes: each file that changed since a token, once, as it is now. A token doesn't expire.
 * https://developers.google.com/workspace/drive/api/guides/manage-changes
 */
import { DriveError, isDriveError } from '../errors';
import type { DriveContext } from './drive-context';
import { isUnsupportedRequest, sharedDriveParams } from './drive-context';
import { validateFile } from './fields';
import type { QueryValues } from '../http/url';
import {
  type JsonObject,
  badAnswer,
  isBoolean,
  isFilledString,
  isObject,
  isString,
  member,
  optionalMember,
} from '../http/json';
import type { CallOptions, DriveFile, Service } from '../types';

/** A file that changed; without `file` it is gone for good, or may not be seen any more. */
export interface Change {
  fileId: string;
  file?: DriveFile;
  /** Of the latest change, ms since 1970. */
  time?: number;
}

export interface ChangePage {
  changes: Change[];
  /** Asks for what comes behind this page, now or later. */
  pageToken: string;
  /** Nothing is behind it by now. */
  isLast: boolean;
}

/** How far a look at the feed has come. */
export interface ChangesRequest {
  pageToken: string;
  /** Of a file. */
  fields: string;
  /** Tokens of the pages before: one that comes again would lead round in a circle. */
  seen: Set<string>;
}

/** So many are told at most before the place behind them is kept: what may be told twice after a crash. */
const PAGE_SIZE = 100;

/** @returns where the feed stands now. @throws `not_configured` where the service has none */
export async function getStartPageToken(
  { engine, service }: DriveContext,
  call: CallOptions,
): Promise<string> {
  const url = `${service.baseUrl}/drive/v3/changes/startPageToken`;
  const query = { fields: 'startPageToken', ...place(service) };
  try {
    const answer = await engine.json({ method: 'GET', url, query }, call);
    return member(answer, 'startPageToken', isFilledString);
  } catch (error) {
    if (service.kind === 'custom' && isUnsupportedRequest(error)) {
      throw new DriveError('not_configured', {
        text: 'not_configured_no_changes',
        ...(error.status === undefined ? {} : { status: error.status }),
      });
    }
    throw error;
  }
}

/** The page of a token, which is among those seen from then on. */
export async function listChangesPage(
  { engine, service }: DriveContext,
  { pageToken, fields, seen }: ChangesRequest,
  call: CallOptions,
): Promise<ChangePage> {
  const url = `${service.baseUrl}/drive/v3/changes`;
  const query = {
    pageToken: pageToken,
    pageSize: PAGE_SIZE,
    includeRemoved: true,
    spaces: service.space ?? 'drive',
    fields: `nextPageToken,newStartPageToken,changes(changeType,time,removed,fileId,file(${fields}))`,
    ...place(service),
    ...(service.kind === 'google' ? { includeItemsFromAllDrives: true } : {}),
  };
  const answer = await engine.json({ method: 'GET', url, query }, call);
  const next = optionalMember(answer, 'nextPageToken', isFilledString);
  seen.add(pageToken);
  if (next !== undefined && seen.has(next)) throw badAnswer('bad_response_page_token');
  return {
    changes: changesIn(answer),
    pageToken: next ?? member(answer, 'newStartPageToken', isFilledString),
    isLast: next === undefined,
  };
}

/** Up to now, whatever number of pages that is. */
export async function listAllChanges(
  drive: DriveContext,
  { pageToken, fields }: Pick<ChangesRequest, 'pageToken' | 'fields'>,
  call: CallOptions,
): Promise<Change[]> {
  const all: Change[] = [];
  const since = { pageToken, fields, seen: new Set<string>() };
  for (let page; !page?.isLast; since.pageToken = page.pageToken) {
    page = await listChangesPage(drive, since, call);
    all.push(...page.changes);
  }
  return all;
}

/** Statuses with which a service says that it doesn't know a token. */
export function isInvalidPageToken(error: unknown): boolean {
  if (!isUnsupportedRequest(error)) return isDriveError(error) && error.status === 410;
  return error.status === 400 || error.status === 404;
}

function place(service: Service): QueryValues {
  const driveId = service.space ? undefined : service.driveId;
  return { ...sharedDriveParams(service), ...(driveId ? { driveId } : {}) };
}

function changesIn(answer: JsonObject): Change[] {
  const { changes } = answer;
  if (!Array.isArray(changes)) {
    throw badAnswer(changes === undefined ? 'bad_response_missing' : 'bad_response_type', {
      member: 'changes',
    });
  }
  return changes.flatMap((each: unknown) => changeIn(each) ?? []);
}

/** @returns undefined for a change of a shared drive itself */
function changeIn(change: unknown): Change | undefined {
  if (!isObject(change)) throw badAnswer('bad_response_type', { member: 'changes' });
  if (optionalMember(change, 'changeType', isString) === 'drive') return undefined;
  const fileId = member(change, 'fileId', isFilledString);
  const file = optionalMember(change, 'file', isObject);
  const time = Date.parse(optionalMember(change, 'time', isString) ?? '');
  const isRemoved = optionalMember(change, 'removed', isBoolean) === true || file === undefined;
  return {
    fileId,
    ...(isRemoved ? {} : { file: validateFile(file) }),
    ...(Number.isNaN(time) ? {} : { time }),
  };
}
