/**
 * Making a file under an id of our own, which can be repeated: the service answers 409 to the second.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/generateIds
 */
import { type ErrorCode, isDriveError } from '../errors';
import type { JsonObject } from '../http/json';
import type { CallOptions, DriveFile } from '../types';
import { type DriveContext, sharedDriveParams } from './drive-context';
import { validateFile } from './fields';
import { getMetadata } from './metadata';

export interface CreateRequest {
  url: string;
  /** Undefined where the service gives the id. */
  id: string | undefined;
  /** The file but for its id. */
  resource: JsonObject;
  fields: string;
}

/** Makes a file by a request that carries no content of it. @throws as {@link createIdempotently} */
export function createWithoutContent(
  drive: DriveContext,
  { url, id, resource, fields }: CreateRequest,
  call: CallOptions,
): Promise<DriveFile> {
  const { engine, service } = drive;
  const request = {
    method: 'POST',
    url,
    query: { fields, ...sharedDriveParams(service) },
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...(id === undefined ? {} : { id }), ...resource }),
  } as const;
  const make = async (): Promise<DriveFile> =>
    validateFile(await engine.json(request, call, id !== undefined));
  return createIdempotently(drive, { id, fields }, make, call);
}

/** A 409 says that an earlier try had come through; an answer that can't be read, that this one may have. */
const UNSETTLED: readonly ErrorCode[] = ['conflict', 'bad_response'];

/**
 * Where only the answer was lost, the id of our own tells what came of it: who has to do it again has it twice.
 * @param file its id, undefined where the service gives the id; and the fields to ask for
 * @returns what `make` returns, or the file that is there already
 * @throws what `make` throws, also `conflict` where no file is behind the id
 */
export async function createIdempotently(
  drive: DriveContext,
  { id, fields }: { id: string | undefined; fields: string },
  make: () => Promise<DriveFile>,
  call: CallOptions,
): Promise<DriveFile> {
  try {
    return await make();
  } catch (error) {
    if (id === undefined || !isDriveError(error) || !UNSETTLED.includes(error.code)) throw error;
    return getMetadata(drive, id, fields, call).catch((missing: unknown) => {
      throw isDriveError(missing, 'not_found') ? error : missing;
    });
  }
}
