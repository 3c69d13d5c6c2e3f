/** What is the same for each call of the admin API: who may call, and how it answers. */
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express';
import type { NodeAPI } from 'node-red';
import { DriveError } from '../../../src/index';
import { errorSummary } from '../../shared/runtime/error-message';

/**
 * Refuses what another site's page sends: Node-RED's admin server answers every origin, and without `adminAuth` nothing
 * else would stand in the way. https://developer.mozilla.org/docs/Web/HTTP/Headers/Sec-Fetch-Site
 */
function isCrossSite({ headers }: Pick<Request, 'headers'>): boolean {
  if (headers['sec-fetch-site'] === 'cross-site') return true;
  const { origin } = headers;
  if (origin === undefined) return false;
  const forwarded = String(headers['x-forwarded-host'] ?? '').split(',');
  const own = [headers.host ?? '', ...forwarded].map((host) => host.trim().toLowerCase());
  const from = hostOf(origin);
  return from === undefined || !own.includes(from);
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host.toLowerCase() || undefined;
  } catch {
    return undefined;
  }
}

/** An endpoint: the body of its answer, or nothing for 204. */
export type Endpoint = (request: Request) => Promise<object | void> | object | void;

/** Refuses a request of another site. */
export function rejectCrossSite(RED: NodeAPI): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    if (!isCrossSite(request)) next();
    else refuse(response, RED, new DriveError('permission_denied', { text: 'permission_denied_cross_site' }));
  };
}

/** Refuses a body that is no JSON: a form of another site would need no leave to send one. */
export function requireJson(RED: NodeAPI): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    if (request.is('application/json')) next();
    else refuse(response, RED, new DriveError('invalid_input', { text: 'invalid_input_json' }), 415);
  };
}

/**
 * Answers what Node-RED's own parser of bodies threw, ahead of all routes: Express would answer with a page.
 * https://github.com/expressjs/body-parser#errors
 */
export function badRequestBody(RED: NodeAPI): ErrorRequestHandler {
  return (error: unknown, request: Request, response: Response, next: NextFunction) => {
    const status =
      typeof error === 'object' && error !== null && 'status' in error ? Number(error.status) : 0;
    if (!(status >= 400 && status < 500)) return next(error);
    rejectCrossSite(RED)(request, response, () =>
      refuse(response, RED, new DriveError('invalid_input', { text: 'invalid_input_json' }), status),
    );
  };
}

/** @param status of an answer with a body */
export function handle(RED: NodeAPI, endpoint: Endpoint, status = 200): RequestHandler {
  const answer = async (request: Request, response: Response): Promise<void> => {
    try {
      const body = await endpoint(request);
      response.set('Cache-Control', 'no-store');
      if (body === undefined) response.status(204).end();
      else response.status(status).json(body);
    } catch (error) {
      refuse(response, RED, error);
    }
  };
  return (request: Request, response: Response) => void answer(request, response);
}

function refuse(response: Response, RED: NodeAPI, error: unknown, status = statusOf(error)): void {
  response
    .set('Cache-Control', 'no-store')
    .status(status)
    .json({ error: errorSummary(RED, error) });
}

const STATUS: Readonly<Record<string, number>> = {
  not_configured: 400,
  insecure_url: 400,
  invalid_input: 400,
  sign_in_required: 400,
  permission_denied: 403,
  not_found: 404,
  cancelled: 409,
  rate_limited: 429,
  bad_response: 502,
  network: 502,
  service_unavailable: 503,
  timeout: 504,
};

function statusOf(error: unknown): number {
  return error instanceof DriveError ? (STATUS[error.code] ?? 500) : 500;
}
