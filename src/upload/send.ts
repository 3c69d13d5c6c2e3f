/** Sends a content until it is proven to be there. */
import { isDriveError } from '../errors';
import { type Drive, parentsFor } from '../files/drive';
import { checkedFile } from '../files/file-fields';
import { madeOnce } from '../files/made-once';
import type { NewIds } from '../files/new-id';
import type { JsonObject } from '../http/json';
import type { CallOptions, DriveFile, OnProgress } from '../types';
import type { Destination, Sending } from './destination';
import type { Left } from './earlier';
import type { Claim } from './kept-sessions';
import { MULTIPART_LIMIT, sendMultipart } from './multipart';
import { Outgoing } from './outgoing';
import { type Asked, type SendingPlan, answerFields } from './plan';
import { type GivenChecksums, completed, undo, prove } from './proof';
import { mediaType, resource } from './resource';
import { sendResumable } from './resumable';

export interface SendContext {
  drive: Drive;
  newIds: NewIds;
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
    const file = await completed(sending, await settled(sending, plan.left, claim));
    context.checksums.learn(file);
    try {
      await prove(sending, file);
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

async function sendingOf(context: SendContext, task: Task, call: CallOptions): Promise<Sending> {
  const { drive, checksums } = context;
  const { onProgress } = task.request;
  const { left } = task.plan;
  const resumed = left && 'stored' in left ? left.stored : 0;
  const options = { onProgress, resumed, bandwidth: drive.bandwidth, signal: call.signal };
  return {
    drive,
    destination: await destinationOf(context, task, call),
    content: new Outgoing(task.source, checksums.algorithms, options),
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
  sending: Sending,
  left: Left | undefined,
  claim: Claim | undefined,
): Promise<DriveFile> {
  if (left && 'file' in left) return left.file;
  const { drive, destination, call } = sending;
  const id = destination.method === 'POST' ? destination.id : undefined;
  const make = async (): Promise<DriveFile> =>
    checkedFile(await sendEitherWay(sending, { claim, standing: left }));
  return madeOnce(drive, { id, fields: destination.fields }, make, call);
}

/** An empty content has no `Content-Range`, so it can't be resumable. */
async function sendEitherWay(
  sending: Sending,
  resumption: Parameters<typeof sendResumable>[1],
): Promise<JsonObject> {
  if (sending.content.length <= MULTIPART_LIMIT) return sendMultipart(sending);
  return (await sendResumable(sending, resumption)) ?? sendMultipart(sending);
}
