/** What an earlier run of the same upload has left: a file, a part of one, or nothing that is of use. */
import { type DriveError, isDriveError } from '../errors';
import type { DriveContext } from '../api/drive-context';
import { validateFile, withFields } from '../api/fields';
import { getMetadata, getMetadataIfSupported } from '../api/metadata';
import type { CallOptions, DriveFile } from '../types';
import type { SavedSession } from './session-registry';
import type { Standing } from './resumable';
import { askStored } from './session-requests';
import { sessionAddress } from './session-url';

/** What is there: the file, or a part of it. */
export type Left = { file: DriveFile } | Standing;

export interface Expected {
  /** Bytes of the content. */
  length: number;
  /** Of the file. */
  fields: string;
}

/**
 * @returns the file where only the last answer was lost, what the service holds where something is missing, undefined
 * where the upload begins anew
 * @throws what may pass, so that nothing is sent twice because the service could not be asked
 */
export async function leftBy(
  drive: DriveContext,
  session: SavedSession,
  { length, fields }: Expected,
  call: CallOptions,
): Promise<Left | undefined> {
  let left: Left;
  try {
    const address = sessionAddress(session.address, drive.service.uploadUrl);
    const reply = await drive.engine.retrying(() => askStored(drive, address, length, call), call);
    left = 'stored' in reply ? { address, stored: reply.stored } : { file: validateFile(reply.file) };
  } catch (error) {
    if (!isDriveError(error) || !(isOfNoUse(error) || isCutOff(drive, session, error))) throw error;
    return madeBy(drive, session, fields, call);
  }
  if ('file' in left && (await isAway(drive, left.file, call))) return undefined;
  return left;
}

/** A session that the service doesn't know any more, or that it doesn't let this account use. */
function isOfNoUse({ code, retryable }: DriveError): boolean {
  return !retryable && code !== 'cancelled' && code !== 'sign_in_required';
}

/**
 * A session may be on a host of its own. Where only that one can't be reached, it is given up once the budget of the
 * call is used: every run of a week would end like this one. It is the service, asked next, that has to be there. Not
 * where the file could come to be twice, since nothing else tells whether it was made.
 */
function isCutOff(
  { service }: DriveContext,
  { address, id }: SavedSession,
  { code, status }: DriveError,
): boolean {
  const isUnreached = (code === 'network' || code === 'timeout') && status === undefined;
  return id !== undefined && isUnreached && new URL(address).origin !== new URL(service.uploadUrl).origin;
}

/** With an id of our own, a file that came to be before its session went can be found. */
async function madeBy(
  drive: DriveContext,
  { method, id }: SavedSession,
  fields: string,
  call: CallOptions,
): Promise<{ file: DriveFile } | undefined> {
  if (method !== 'POST' || id === undefined) return undefined;
  try {
    const file = await getMetadata(drive, id, withFields(fields, ['trashed']), call);
    return file.trashed === true ? undefined : { file };
  } catch (error) {
    if (isDriveError(error) && isOfNoUse(error)) return undefined;
    throw error;
  }
}

/** Since then somebody may have deleted what the session had made. */
async function isAway(drive: DriveContext, { id }: DriveFile, call: CallOptions): Promise<boolean> {
  try {
    return (await getMetadataIfSupported(drive, id, 'id,trashed', call))?.trashed === true;
  } catch (error) {
    if (!isDriveError(error) || !isOfNoUse(error)) throw error;
    return error.code === 'not_found';
  }
}
