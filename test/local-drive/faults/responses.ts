import type { Response } from 'express';
import { ApiError } from '../http/api-error';

/** The default status for a reason. */
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

/** Rate limits, quotas and permissions. */
const DEFAULT_STATUS = 403;

export function sendError(
  response: Response,
  fault: { reason: string; status?: number; message?: string; retryAfter?: number | string },
): 'responded' {
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
): 'responded' {
  const { error, status = 400, description = `Fault: ${error}` } = fault;
  return sendResponse(response, { status, body: { error, error_description: description } });
}

/** Sends a response; an object as JSON, a string unchanged. */
export function sendResponse(
  response: Response,
  {
    status = 200,
    headers = {},
    body = '',
  }: { status?: number; headers?: Record<string, string>; body?: unknown },
): 'responded' {
  response.req.resume(); // the connection can be reused only once the request body has been read
  response.status(status);
  if (typeof body === 'string') {
    response.setHeader('Content-Type', 'text/html; charset=UTF-8');
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.end(body);
  } else {
    response.set(headers).json(body);
  }
  return 'responded';
}

/** Sends a JSON string of this many bytes, in chunks. */
export function sendHugeBody(response: Response, bytes: number): 'responded' {
  response.req.resume();
  response.type('json').setHeader('Content-Length', bytes);
  const chunk = Buffer.alloc(64 * 1024, 'a');
  let remaining = bytes - 2;
  response.write('"');
  const send = () => {
    while (remaining > 0) {
      const part = chunk.subarray(0, remaining);
      remaining -= part.length;
      if (!response.write(part)) {
        response.once('drain', send);
        return;
      }
    }
    response.end('"');
  };
  send();
  return 'responded';
}
