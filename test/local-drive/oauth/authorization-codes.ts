import { createHash } from 'node:crypto';
import type { Clock } from '../clock';
import { OAuthError } from './oauth-error';
import { randomToken } from './tokens';

/** What a browser sign-in asked for (RFC 6749 4.1.1, RFC 7636 4.3). */
export interface AuthorizationRequest {
  clientId: string;
  redirectUri: string;
  scope: string;
  state?: string;
  challenge: string;
}

/** Seconds a code may be used, as RFC 6749 4.1.2 recommends. */
const LIFETIME = 600;

/** Browser sign-ins: requests waiting for the person, and codes waiting for the token endpoint. */
export class AuthorizationCodes {
  private readonly pending = new Map<string, AuthorizationRequest>();
  private readonly codes = new Map<string, AuthorizationRequest & { expiresAt: number }>();

  constructor(private readonly clock: Clock) {}

  /** Remembers a request until the person has answered; the handle goes into the page's form. */
  begin(request: AuthorizationRequest): string {
    const handle = randomToken(18);
    this.pending.set(handle, request);
    return handle;
  }

  /** Takes the person's answer; the address to send the browser to, undefined if the request is unknown. */
  decide(handle: string, decision: 'approve' | 'deny'): string | undefined {
    const request = this.pending.get(handle);
    if (!request) return undefined;
    this.pending.delete(handle);
    if (decision === 'deny') return redirectUrl(request, { error: 'access_denied' });
    const code = `4/${randomToken(36)}`;
    this.codes.set(code, { ...request, expiresAt: this.clock.now() + LIFETIME * 1000 });
    return redirectUrl(request, { code, scope: request.scope });
  }

  /** Exchanges a code, good for once, for the granted scope (RFC 6749 4.1.3, RFC 7636 4.6). */
  redeem(clientId: string, code: string, redirectUri: string, verifier: string): string {
    const found = this.codes.get(code);
    this.codes.delete(code);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const valid =
      found?.clientId === clientId &&
      found.redirectUri === redirectUri &&
      found.challenge === challenge &&
      found.expiresAt > this.clock.now();
    if (!valid) throw new OAuthError(400, 'invalid_grant', 'Malformed auth code.');
    return found.scope;
  }
}

/** The redirect address with the answer in its query. */
export function redirectUrl(
  request: { redirectUri: string; state?: string },
  answer: Record<string, string>,
): string {
  const address = new URL(request.redirectUri);
  for (const [name, value] of Object.entries(answer)) address.searchParams.set(name, value);
  if (request.state !== undefined) address.searchParams.set('state', request.state);
  return address.href;
}
