/** Scopes as OAuth writes them: blank-separated, in any order. RFC 6749 3.3. */

/** OpenID's short names and what Google answers for them. */
const LONG: Readonly<Record<string, string>> = {
  email: 'https://www.googleapis.com/auth/userinfo.email',
  profile: 'https://www.googleapis.com/auth/userinfo.profile',
};

/**
 * The wider scopes that hold a narrower one, by the last part of their addresses. `drive.appdata` is held by none.
 * https://developers.google.com/workspace/drive/api/guides/api-specific-auth
 */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  'drive.file': ['drive'],
  'drive.readonly': ['drive'],
  'drive.metadata': ['drive'],
  'drive.metadata.readonly': ['drive.metadata', 'drive.readonly', 'drive'],
};

/**
 * @param granted undefined or empty where the answer didn't say: then it is what was asked for (RFC 6749 5.1)
 * @returns what was asked for and is neither granted nor held by what is
 */
export function missingScopes(asked: string, granted = ''): string[] {
  const given = new Set(scopesOf(granted).map(longName));
  if (given.size === 0) return [];
  return scopesOf(asked).filter((scope) => !waysToHave(scope).some((way) => given.has(way)));
}

const APP_DATA = 'https://www.googleapis.com/auth/drive.appdata';
/** They open no files. */
const WHO = ['openid', ...Object.keys(LONG), ...Object.values(LONG)];

/**
 * @returns whether of all files these scopes open only those in the hidden folder of the client
 * https://developers.google.com/workspace/drive/api/guides/appdata
 */
export function isAppDataOnly(scope: string): boolean {
  const opening = scopesOf(scope).filter((each) => !WHO.includes(each));
  return opening.length > 0 && opening.every((each) => each === APP_DATA);
}

function waysToHave(scope: string): string[] {
  const at = scope.lastIndexOf('/') + 1;
  const [base, name] = [scope.slice(0, at), scope.slice(at)];
  const wider = Object.hasOwn(WIDER, name) ? WIDER[name] : undefined;
  return [longName(scope), ...(wider ?? []).map((each) => base + each)];
}

function longName(scope: string): string {
  return (Object.hasOwn(LONG, scope) ? LONG[scope] : undefined) ?? scope;
}

function scopesOf(text: string): string[] {
  return [...new Set(text.match(/\S+/g) ?? [])];
}
