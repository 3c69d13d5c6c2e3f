/** Scopes as OAuth writes them: blank-separated, in any order. RFC 6749 3.3. */

/** OpenID's short names and what Google answers for them. */
const LONG: Readonly<Record<string, string>> = {
  email: 'https://www.googleapis.com/auth/userinfo.email',
  profile: 'https://www.googleapis.com/auth/userinfo.profile',
};

/**
 * @param granted undefined where the answer didn't say: then it is what was asked for (RFC 6749 5.1)
 * @returns what was asked for and not granted
 */
export function missingScopes(asked: string, granted: string | undefined): string[] {
  if (granted === undefined) return [];
  const given = new Set(scopesOf(granted));
  return scopesOf(asked).filter((scope) => !given.has(scope) && !given.has(LONG[scope] ?? scope));
}

function scopesOf(text: string): string[] {
  return [...new Set(text.split(/\s+/))].filter((scope) => scope !== '');
}
