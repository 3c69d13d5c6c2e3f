import type { NextFunction, Request, Response } from 'express';
import { ApiError } from './api-error';
import { ConnectionLostError } from './request-body';

/** Express error handler: sends API errors, and logs all others as internal errors. */
export function handleErrors(log: (line: string) => void) {
  return (error: unknown, request: Request, response: Response, _next: NextFunction): void => {
    if (response.headersSent || error instanceof ConnectionLostError) {
      response.socket?.destroy();
      return;
    }
    // The connection can be reused only once the whole request has been read.
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

/** Errors of the router, such as a URL that can't be decoded. */
function fromHttpError(error: unknown): ApiError | undefined {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' && status < 500
    ? new ApiError(status, 'badRequest', 'Bad Request')
    : undefined;
}

/** 404 for a URL without a route. */
export function rejectUnknownUrl(request: Request): never {
  throw new ApiError(404, 'notFound', `Not Found: ${request.method} ${request.path}`);
}
