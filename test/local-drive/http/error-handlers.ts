import type { NextFunction, Request, Response } from 'express';
import { ApiError } from './api-error';
import { ConnectionLostError } from './request-body';

/** Turns what an endpoint threw into the answer; `log` hears of what was not expected. */
export function handleErrors(log: (line: string) => void) {
  return (error: unknown, request: Request, response: Response, _next: NextFunction): void => {
    if (response.headersSent || error instanceof ConnectionLostError) {
      response.socket?.destroy();
      return;
    }
    // Unless the rest of the request is read, the connection cannot carry the next one.
    request.resume();
    const known = error instanceof ApiError ? error : fromHttpError(error);
    if (!known) {
      log(error instanceof Error ? (error.stack ?? error.message) : String(error));
      response.status(500).json(new ApiError(500, 'internalError', 'Internal Error').toBody());
      return;
    }
    response.set(known.headers).status(known.status).json(known.toBody());
  };
}

/** What the router itself refuses, an address that cannot be decoded say. */
function fromHttpError(error: unknown): ApiError | undefined {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' && status < 500
    ? new ApiError(status, 'badRequest', 'Bad Request')
    : undefined;
}

/** 404 for an address that is no endpoint. */
export function rejectUnknownUrl(request: Request): never {
  throw new ApiError(404, 'notFound', `Not Found: ${request.method} ${request.path}`);
}
