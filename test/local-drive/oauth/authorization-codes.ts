import { createHash } from 'node:crypto';
import type { Clock } from '../clock';
import { OAuthError } from './oauth-error';
import { randomToken } from './tokens';

/** An authorization request (RFC 6749 section 4.1.1, RFC 7636 section 4.3). */
export interface AuthorizationRequest {
  clientId: string;
  redirectUri: string;
  scope: string;
  state?: string;
  challenge: string;
}

/** Lifetime of a code in seconds, as recommended by RFC 6749 section 4.1.2. */
const LIFETIME = 600;

/** Browser sign-ins: requests awaiting consent, and codes awaiting the token endpoint. */
export class AuthorizationCodes {
  private readonly pending = new Map<string, AuthorizationRequest>();
  private readonly codes = new Map<string, AuthorizationRequest & { expiresAt: number }>();

  constructor(private readonly clock: Clock) {}

  /** Stores a request until the user decides. @returns the handle for the consent form */
  begin(request: AuthorizationRequest): string {
    const handle = randomToken(18);
    this.pending.set(handle, request);
    return handle;
  }

  /** Applies the user's decision. @param picked ids of existing files, separated by commas. @returns the redirect URL; undefined if the request is unknown */
  decide(handle: string, decision: 'approve' | 'deny', picked = ''): string | undefined {
    const request = this.pending.get(handle);
    if (!request) return undefined;
    this.pending.delete(handle);
    if (decision === 'deny') return redirectUrl(request, { error: 'access_denied' });
    const code = `4/${randomToken(36)}`;
    this.codes.set(code, { ...request, expiresAt: this.clock.now() + LIFETIME * 1000 });
    const parameters: Record<string, string> = { code, scope: request.scope };
    if (picked !== '') parameters['picked_file_ids'] = picked;
    return redirectUrl(request, parameters);
  }

  /** Exchanges a single-use code for the granted scope (RFC 6749 section 4.1.3, RFC 7636 section 4.6). */
  redeem(clientId: string, code: string, redirectUri: string, verifier: string): string {
    const found = this.codes.get(code);
    this.codes.delete(code);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const isValid =
      found?.clientId === clientId &&
      found.redirectUri === redirectUri &&
      found.challenge === challenge &&
      found.expiresAt > this.clock.now();
    if (!isValid) throw new OAuthError(400, 'invalid_grant', 'Malformed auth code.');
    return found.scope;
  }
}

/** The redirect URL with these response parameters. */
export function redirectUrl(
  request: { redirectUri: string; state?: string },
  parameters: Record<string, string>,
): string {
  const url = new URL(request.redirectUri);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  if (request.state !== undefined) url.searchParams.set('state', request.state);
  return url.href;
}
