/** What all admin routes share: protection against other sites, and JSON, both ways. Permissions: routes.ts. */
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express';
import type { NodeAPI } from 'node-red';
import { DriveError, type JsonObject, Validator, isObject, isText } from '../../../src/index';
import { errorSummary } from '../runtime/error-message';

/**
 * Node-RED's admin server accepts requests from every origin, and without `adminAuth` from everyone, so that any web
 * page could send them. https://developer.mozilla.org/docs/Web/HTTP/Headers/Sec-Fetch-Site
 */
function isCrossSite({ headers }: Pick<Request, 'headers'>): boolean {
  if (headers['sec-fetch-site'] === 'cross-site') return true;
  const { origin } = headers;
  if (origin === undefined) return false;
  const forwarded = String(headers['x-forwarded-host'] ?? '').split(',');
  const ownHosts = [headers.host ?? '', ...forwarded].map((host) => host.trim().toLowerCase());
  const originHost = hostIn(origin);
  return originHost === undefined || !ownHosts.includes(originHost);
}

function hostIn(origin: string): string | undefined {
  try {
    return new URL(origin).host.toLowerCase() || undefined;
  } catch {
    return undefined;
  }
}

/** @returns the body of the response, or nothing for 204 */
export type Endpoint = (request: Request) => Promise<object | void> | object | void;

export function rejectCrossSite(RED: NodeAPI): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    if (!isCrossSite(request)) return next();
    const error = new DriveError('permission_denied', { text: 'permission_denied_cross_site' });
    sendError(response, errorSummary(RED, error), 403);
  };
}

/** Browsers send forms of other sites without a preflight request, but not JSON. */
export function requireJson(RED: NodeAPI): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    if (request.is('application/json')) return next();
    const error = new DriveError('invalid_input', { text: 'invalid_input_json' });
    sendError(response, errorSummary(RED, error), 415);
  };
}

/**
 * Handles errors that Node-RED's body parser or Express's router throw before a route is reached: malformed JSON, or
 * malformed percent-encoding in the path. Express would respond with a stack trace.
 * https://github.com/expressjs/body-parser#errors
 */
export function handleRequestError(RED: NodeAPI): ErrorRequestHandler {
  return (error: unknown, request: Request, response: Response, next: NextFunction) => {
    const status = isObject(error) ? Number(error['status']) : 0;
    if (!(status >= 400 && status < 500)) return next(error);
    const isPath = error instanceof URIError;
    const clientError = isPath
      ? invalidRequest('URL')
      : new DriveError('invalid_input', { text: 'invalid_input_json' });
    rejectCrossSite(RED)(request, response, () =>
      sendError(response, errorSummary(RED, clientError), status),
    );
  };
}

/** @returns the `error` member of a response: a code, a message, and what else the editor needs */
export type DescribeError = (error: unknown) => object;

export interface HandleOptions {
  /** Of a response with a body, 200 by default. */
  status?: number;
  describe?: DescribeError;
}

export function handle(
  RED: NodeAPI,
  endpoint: Endpoint,
  { status = 200, describe }: HandleOptions = {},
): RequestHandler {
  const respond = async (request: Request, response: Response): Promise<void> => {
    try {
      const body = await endpoint(request);
      response.set('Cache-Control', 'no-store');
      if (body === undefined) response.status(204).end();
      else response.status(status).json(body);
    } catch (error) {
      sendError(response, describe ? describe(error) : errorSummary(RED, error), statusFor(error));
    }
  };
  return (request: Request, response: Response) => void respond(request, response);
}

function sendError(response: Response, error: object, status: number): void {
  response.set('Cache-Control', 'no-store').status(status).json({ error });
}

/** The error for an invalid request of the editor. @param property that is wrong */
export function invalidRequest(property: string): DriveError {
  return new DriveError('invalid_input', { text: 'invalid_input_request', params: { property } });
}

/** Reads the editor's requests. @throws as {@link invalidRequest}, naming the wrong member */
export const REQUEST = new Validator((name) => invalidRequest(name || 'body'));

/** Characters of a member. */
export const MAX_LENGTH = 4_096;

/** @param most characters. @returns `''` for a missing member */
export function requestText(given: JsonObject, name: string, most = MAX_LENGTH): string {
  return REQUEST.optional(given, name, isText(most)) ?? '';
}

const STATUS: Readonly<Record<string, number>> = {
  not_configured: 400,
  insecure_url: 400,
  invalid_input: 400,
  local_file: 400,
  sign_in_required: 400,
  permission_denied: 403,
  not_found: 404,
  cancelled: 409,
  conflict: 409,
  rate_limited: 429,
  bad_response: 502,
  network: 502,
  service_unavailable: 503,
  timeout: 504,
};

function statusFor(error: unknown): number {
  return error instanceof DriveError ? (STATUS[error.code] ?? 500) : 500;
}
