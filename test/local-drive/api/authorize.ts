import type { NextFunction, Request, Response } from 'express';
import { ApiError, insufficientScopes } from '../http/api-error';
import { contextOf } from '../http/request-context';
import { queryOf } from '../http/query-parameters';
import type { Grants } from '../oauth/grants';
import { grantsDriveAccess, grantedSpaces, grantsSharedDrives } from '../oauth/scopes';

/** Requires a valid bearer token with a Drive scope (RFC 6750 section 2.1). */
export function requireToken(grants: Grants) {
  return (request: Request, _response: Response, next: NextFunction): void => {
    const header = request.headers.authorization;
    // The URL of an upload session needs no token, but a token that is sent must be valid.
    const isUploadSession = request.baseUrl.includes('/upload/') && queryOf(request).has('upload_id');
    if (header !== undefined || !isUploadSession) authorize(grants, request, header);
    next();
  };
}

function authorize(grants: Grants, request: Request, header: string | undefined): void {
  const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
  const scope = token === undefined ? undefined : grants.scopeOf(token);
  if (scope === undefined) {
    const location = { location: 'Authorization', locationType: 'header' as const };
    const headers = { 'WWW-Authenticate': 'Bearer realm="local-drive", error="invalid_token"' };
    throw new ApiError(401, 'authError', 'Invalid Credentials', location, headers);
  }
  if (!grantsDriveAccess(scope)) {
    throw insufficientScopes();
  }
  contextOf(request).grantedSpaces = grantedSpaces(scope);
  contextOf(request).grantsSharedDrives = grantsSharedDrives(scope);
  contextOf(request).account = grants.accountOf(token ?? '');
}
