import { OAuthError } from './oauth-error';

/** Scopes the device flow grants; the real service refuses full `drive` there. */
const DEVICE_SCOPES = new Set(['email', 'openid', 'profile', 'drive.file', 'drive.appdata']);
const CODE_SCOPES = new Set([...DEVICE_SCOPES, 'drive', 'drive.readonly', 'drive.metadata']);

/** The last segment of a scope: any scope base (`https://…/auth/`) is accepted before it. */
function scopeName(scope: string): string {
  return scope.slice(scope.lastIndexOf('/') + 1);
}

/** Checks a scope string for a flow; invalid_scope names the ones that are refused. */
export function checkScope(scope: string, flow: 'device' | 'code'): void {
  const known = flow === 'device' ? DEVICE_SCOPES : CODE_SCOPES;
  const scopes = scope.split(' ').filter((each) => each !== '');
  if (scopes.length === 0) throw new OAuthError(400, 'invalid_request', 'Missing required parameter: scope');
  const refused = scopes.filter((each) => !known.has(scopeName(each)));
  if (refused.length > 0) {
    throw new OAuthError(400, 'invalid_scope', `Invalid or not allowed for this flow: ${refused.join(' ')}`);
  }
}

/** Whether a granted scope string opens the files interface at all. */
export function grantsDriveAccess(scope: string): boolean {
  return scope.split(' ').some((each) => scopeName(each).startsWith('drive'));
}

/** Which spaces a granted scope string opens: not even the whole drive's opens the hidden folder. */
export function grantedSpaces(scope: string): ('drive' | 'appDataFolder')[] {
  const names = scope.split(' ').map(scopeName);
  const opensDrive = names.some((each) => each.startsWith('drive') && each !== 'drive.appdata');
  return [
    ...(opensDrive ? ['drive' as const] : []),
    ...(names.includes('drive.appdata') ? ['appDataFolder' as const] : []),
  ];
}
