/**
 * Any request of the Drive API, for operations that this client has no function for.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3
 */
import { badResponse, DriveError, isDriveError, maximumSize } from '../errors';
import type { HttpRequest, HttpResponse } from '../http/client';
import type { DriveRequest } from '../http/engine';
import {
  type JsonObject,
  isBoolean,
  isNonEmptyString,
  isNumber,
  isObject,
  isString,
  tryParse,
} from '../core/validator';
import { MAX_JSON_BYTES, jsonBody, notJson, optionalMember, readAll } from '../http/json';
import { urlName } from '../http/error-mapping';
import { mayHaveBeenProcessed } from '../http/retry';
import type { QueryValue, QueryValues } from '../http/url';
import type { CallOptions, Service } from '../types';
import { type DriveContext, sharedDriveParams } from './drive-context';
import { withFields } from './fields';
import { allPages } from './list';

export interface RawRequest {
  method: HttpRequest['method'];
  /** Below `/drive/v3/`: `files/ID/revisions`. A leading slash is dropped. */
  path: string;
  /** Strings, numbers, booleans and arrays of these. An array repeats its parameter. */
  query: JsonObject;
  /** Sent as JSON; undefined for none. */
  body?: object | undefined;
  /** Whether to join the lists of all pages. */
  pages?: boolean;
  /** Whether a POST may be repeated although the service may have processed it. */
  repeatable?: boolean;
}

export interface RawResponse {
  status: number;
  /** Parsed JSON, a Buffer if the response isn't JSON, `''` without a body; with `pages` an array. */
  body: unknown;
}

/** Bytes of a response that isn't JSON. */
const MAX_CONTENT_BYTES = 10 * 1024 * 1024;

/**
 * Retried like all requests. A POST is only repeated if it wasn't processed, or if it is repeatable.
 * @throws `invalid_input` without a request; `too_large`
 */
export async function rawRequest(
  drive: DriveContext,
  request: RawRequest,
  call: CallOptions,
): Promise<RawResponse> {
  const { method, pages = false, repeatable = false } = request;
  const path = checkPath(request.path);
  const query = { ...checkQuery(request.query), ...defaultParams(drive.service, path, request.query) };
  const prepared: DriveRequest = {
    method,
    url: `${drive.service.baseUrl}/drive/v3/${path}`,
    query,
    ...bodyOf(request.body),
    ...(isContentRequest(path, query) && { headers: { 'Accept-Encoding': 'identity' } }),
  };
  const options = {
    isRepeatable: method !== 'POST' || repeatable,
    call: { ...call, showsServiceMessage: true },
  };
  if (!pages) return sendRaw(drive, prepared, options);
  return joinPages(drive.service, query, (pageQuery) =>
    sendRaw(drive, { ...prepared, query: pageQuery }, options),
  );
}

/** @returns the file that the request may move or delete; `''` for none */
export function fileChangedBy({ method, path }: RawRequest): string {
  const [, id = ''] = /^\/?files\/([^/]+)$/.exec(path) ?? [];
  return method === 'GET' ? '' : id;
}

/** RFC 3986 3.3, without the segments that URL parsers remove or servers decode to a separator. */
const SEGMENT = /^(?:[\w.~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})+$/;
/** Characters that a percent-encoded segment must not contain. */
const UNSAFE_DECODED = /[/\\%\p{Cc}]/u;

/**
 * Keeps the request, which carries the token, below `/drive/v3/` of the account's own service.
 * @returns the path without a leading slash
 */
