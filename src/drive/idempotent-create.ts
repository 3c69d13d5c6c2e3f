/**
 * Creates files in a way that can be repeated, with ids that the service has generated in advance: it responds 409 if
 * the file exists. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/generateIds
 */
import { type ErrorCode, isDriveError } from '../errors';
import { type JsonObject, isNonEmptyString } from '../core/validator';
import { jsonBody, member } from '../http/json';
import type { CallOptions, DriveFile } from '../types';
import { type DriveContext, sharedDriveParams, filesUrl, isRefusedRequest } from './drive-context';
import { validateFile } from './fields';
import { getMetadata } from './metadata';
import { abortable } from '../core/abort';

interface CreateRequest {
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

const BATCH_SIZE = 50;
/** The most that the service generates in one request. */
const MAX_BATCH_SIZE = 1_000;

const isIdList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every(isNonEmptyString);

export class IdPool {
  private ids: string[] = [];
  private isUnsupported = false;
  private expected = 0;
  /** Shared by all callers that find no id. */
  private fetching: Promise<void> | undefined;

  constructor(private readonly drive: DriveContext) {}

  /** Announces that so many ids will be needed soon, so that they are requested together. */
  expect(count: number): void {
    this.expected = count;
  }

  /** Another user, who can't use them, may have signed in. Those that are being fetched go to the former array. */
  clear(): void {
    this.ids = [];
    this.fetching = undefined;
  }

  /** @returns an unused id; undefined if a custom service generates none */
  async next(call: CallOptions): Promise<string | undefined> {
    while (!this.isUnsupported) {
      const id = this.ids.pop();
      if (id !== undefined) {
        this.expected -= 1;
        return id;
      }
      await this.fetchOnce(call);
    }
    return undefined;
  }

  private async fetchOnce(call: CallOptions): Promise<void> {
    const isOwn = !this.fetching;
    this.fetching ??= this.fetch(call).finally(() => (this.fetching = undefined));
    try {
      await abortable(this.fetching, call.signal);
    } catch (error) {
      // Another caller may have been cancelled, or have a shorter retry budget.
      if (isOwn || call.signal?.aborted) throw error;
    }
  }

  private async fetch(call: CallOptions): Promise<void> {
    const { ids } = this;
    const { engine, service } = this.drive;
    const url = `${filesUrl(service)}/generateIds`;
    const count = Math.min(MAX_BATCH_SIZE, Math.max(BATCH_SIZE, this.expected));
    const query = { count, fields: 'ids', space: service.space };
    try {
      const response = await engine.requestJson({ method: 'GET', url, query }, call);
      for (const id of member(response, 'ids', isIdList)) ids.push(id);
    } catch (error) {
      const isLacking = isRefusedRequest(error) || isDriveError(error, 'bad_response');
      if (service.can.generateIds || !isLacking) throw error;
      this.isUnsupported = true;
    }
  }
}
