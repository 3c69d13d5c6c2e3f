/**
 * Creates files in a way that can be repeated, with an id from {@link IdPool}.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/generateIds
 */
import { type ErrorCode, isDriveError } from '../errors';
import type { JsonObject } from '../core/validator';
import { jsonBody } from '../http/json';
import type { CallOptions, DriveFile } from '../types';
import { type DriveContext, sharedDriveParams } from './drive-context';
import { validateFile } from './fields';
import { getMetadata } from './metadata';

export interface CreateRequest {
  url: string;
  /** Undefined if the service assigns the id: then the request isn't repeated. */
  id: string | undefined;
  /** The file's metadata without its id. */
  resource: JsonObject;
  fields: string;
}

/** Creates a file with a request that carries no content. @throws as {@link createIdempotently} */
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
    ...jsonBody({ id, ...resource }),
  } as const;
  const create = async (): Promise<DriveFile> =>
    validateFile(await engine.requestJson(request, call, id !== undefined));
  return createIdempotently(drive, { id, fields }, create, call);
}

/** After these errors the file may exist: from an earlier attempt (409), or with an unreadable response. */
const POSSIBLY_CREATED: readonly ErrorCode[] = ['conflict', 'bad_response'];

/**
 * Looks up the file by its id when `create` fails but may have succeeded: a file created again would be a duplicate.
 * @param file its id, undefined if the service assigns it; and the fields of the result
 * @returns the result of `create`, or the file that already exists
 * @throws the error of `create`, also `conflict` if no file has the id
 */
export async function createIdempotently<T>(
  drive: DriveContext,
  { id, fields }: { id: string | undefined; fields: string },
  create: () => Promise<T>,
  call: CallOptions,
): Promise<T | DriveFile> {
  try {
    return await create();
  } catch (error) {
    if (id === undefined || !isDriveError(error) || !POSSIBLY_CREATED.includes(error.code)) throw error;
    return getMetadata(drive, id, fields, call).catch((lookupError: unknown) => {
      throw isDriveError(lookupError, 'not_found') ? error : lookupError;
    });
  }
}
