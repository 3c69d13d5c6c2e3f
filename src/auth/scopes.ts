/** OAuth scopes: separated by spaces, in any order. RFC 6749 section 3.3. */

/** OpenID Connect's short scopes, and the URLs that Google returns for them. */
const FULL_NAMES: Readonly<Record<string, string>> = {
  email: 'https://www.googleapis.com/auth/userinfo.email',
  profile: 'https://www.googleapis.com/auth/userinfo.profile',
};

/**
 * The scopes that include a narrower one, by the last segment of their URLs. No other scope includes `drive.appdata`.
 * https://developers.google.com/workspace/drive/api/guides/api-specific-auth
 */
const INCLUDED_IN: Readonly<Record<string, readonly string[]>> = {
  'drive.file': ['drive'],
  'drive.readonly': ['drive'],
  'drive.metadata': ['drive'],
  'drive.metadata.readonly': ['drive.metadata', 'drive.readonly', 'drive'],
};

/**
 * @param granted from the token response; empty if it named none, which means the requested scopes (RFC 6749
 *   section 5.1)
 * @returns the requested scopes that are neither granted nor included in a granted one
 */
export function missingScopes(requested: string, granted = ''): string[] {
  const available = new Set(splitScopes(granted).map(fullName));
  if (available.size === 0) return [];
  return splitScopes(requested).filter(
    (scope) => !sufficientScopes(scope).some((each) => available.has(each)),
  );
}

const APP_DATA = 'https://www.googleapis.com/auth/drive.appdata';
const PROJECT_FILES = 'https://www.googleapis.com/auth/drive.file';
/** Scopes that identify the user and give no access to files. */
const IDENTITY = ['openid', ...Object.keys(FULL_NAMES), ...Object.values(FULL_NAMES)];

/**
 * @returns whether these scopes give access to no other files than those in the app's hidden data folder
 * https://developers.google.com/workspace/drive/api/guides/appdata
 */
export function isAppDataOnly(scope: string): boolean {
  const fileScopes = fileScopesOf(scope);
  return fileScopes.length > 0 && fileScopes.every((each) => each === APP_DATA);
}

/**
 * @returns whether the only files that users see in Google Drive and these scopes give access to are those that clients
 *   of the same Google Cloud project created
 * https://developers.google.com/workspace/drive/api/guides/api-specific-auth
 */
export function isProjectFilesOnly(scope: string): boolean {
  const fileScopes = fileScopesOf(scope);
  return fileScopes.includes(PROJECT_FILES) && fileScopes.every((each) => PROJECT_SCOPES.includes(each));
}

const PROJECT_SCOPES = [PROJECT_FILES, APP_DATA];

function fileScopesOf(scope: string): string[] {
  return splitScopes(scope).filter((each) => !IDENTITY.includes(each));
}

/** @returns the scope itself and all that include it */
function sufficientScopes(scope: string): string[] {
  const start = scope.lastIndexOf('/') + 1;
  const [base, name] = [scope.slice(0, start), scope.slice(start)];
  const wider = Object.hasOwn(INCLUDED_IN, name) ? INCLUDED_IN[name] : undefined;
  return [fullName(scope), ...(wider ?? []).map((each) => base + each)];
}

function fullName(scope: string): string {
  return (Object.hasOwn(FULL_NAMES, scope) ? FULL_NAMES[scope] : undefined) ?? scope;
}

function splitScopes(text: string): string[] {
  return [...new Set(text.match(/\S+/g) ?? [])];
}
