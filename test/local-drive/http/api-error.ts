/**
 * Errors of the files interface: `{"error":{"code","message","errors":[{"domain","reason","message"}]}}`.
 * https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    readonly reason: string,
    message: string,
    /** The request's parameter or header at fault, as the real service names it. */
    readonly location?: { location: string; locationType: 'parameter' | 'header' },
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }

  /** The JSON body of the answer. */
  toBody(): object {
    const { status: code, reason, message, location } = this;
    return { error: { code, message, errors: [{ message, domain: 'global', reason, ...location }] } };
  }
}

/** 404 in the real service's words; the same for "never was", "deleted" and "not yours". */
export function fileNotFound(id: string): ApiError {
  return new ApiError(404, 'notFound', `File not found: ${id}.`, parameterLocation('fileId'));
}

/** 404 for a shared drive that isn't there. */
export function driveNotFound(id: string): ApiError {
  return new ApiError(404, 'notFound', `Shared drive not found: ${id}`, parameterLocation('driveId'));
}

/** 400 for the value of a query parameter or a metadata field. */
export function invalidValue(name: string, message = 'Invalid Value'): ApiError {
  return new ApiError(400, 'invalid', message, parameterLocation(name));
}

/** 400 for a parameter that is out of its range or not in the list of allowed ones. */
export function invalidParameter(name: string, message: string): ApiError {
  return new ApiError(400, 'invalidParameter', message, parameterLocation(name));
}

/** 400 for a request whose body or headers do not hold together. */
export function badRequest(message: string): ApiError {
  return new ApiError(400, 'badRequest', message);
}

function parameterLocation(location: string) {
  return { location, locationType: 'parameter' as const };
}
