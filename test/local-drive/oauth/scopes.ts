import { OAuthError } from './oauth-error';

/** Scopes allowed in the device flow; Google doesn't allow full `drive` there. */
const DEVICE_SCOPES = new Set(['email', 'openid', 'profile', 'drive.file', 'drive.appdata']);
const CODE_SCOPES = new Set([...DEVICE_SCOPES, 'drive', 'drive.readonly', 'drive.metadata']);

/** The last segment of a scope; any base (`https://…/auth/`) is accepted before it. */
function scopeName(scope: string): string {
  return scope.slice(scope.lastIndexOf('/') + 1);
}

/** The single scopes of a space-separated list. */
export function scopesOf(scope: string): string[] {
  return scope.split(' ').filter((each) => each !== '');
}

/** Checks the requested scopes of a flow; invalid_scope names those that aren't allowed. */
export function checkScope(scope: string, flow: 'device' | 'code'): void {
  const allowed = flow === 'device' ? DEVICE_SCOPES : CODE_SCOPES;
  const scopes = scopesOf(scope);
  if (scopes.length === 0) throw new OAuthError(400, 'invalid_request', 'Missing required parameter: scope');
  const refused = scopes.filter((each) => !allowed.has(scopeName(each)));
  if (refused.length > 0) {
    throw new OAuthError(400, 'invalid_scope', `Invalid or not allowed for this flow: ${refused.join(' ')}`);
  }
}

/** Whether the scopes grant access to the Drive API. */
export function grantsDriveAccess(scope: string): boolean {
  return scope.split(' ').some((each) => scopeName(each).startsWith('drive'));
}

/** Whether the scopes allow listing shared drives. */
export function grantsSharedDrives(scope: string): boolean {
  return scope.split(' ').some((each) => ['drive', 'drive.readonly'].includes(scopeName(each)));
}

/** The spaces that the scopes grant access to. Only drive.appdata includes the app data folder. */
export function grantedSpaces(scope: string): ('drive' | 'appDataFolder')[] {
  const names = scope.split(' ').map(scopeName);
  const hasDrive = names.some((each) => each.startsWith('drive') && each !== 'drive.appdata');
  return [
    ...(hasDrive ? ['drive' as const] : []),
    ...(names.includes('drive.appdata') ? ['appDataFolder' as const] : []),
  ];
}
