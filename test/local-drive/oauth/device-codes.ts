import { randomInt } from 'node:crypto';
import type { Clock } from '../clock';
import { OAuthError } from './oauth-error';
import { randomToken } from './tokens';

/** A device authorization (RFC 8628 section 3.2). */
interface DeviceCode {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly clientId: string;
  scope: string;
  readonly expiresAt: number;
  /** Seconds; each slow_down increases it. */
  interval: number;
  lastPoll?: number;
  state: 'pending' | 'approved' | 'denied';
}

/** No vowels, to avoid words, and no ambiguous letters. */
const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const SLOW_DOWN_SECONDS = 5;
/** Accepted deviation of a poll, because the timers of two processes differ. */
const TOLERANCE_MS = 50;

export interface DeviceCodeOptions {
  clock: Clock;
  /** Seconds between polls. */
  interval: number;
  /** Seconds until a code expires. */
  lifetime: number;
  /** Google's error statuses (428, 403) or those of RFC 8628 (always 400). */
  style: 'google' | 'rfc';
}

/** Device sign-ins in progress. */
export class DeviceCodes {
  private readonly codes: DeviceCode[] = [];

  constructor(private readonly options: DeviceCodeOptions) {}

  start(clientId: string, scope: string): { deviceCode: string; userCode: string } {
    const { clock, interval, lifetime } = this.options;
    const code: DeviceCode = {
      deviceCode: `AH-1Ng${randomToken(48)}`,
      userCode: newUserCode(),
      clientId,
      scope,
      expiresAt: clock.now() + lifetime * 1000,
      interval,
      state: 'pending',
    };
    this.codes.push(code);
    return code;
  }

  /** Applies the user's decision. User codes are case-sensitive. `scope` grants less than requested. */
  decide(userCode: string, decision: 'approve' | 'deny', scope?: string): boolean {
    const code = this.codes.find((each) => each.userCode === userCode && each.state === 'pending');
    if (!code || this.hasExpired(code)) return false;
    code.state = decision === 'approve' ? 'approved' : 'denied';
    code.scope = scope ?? code.scope;
    return true;
  }

  /** Handles a poll (RFC 8628 section 3.5). @returns the granted scope */
  poll(clientId: string, deviceCode: string): string {
    const code = this.codes.find((each) => each.deviceCode === deviceCode && each.clientId === clientId);
    if (!code) throw new OAuthError(400, 'invalid_grant', 'Malformed or used device code.');
    if (this.hasExpired(code)) throw new OAuthError(400, 'expired_token', 'The device code has expired.');
    this.checkInterval(code);
    if (code.state === 'denied') throw this.error(403, 'access_denied', 'Forbidden');
    if (code.state === 'pending') throw this.error(428, 'authorization_pending', 'Precondition Required');
    this.codes.splice(this.codes.indexOf(code), 1);
    return code.scope;
  }

  private checkInterval(code: DeviceCode): void {
    const now = this.options.clock.now();
    const isEarly = code.lastPoll !== undefined && now - code.lastPoll < code.interval * 1000 - TOLERANCE_MS;
    code.lastPoll = now;
    if (!isEarly) return;
    code.interval += SLOW_DOWN_SECONDS;
    throw this.error(403, 'slow_down', 'Forbidden');
  }

  private hasExpired(code: DeviceCode): boolean {
    return this.options.clock.now() >= code.expiresAt;
  }

  private error(googleStatus: number, error: string, description: string): OAuthError {
    return new OAuthError(this.options.style === 'google' ? googleStatus : 400, error, description);
  }
}

function newUserCode(): string {
  const letters = Array.from({ length: 8 }, () =>
    USER_CODE_LETTERS.charAt(randomInt(USER_CODE_LETTERS.length)),
  ).join('');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
