/**
 * The user who signed in. When another user signs in, `replaceTokens` in running-account.ts forgets this one, and
 * nodes/watch/watch-runner.ts starts a new watch.
 */
import { DriveClient, DriveError, type OAuthContext, type Tokens } from '../../../src/index';
import type { DriveUser } from '../../shared/contract/account-api';
import type { AccountSettings } from '../settings/settings';

/** ms. The user's name is optional, so the sign-in doesn't wait longer for it. */
const TIMEOUT = 10_000;

/** @returns the user that the access token belongs to, undefined if the service doesn't return it */
export async function fetchUser(
  { accessToken }: Tokens,
  settings: AccountSettings,
  context: OAuthContext,
  signal: AbortSignal,
): Promise<DriveUser | undefined> {
  const client = clientForToken(accessToken, settings, context);
  const abort = new AbortController();
  for (const each of [signal, AbortSignal.timeout(TIMEOUT)]) {
    each.addEventListener('abort', () => abort.abort(), { once: true, signal: abort.signal });
  }
  try {
    return parseUser((await client.getAbout('user', { signal: abort.signal }))['user']);
  } catch {
    return undefined;
  } finally {
    abort.abort();
  }
}

/** A client for the access token of a sign-in whose account isn't deployed yet. It neither refreshes nor retries. */
function clientForToken(
  accessToken: string,
  { service, requestsPerSecond, maxTransfers, bandwidth }: AccountSettings,
  { http, clock }: OAuthContext,
): DriveClient {
  return new DriveClient({
    http,
    clock,
    service,
    requestsPerSecond,
    maxTransfers,
    bandwidth,
    random: Math.random,
    retryFor: 0,
    tokens: {
      get: () => Promise.resolve(accessToken),
      renew: () => Promise.reject(new DriveError('sign_in_required')),
    },
  });
}

export function parseUser(user: unknown): DriveUser | undefined {
  if (typeof user !== 'object' || user === null) return undefined;
  const { displayName, emailAddress } = user as Record<string, unknown>;
  return {
    ...(typeof displayName === 'string' ? { displayName } : {}),
    ...(typeof emailAddress === 'string' ? { emailAddress } : {}),
  };
}
