import type { Response } from 'express';
import { ApiError } from '../http/api-error';

/** Status of a reason, where a fault does not give one. */
const STATUS_BY_REASON: Record<string, number> = {
  authError: 401,
  badRequest: 400,
  invalid: 400,
  conflict: 409,
  notFound: 404,
  backendError: 500,
  internalError: 500,
  serviceUnavailable: 503,
  gatewayTimeout: 504,
  requestTimeout: 408,
  tooManyRequests: 429,
};

/** Everything else that the real service gives a reason is 403: rate limits, quotas, permissions. */
const DEFAULT_STATUS = 403;

export function sendError(
  response: Response,
  fault: { reason: string; status?: number; message?: string; retryAfter?: number | string },
): 'answered' {
  const {
    reason,
    status = STATUS_BY_REASON[reason] ?? DEFAULT_STATUS,
    message = `Fault: ${reason}`,
    retryAfter,
  } = fault;
  if (retryAfter !== undefined) response.setHeader('Retry-After', String(retryAfter));
  return sendResponse(response, { status, body: new ApiError(status, reason, message).toBody() });
}

export function sendOAuthError(
  response: Response,
  fault: { error: string; status?: number; description?: string },
): 'answered' {
  const { error, status = 400, description = `Fault: ${error}` } = fault;
  return sendResponse(response, { status, body: { error, error_description: description } });
}

/** Any answer; an object is sent as JSON, a text as it is. */
export function sendResponse(
  response: Response,
  {
    status = 200,
    headers = {},
    body = '',
  }: { status?: number; headers?: Record<string, string>; body?: unknown },
): 'answered' {
  response.req.resume(); // the connection is only usable again once the request body is gone
  response.status(status);
  if (typeof body === 'string') {
    response.setHeader('Content-Type', 'text/html; charset=UTF-8');
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.end(body);
  } else {
    response.set(headers).json(body);
  }
  return 'answered';
}

/** JSON of this many bytes, sent in pieces. */
export function sendHugeBody(response: Response, bytes: number): 'answered' {
  response.req.resume();
  response.type('json').setHeader('Content-Length', bytes);
  const piece = Buffer.alloc(64 * 1024, 'a');
  let left = bytes - 2;
  response.write('"');
  const send = () => {
    while (left > 0) {
      const part = piece.subarray(0, left);
      left -= part.length;
      if (!response.write(part)) {
        response.once('drain', send);
        return;
      }
    }
    response.end('"');
  };
  send();
  return 'answered';
}
