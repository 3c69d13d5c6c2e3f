/**
 * An error of the Drive API: `{"error":{"code","message","errors":[{"domain","reason","message"}]}}`.
 * https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    readonly reason: string,
    message: string,
    /** The invalid parameter or header of the request. */
    readonly location?: { location: string; locationType: 'parameter' | 'header' },
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }

  /** The JSON body of the response. */
  toBody(): object {
    const { status: code, reason, message, location } = this;
    return { error: { code, message, errors: [{ message, domain: 'global', reason, ...location }] } };
  }
}

/** 404 with Google Drive's message, which is the same for missing, deleted and inaccessible files. */
export function fileNotFound(id: string): ApiError {
  return new ApiError(404, 'notFound', `File not found: ${id}.`, parameterLocation('fileId'));
}

/** 404 for an unknown shared drive. */
export function driveNotFound(id: string): ApiError {
  return new ApiError(404, 'notFound', `Shared drive not found: ${id}`, parameterLocation('driveId'));
}

/** 400 for an invalid query parameter or metadata field. */
export function invalidValue(name: string, message = 'Invalid Value'): ApiError {
  return new ApiError(400, 'invalid', message, parameterLocation(name));
}

export function insufficientScopes(): ApiError {
  return new ApiError(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.');
}

/** 400 for a parameter outside its range or list of allowed values. */
export function invalidParameter(name: string, message: string): ApiError {
  return new ApiError(400, 'invalidParameter', message, parameterLocation(name));
}

/** 400 for a malformed or inconsistent request. */
export function badRequest(message: string): ApiError {
  return new ApiError(400, 'badRequest', message);
}

function parameterLocation(location: string) {
  return { location, locationType: 'parameter' as const };
}
