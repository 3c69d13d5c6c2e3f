/** Revisions. https://developers.google.com/workspace/drive/api/reference/rest/v3/revisions */
import type { Request, Response, Router } from 'express';
import { ApiError, badRequest, invalidValue } from '../http/api-error';
import { readJsonBody } from '../http/request-body';
import { integerParameter, queryOf } from '../http/query-parameters';
import type { FileRecord, Revision } from '../storage/file-record';
import { applyRequestedMask, ensureDigests, existingFile, requestedMask, type DriveBackend } from './backend';
import { fileIdParameter } from './create-update-delete';
import { currentRevision } from './revision-resource';
import { REVISION, REVISION_LIST } from './schemas';
import { checkRole } from './shared-drives';
import { formatTimestamp } from './timestamp';
import { USER } from './user';

const DEFAULTS = 'kind,id,mimeType,modifiedTime';

export function revisionRoutes(drive: DriveBackend, router: Router): void {
  const all = '/files/:fileId/revisions';
  const one = `${all}/:revisionId`;
  router.get(all, (request, response) => list(drive, request, response));
  router.get(one, async (request, response) => {
    send(request, response, await existingRevision(drive, request));
  });
  router.patch(one, (request, response) => update(drive, request, response));
  router.delete(one, (request, response) => remove(drive, request, response));
}

async function list(drive: DriveBackend, request: Request, response: Response): Promise<void> {
  const query = queryOf(request);
  const revisions = await revisionsOf(drive, existingFile(drive, fileIdParameter(request)));
  const size = integerParameter(query, 'pageSize', { min: 1, max: 1000, fallback: 200 });
  const token = query.get('pageToken') ?? '0';
  if (!/^\d{1,9}$/.test(token)) throw invalidValue('pageToken');
  const end = Number(token) + size;
  const resource = {
    kind: 'drive#revisionList',
    ...(revisions.length > end && { nextPageToken: String(end) }),
    revisions: revisions.slice(Number(token), end).map(revisionResource),
  };
  const mask = requestedMask(request, REVISION_LIST, `kind,nextPageToken,revisions(${DEFAULTS})`);
  response.json(applyRequestedMask(resource, mask));
}

/** revisions.update: only `keepForever` can be set. */
async function update(drive: DriveBackend, request: Request, response: Response): Promise<void> {
  const { keepForever } = await readJsonBody(request);
  if (typeof keepForever !== 'boolean') throw badRequest('Only keepForever can be changed.');
  const record = existingFile(drive, fileIdParameter(request));
  const { id } = await existingRevision(drive, request);
  checkRole(drive.store, record, 'writer');
  const earlierRevisions = record.earlierRevisions?.map((each) =>
    each.id === id ? { ...each, keepForever } : each,
  );
  const isHead = earlierRevisions?.some((each) => each.id === id) !== true;
  await drive.store.update(record, isHead ? { keepRevisionForever: keepForever } : { earlierRevisions });
  send(request, response, await existingRevision(drive, request));
}

/** revisions.delete: all but the current one. */
async function remove(drive: DriveBackend, request: Request, response: Response): Promise<void> {
  const record = existingFile(drive, fileIdParameter(request));
  const { id } = await existingRevision(drive, request);
  checkRole(drive.store, record, 'writer');
  const earlierRevisions = record.earlierRevisions?.filter((each) => each.id !== id);
  if (earlierRevisions?.length === record.earlierRevisions?.length)
    throw new ApiError(403, 'cannotDeleteHeadRevision', 'The current revision cannot be deleted.');
  await drive.store.update(record, { earlierRevisions });
  response.status(204).end();
}

async function existingRevision(drive: DriveBackend, request: Request): Promise<Revision> {
  const id = String(request.params.revisionId);
  const revisions = await revisionsOf(drive, existingFile(drive, fileIdParameter(request)));
  const found = revisions.find((each) => each.id === id || (id === 'head' && each === revisions.at(-1)));
  if (found) return found;
  throw new ApiError(404, 'notFound', `Revision not found: ${id}.`);
}

/** All revisions, oldest first. Files without content, as folders, have none. */
async function revisionsOf(drive: DriveBackend, record: FileRecord): Promise<Revision[]> {
  await ensureDigests(drive, record, ['md5']);
  const revisions = [...(record.earlierRevisions ?? []), ...currentRevision(record)];
  if (revisions.length > 0) return revisions;
  throw new ApiError(403, 'revisionsNotSupported', 'The file does not support revisions.');
}

function revisionResource({ modifiedTime, size, md5, keepForever = false, ...rest }: Revision): object {
  return {
    kind: 'drive#revision',
    ...rest,
    keepForever,
    modifiedTime: formatTimestamp(modifiedTime),
    size: String(size),
    md5Checksum: md5,
    lastModifyingUser: USER,
    published: false,
  };
}

function send(request: Request, response: Response, revision: Revision): void {
  response.json(applyRequestedMask(revisionResource(revision), requestedMask(request, REVISION, DEFAULTS)));
}
