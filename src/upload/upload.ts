/** An upload from its beginning to its proof. */
import { DriveError } from '../errors';
import { PROOF_FIELDS } from '../files/checksums';
import type { Drive } from '../files/drive';
import { checkedFile, onlyFields, withFields } from '../files/file-fields';
import { madeOnce } from '../files/made-once';
import type { NewIds } from '../files/new-id';
import type { CallOptions, DriveFile, OnProgress } from '../types';
import { type Destination, type Sending } from './destination';
import { type Decision, type IfExists, decide } from './if-exists';
import { MULTIPART_LIMIT, sendMultipart } from './multipart';
import { Outgoing } from './outgoing';
import { type GivenChecksums, completed, prove } from './proof';
import { type NewContent, mediaType, resource } from './resource';
import { sendResumable } from './resumable';
import { type Source, openSource } from './source';

export type { Content } from './source';

export interface Upload extends NewContent {
  ifExists: IfExists;
  /** Fields of `file` in the result, which always has its id. */
  fields: string;
  onProgress?: OnProgress;
}

export interface Uploaded {
  file: DriveFile;
  /** A file was made, as opposed to replaced or skipped. */
  created: boolean;
  skipped: boolean;
}

/** What uploads of one account share. */
export interface UploadContext {
  drive: Drive;
  newIds: NewIds;
  checksums: GivenChecksums;
}

/**
 * @throws `invalid_input`, `local_file` (also for a file that changed while it was read), `conflict`,
 * `checksum_mismatch`, `quota_exceeded`, …
 */
export async function upload(context: UploadContext, request: Upload, call: CallOptions): Promise<Uploaded> {
  if (request.name === '') throw new DriveError('invalid_input', { text: 'invalid_input_empty_name' });
  mediaType(request);
  const fields = withFields(request.fields, ['id']);
  const source = await openSource(request.content);
  try {
    const decision = await decide(context.drive, { ...request, fields }, call);
    if (decision.action === 'skip') {
      return { file: onlyFields(decision.file, fields), created: false, skipped: true };
    }
    const file = await send(context, { request, source, decision }, call);
    return { file: onlyFields(file, fields), created: decision.action === 'create', skipped: false };
  } finally {
    await source.close();
  }
}

interface Task {
  request: Upload;
  source: Source;
  decision: Exclude<Decision, { action: 'skip' }>;
}

async function send(context: UploadContext, task: Task, call: CallOptions): Promise<DriveFile> {
  const { drive, checksums } = context;
  const { request, source } = task;
  const sending: Sending = {
    drive,
    destination: await destinationOf(context, task, call),
    content: new Outgoing(source, checksums.algorithms, {
      onProgress: request.onProgress,
      bandwidth: drive.bandwidth,
    }),
    call,
  };
  const file = await completed(sending, await sendOrSettle(sending));
  checksums.learn(file);
  await prove(sending, file);
  return file;
}

async function destinationOf(
  { drive, newIds }: UploadContext,
  { request, source, decision }: Task,
  call: CallOptions,
): Promise<Destination> {
  const shared = {
    mimeType: mediaType(request),
    fields: withFields(request.fields, ['id', ...PROOF_FIELDS]),
  };
  const members = resource(request, source.modifiedTime);
  if (decision.action === 'replace') {
    return { ...shared, method: 'PATCH', id: decision.file.id, resource: members };
  }
  const id = await newIds.next(call);
  const parent = request.folderId || drive.service.driveId;
  const place = { name: decision.name, ...(parent ? { parents: [parent] } : {}) };
  const isNew = id === undefined ? {} : { id };
  return { ...shared, method: 'POST', id, resource: { ...members, ...isNew, ...place } };
}

function sendOrSettle(sending: Sending): Promise<DriveFile> {
  const { drive, destination, call } = sending;
  const id = destination.method === 'POST' ? destination.id : undefined;
  const make = async (): Promise<DriveFile> => checkedFile(await sendEitherWay(sending));
  return madeOnce(drive, { id, fields: destination.fields }, make, call);
}

/** An empty content has no `Content-Range`, so it can't be resumable. */
async function sendEitherWay(sending: Sending): Promise<Record<string, unknown>> {
  if (sending.content.length <= MULTIPART_LIMIT) return sendMultipart(sending);
  return (await sendResumable(sending)) ?? sendMultipart(sending);
}