function checkPath(path: string): string {
  const relative = path.replace(/^\//, '');
  // `drive/v3/files` would be requested as /drive/v3/drive/v3/files.
  const isWrong = /^(?:[^/]*:|drive\/)/.test(relative) || !relative.split('/').every(isSafeSegment);
  if (isWrong) throw new DriveError('invalid_input', { text: 'invalid_input_api_path' });
  return relative;
}

function isSafeSegment(segment: string): boolean {
  if (!SEGMENT.test(segment)) return false;
  try {
    const decoded = decodeURIComponent(segment);
    return decoded !== '.' && decoded !== '..' && !UNSAFE_DECODED.test(decoded);
  } catch {
    return false;
  }
}

const isQueryValue = (value: unknown): value is QueryValue =>
  value === undefined || isString(value) || isNumber(value) || isBoolean(value);

function checkQuery(query: JsonObject): QueryValues {
  for (const [name, value] of Object.entries(query)) {
    if ([value].flat().every(isQueryValue)) continue;
    throw new DriveError('invalid_input', { text: 'invalid_input_query_value', params: { name } });
  }
  return query as QueryValues;
}

/** The paths whose methods have the parameter supportsAllDrives. */
const ALL_DRIVES =
  /^(?:files(?:\/(?!(?:generateIds|trash)$)[^/]+(?:\/(?:copy|watch|permissions(?:\/[^/]+)?))?)?|changes(?:\/\w+)?)$/;

/** Without its parameter, Google reports files of shared drives as missing. */
function defaultParams(service: Service, path: string, query: JsonObject): QueryValues {
  if (!ALL_DRIVES.test(path) || 'supportsAllDrives' in query) return {};
  return sharedDriveParams(service);
}

function isContentRequest(path: string, query: QueryValues): boolean {
  return query['alt'] === 'media' || path.endsWith('/export');
}

function bodyOf(body: object | undefined): Pick<DriveRequest, 'headers' | 'body'> {
  if (body === undefined) return {};
  try {
    return jsonBody(body);
  } catch {
    throw new DriveError('invalid_input', { text: 'invalid_input_not_json' });
  }
}

async function sendRaw(
  { engine }: DriveContext,
  request: DriveRequest,
  { isRepeatable, call }: { isRepeatable: boolean; call: CallOptions },
): Promise<RawResponse> {
  const { method } = request;
  let mayBeProcessed = false;
  const sent = await engine.retry(async (): Promise<RawResponse | DriveError> => {
    try {
      const once = { ...request, freshConnection: !isRepeatable };
      return await engine.requestWithoutRetry(once, call, (response) => read(request, response));
    } catch (error) {
      if (!isDriveError(error)) throw error;
      // An earlier attempt has deleted it, and only the response was lost.
      if (mayBeProcessed && method === 'DELETE' && error.code === 'not_found')
        return { status: 204, body: '' };
      mayBeProcessed ||= mayHaveBeenProcessed(error);
      error.isOutcomeUnknown = mayBeProcessed && method === 'POST';
      if (mayBeProcessed && !isRepeatable) return error;
      throw explainNotFound(error);
    }
  }, call);
  if (sent instanceof DriveError) throw sent;
  return sent;
}

/** What is missing may be a comment or a permission, not the file. */
function explainNotFound(error: DriveError): DriveError {
  if (error.text !== 'not_found') return error;
  const { code, status, reason, serviceMessage } = error;
  const explained = new DriveError(code, {
    text: 'not_found_request',
    params: { reason: reason ?? '-' },
    ...{ status, reason, serviceMessage },
  });
  explained.isOutcomeUnknown = error.isOutcomeUnknown;
  return explained;
}

async function read({ query }: DriveRequest, response: HttpResponse): Promise<RawResponse> {
  const { status, headers, body, bodyTimeout } = response;
  const isContent = query?.['alt'] === 'media';
  if (isContent || !/^application\/json\b/i.test(headers['content-type'] ?? '')) {
    if (isContent && headers['content-encoding']) throw badResponse('bad_response_encoding');
    const content = await readContent(response);
    return { status, body: content.length === 0 && !isContent ? '' : content };
  }
  const bytes = await readAll(body, MAX_JSON_BYTES, bodyTimeout);
  if (bytes.length === 0) return { status, body: '' };
  const parsed = tryParse(bytes);
  if (parsed === undefined) throw notJson();
  return { status, body: parsed };
}

async function readContent({ body }: HttpResponse): Promise<Buffer> {
  try {
    return await readAll(body, MAX_CONTENT_BYTES);
  } catch (error) {
    if (!isDriveError(error, 'bad_response')) throw error;
    const params = { limit: maximumSize(MAX_CONTENT_BYTES) };
    throw new DriveError('too_large', { text: 'too_large_response', params });
  }
}

async function joinPages(
  service: Service,
  query: QueryValues,
  sendPage: (query: QueryValues) => Promise<RawResponse>,
): Promise<RawResponse> {
  const { fields } = query;
  // Without this field, the list would end after the first page.
  const paged = isString(fields) ? { ...query, fields: withFields(fields, ['nextPageToken']) } : query;
  const request = async (pageToken: string | undefined) => {
    const { status, body } = await sendPage(pageToken === undefined ? paged : { ...paged, pageToken });
    if (!isObject(body) || Buffer.isBuffer(body))
      throw badResponse('bad_response_no_json', { address: urlName(service, service.baseUrl) });
    const nextPageToken = optionalMember(body, 'nextPageToken', isNonEmptyString);
    return { status, items: listIn(body), nextPageToken };
  };
  const joined: RawResponse & { body: unknown[] } = { status: 0, body: [] };
  for await (const { status, items } of allPages(request, (page) => page.items)) {
    joined.status = status;
    for (const item of items) joined.body.push(item);
  }
  return joined;
}

/** @returns the list of a page, whatever its name; an empty list may be omitted */
function listIn(page: JsonObject): unknown[] {
  const lists = Object.values(page).filter((value) => Array.isArray(value)) as unknown[][];
  // apps.list also contains an array of ids.
  return lists.find((list) => list.some(isObject)) ?? lists[0] ?? [];
}
