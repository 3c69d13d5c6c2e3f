/** Sends a content until it is proven to be there. */
import { isDriveError } from '../errors';
import { type DriveContext, parentsFor } from '../api/drive-context';
import { validateFile } from '../api/fields';
import { createIdempotently } from '../api/idempotent-create';
import type { IdPool } from '../api/id-pool';
import type { JsonObject } from '../http/json';
import type { CallOptions, DriveFile, OnProgress } from '../types';
import type { Destination, UploadJob } from './upload-job';
import type { Left } from './resume-state';
import type { SessionLease } from './session-registry';
import { MULTIPART_LIMIT, sendMultipart } from './multipart';
import { HashingBody } from './hashing-body';
import { type Asked, type SendingPlan, answerFields } from './plan';
import { type GivenChecksums, fetchMissingFields, undo, verify } from './verify';
import { mediaType, resource } from './file-metadata';
import { sendResumable } from './resumable';

export interface SendContext {
  drive: DriveContext;
  newIds: IdPool;
  checksums: GivenChecksums;
}

export interface Task extends Asked {
  request: Asked['request'] & { onProgress?: OnProgress };
  plan: SendingPlan;
}

/**
 * What doesn't prove to be what was sent is undone and sent once more, if that can't leave two files. The cause may be
 * another content in the same file on disk, of the same size and time, in the middle of what an earlier run had begun.
 * @throws `checksum_mismatch`, …
 */
export async function sendAndProve(context: SendContext, task: Task, call: CallOptions): Promise<DriveFile> {
  const { claim } = task;
  let { plan } = task;
  for (let isFirst = true; ; isFirst = false) {
    const sending = await sendingOf(context, { ...task, plan }, call);
    const file = await fetchMissingFields(sending, await settled(sending, plan.left, claim));
    context.checksums.learn(file);
    try {
      await verify(sending, file);
      void claim?.forget();
      return file;
    } catch (error) {
      if (!isDriveError(error, 'checksum_mismatch')) throw error;
      const isAsBefore = await undo(sending, file);
      void claim?.forget();
      if (!isFirst || !isAsBefore) throw error;
    }
    plan = anew(plan);
  }
}

/** The same without what an earlier run has left. */
function anew(plan: SendingPlan): SendingPlan {
  if (plan.action === 'replace') return { action: 'replace', file: plan.file };
  return { action: 'create', name: plan.name };
}

async function sendingOf(context: SendContext, task: Task, call: CallOptions): Promise<UploadJob> {
  const { drive, checksums } = context;
  const { onProgress } = task.request;
  const { left } = task.plan;
  const resumed = left && 'stored' in left ? left.stored : 0;
  const options = { onProgress, resumed, bandwidth: drive.bandwidth, signal: call.signal };
  return {
    drive,
    destination: await destinationOf(context, task, call),
    content: new HashingBody(task.source, checksums.algorithms, options),
    call,
  };
}

async function destinationOf(
  { drive, newIds }: SendContext,
  { request, source, plan }: Task,
  call: CallOptions,
): Promise<Destination> {
  const shared = { mimeType: mediaType(request), fields: answerFields(request) };
  const members = resource(request, source.modifiedTime);
  if (plan.action === 'replace') {
    return { ...shared, method: 'PATCH', id: plan.file.id, resource: members };
  }
  const id = plan.id ?? (await newIds.next(call));
  const place = { name: plan.name, ...parentsFor(drive.service, request.folderId) };
  const isNew = id === undefined ? {} : { id };
  return { ...shared, method: 'POST', id, resource: { ...members, ...isNew, ...place } };
}

/** The file, whichever way its answer came. */
async function settled(
  sending: UploadJob,
  left: Left | undefined,
  claim: SessionLease | undefined,
): Promise<DriveFile> {
  if (left && 'file' in left) return left.file;
  const { drive, destination, call } = sending;
  const id = destination.method === 'POST' ? destination.id : undefined;
  const make = async (): Promise<DriveFile> =>
    validateFile(await sendEitherWay(sending, { claim, standing: left }));
  return createIdempotently(drive, { id, fields: destination.fields }, make, call);
}

/** An empty content has no `Content-Range`, so it can't be resumable. */
async function sendEitherWay(
  sending: UploadJob,
  resumption: Parameters<typeof sendResumable>[1],
): Promise<JsonObject> {
  if (sending.content.length <= MULTIPART_LIMIT) return sendMultipart(sending);
  return (await sendResumable(sending, resumption)) ?? sendMultipart(sending);
}
