import type { NextFunction, Request, Response } from 'express';
import { ApiError } from '../http/api-error';
import { contextOf } from '../http/request-context';
import { queryOf } from '../http/query-parameters';
import type { Grants } from '../oauth/grants';
import { grantsDriveAccess, grantedSpaces } from '../oauth/scopes';

/** Lets a request through that carries a valid bearer token with a scope for files (RFC 6750 2.1). */
export function requireToken(grants: Grants) {
  return (request: Request, _response: Response, next: NextFunction): void => {
    const header = request.headers.authorization;
    // The address of an upload session is itself a key: it needs no token, but a token given must be valid.
    const session = request.baseUrl.includes('/upload/') && queryOf(request).has('upload_id');
    if (header !== undefined || !session) authorize(grants, request, header);
    next();
  };
}

function authorize(grants: Grants, request: Request, header: string | undefined): void {
  const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
  const scope = token === undefined ? undefined : grants.scopeOf(token);
  if (scope === undefined) {
    const at = { location: 'Authorization', locationType: 'header' as const };
    const headers = { 'WWW-Authenticate': 'Bearer realm="local-drive", error="invalid_token"' };
    throw new ApiError(401, 'authError', 'Invalid Credentials', at, headers);
  }
  if (!grantsDriveAccess(scope)) {
    const message = 'Request had insufficient authentication scopes.';
    throw new ApiError(403, 'insufficientPermissions', message);
  }
  contextOf(request).grantedSpaces = grantedSpaces(scope);
}
