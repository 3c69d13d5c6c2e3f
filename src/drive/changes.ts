/**
 * The list of changes since a page token: each changed file once, in its current state. A page token doesn't expire.
 * https://developers.google.com/workspace/drive/api/guides/manage-changes
 */
import { DriveError, isDriveError } from '../errors';
import type { QueryValues } from '../http/url';
import {
  type JsonObject,
  isBoolean,
  isNonEmptyString,
  isObject,
  isObjectArray,
  isString,
} from '../core/validator';
import { member, optionalMember } from '../http/json';
import type { CallOptions, DriveFile, Service } from '../types';
import { type DriveContext, isRefusedRequest, isUnsupported, sharedDriveParams } from './drive-context';
import { validateFile, withOptionalFields } from './fields';
import { type Page, allPages } from './list';

/** A changed file; without `file` it was deleted, or the account no longer has access to it. */
export interface Change {
  fileId: string;
  file?: DriveFile;
  /** Time of the latest change, ms since 1970. */
  time?: number;
}

export interface ChangePage extends Page {
  changes: Change[];
  /** For the next page; after the last page, for the changes that follow later. */
  pageToken: string;
}

interface ChangesRequest {
  pageToken: string;
  /** Fields of a file. */
  fields: string;
}

/** Small, since a crash while a page is emitted makes all its changes appear again. */
const PAGE_SIZE = 100;

/** @returns the token of the current state. @throws `not_configured` if a custom service has no list of changes */
export async function getStartPageToken(
  { engine, service }: DriveContext,
  call: CallOptions,
): Promise<string> {
  const url = `${service.baseUrl}/drive/v3/changes/startPageToken`;
  const query = { fields: 'startPageToken', ...driveParams(service) };
  try {
    const response = await engine.requestJson({ method: 'GET', url, query }, call);
    return member(response, 'startPageToken', isNonEmptyString);
  } catch (error) {
    if (!isUnsupported(service, 'changes', error)) throw error;
    throw new DriveError('not_configured', { text: 'not_configured_no_changes', status: error.status });
  }
}

export async function listChangesPage(
  drive: DriveContext,
  { pageToken, fields }: ChangesRequest,
  call: CallOptions,
): Promise<ChangePage> {
  const { engine, service } = drive;
  const url = `${service.baseUrl}/drive/v3/changes`;
  const query = {
    pageToken,
    pageSize: PAGE_SIZE,
    includeRemoved: true,
    spaces: service.space ?? 'drive',
    ...driveParams(service),
    includeItemsFromAllDrives: service.can.sharedDrives ? true : undefined,
  };
  const response = await withOptionalFields(drive, fields, (known) => {
    const ofChange = `changeType,time,removed,fileId,file(${known})`;
    const ofPage = `nextPageToken,newStartPageToken,changes(${ofChange})`;
    return engine.requestJson({ method: 'GET', url, query: { ...query, fields: ofPage } }, call);
  });
  const nextPageToken = optionalMember(response, 'nextPageToken', isNonEmptyString);
  const items = member(response, 'changes', isObjectArray);
  return {
    changes: items.flatMap((item) => parseChange(item) ?? []),
    pageToken: nextPageToken ?? member(response, 'newStartPageToken', isNonEmptyString),
    nextPageToken,
  };
}

/** All changes from a page token until now. */
export async function listAllChanges(
  drive: DriveContext,
  { pageToken: start, fields }: ChangesRequest,
  call: CallOptions,
): Promise<Change[]> {
  const request = (pageToken = start): Promise<ChangePage> =>
    listChangesPage(drive, { pageToken, fields }, call);
  const all: Change[] = [];
  for await (const { changes } of allPages(request, (page) => page.changes, start))
    for (const change of changes) all.push(change);
  return all;
}

/** Whether the service rejected a page token as unknown. */
export function isInvalidPageToken(error: unknown): boolean {
  if (!isRefusedRequest(error)) return isDriveError(error) && error.status === 410;
  return error.status === 400 || error.status === 404;
}

function driveParams(service: Service): QueryValues {
  const driveId = (!service.space && service.driveId) || undefined;
  return { ...sharedDriveParams(service), driveId };
}

/** @returns undefined for a change of a shared drive itself */
function parseChange(change: JsonObject): Change | undefined {
  if (optionalMember(change, 'changeType', isString) === 'drive') return undefined;
  const fileId = member(change, 'fileId', isNonEmptyString);
  const file = optionalMember(change, 'file', isObject);
  const time = Date.parse(optionalMember(change, 'time', isString) ?? '');
  const isRemoved = optionalMember(change, 'removed', isBoolean) === true;
  return {
    fileId,
    file: file && !isRemoved ? validateFile(file) : undefined,
    time: Number.isNaN(time) ? undefined : time,
  };
}
