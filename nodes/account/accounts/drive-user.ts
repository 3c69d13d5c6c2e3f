/** Who has signed in. */
import { DriveClient, DriveError, type OAuthContext, type Tokens } from '../../../src/index';
import type { DriveUser } from '../../shared/contract/account-api';
import type { AccountSettings } from '../settings/settings';

/** ms. Knowing who it is is nice to have: the sign-in doesn't wait longer for it. */
const LONGEST = 10_000;

/** Asks the service to whom the tokens belong; undefined where it doesn't say. */
export async function fetchUser(
  { accessToken }: Tokens,
  settings: AccountSettings,
  context: OAuthContext,
  signal: AbortSignal,
): Promise<DriveUser | undefined> {
  const client = clientForToken(accessToken, settings, context);
  const either = new AbortController();
  for (const each of [signal, AbortSignal.timeout(LONGEST)]) {
    each.addEventListener('abort', () => either.abort(), { once: true, signal: either.signal });
  }
  try {
    return parseUser((await client.getAbout('user', { signal: either.signal }))['user']);
  } catch {
    return undefined;
  } finally {
    either.abort();
  }
}

/** A client for the tokens of a sign-in whose account doesn't run yet. */
export function clientForToken(
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
