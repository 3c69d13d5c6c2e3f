/**
 * The access token of an account: cached, renewed before it ends, one refresh at a time for all who wait.
 * service.md 5.4, RFC 6749 6.
 */
import { DriveError, cancelled, isDriveError } from '../errors';
import { type RetryOptions, retrying } from '../http/retry';
import type { AccessTokens, OAuthClient, Tokens } from '../types';
import { type OAuthContext, refresh } from './token-endpoint';
import type { TokenStore } from './token-store';

export interface TokenSourceOptions extends OAuthContext, RetryOptions {
  /** @throws `not_configured` where the client is not complete */
  client: () => OAuthClient;
  store: TokenStore;
  /** Told once when the grant turns out to be dead. */
  onDead?: (error: DriveError) => void;
}

/** A token is renewed this long before it ends, or at a tenth of its life where that is shorter. */
const EARLY = 5 * 60_000;

export class TokenSource implements AccessTokens {
  private tokens: Tokens;
  /** When the token in use came, to know how long it lives. */
  private since: number;
  private refreshing: Promise<string> | undefined;
  private dead: DriveError | undefined;

  constructor(private readonly options: TokenSourceOptions) {
    this.tokens = options.store.load();
    this.since = options.clock.now();
  }

  /** Why no token can be had until someone signs in, undefined while one can. */
  get needsSignIn(): DriveError | undefined {
    if (this.dead) return this.dead;
    const { accessToken, refreshToken } = this.tokens;
    return accessToken || refreshToken ? undefined : new DriveError('sign_in_required');
  }

  /** Scopes that were granted, where an answer said so. */
  get scope(): string | undefined {
    return this.tokens.scope;
  }

  async get(signal?: AbortSignal): Promise<string> {
    const missing = this.needsSignIn;
    if (missing) throw missing;
    const { accessToken, refreshToken } = this.tokens;
    if (accessToken && !(refreshToken && this.endsSoon())) return accessToken;
    return this.refreshed(signal);
  }

  async renew(refused: string, signal?: AbortSignal): Promise<string> {
    if (this.dead) throw this.dead;
    // Another call may have renewed it while this one was on its way.
    if (this.tokens.accessToken && this.tokens.accessToken !== refused) return this.tokens.accessToken;
    if (!this.tokens.refreshToken)
      throw this.die(new DriveError('sign_in_required', { text: 'sign_in_required_token_refused' }));
    return this.refreshed(signal);
  }

  /** Takes over the tokens of a new sign-in. */
  adopt(tokens: Tokens): void {
    this.tokens = tokens;
    this.since = this.options.clock.now();
    this.dead = undefined;
  }

  private endsSoon(): boolean {
    const { expiresAt } = this.tokens;
    // Without a known end (a token from before a restart) it is used until it is refused.
    if (expiresAt === undefined) return false;
    const early = Math.min(EARLY, (expiresAt - this.since) / 10);
    return this.options.clock.now() >= expiresAt - early;
  }

  /** All who wait share one refresh; who gives up leaves it to the others. */
  private async refreshed(signal?: AbortSignal): Promise<string> {
    this.refreshing ??= this.refresh().finally(() => (this.refreshing = undefined));
    return raceAbort(this.refreshing, signal);
  }

  private async refresh(): Promise<string> {
    const { client, store } = this.options;
    const { refreshToken, scope } = this.tokens;
    try {
      const tokens = await retrying(() => refresh(this.options, client(), refreshToken), this.options);
      // Someone may have signed in anew meanwhile, or out: that stays.
      if (this.tokens.refreshToken !== refreshToken) {
        if (this.needsSignIn) throw this.needsSignIn;
        return this.tokens.accessToken;
      }
      this.adopt({ ...(scope === undefined ? {} : { scope }), ...tokens });
      store.save(this.tokens);
      return tokens.accessToken;
    } catch (error) {
      const ended = isDriveError(error, 'sign_in_required') && this.tokens.refreshToken === refreshToken;
      throw ended ? this.die(error) : error;
    }
  }

  private die(error: DriveError): DriveError {
    this.dead = error;
    this.options.onDead?.(error);
    return error;
  }
}

function raceAbort<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work;
  return new Promise<T>((resolve, reject) => {
    const leave = (): void => reject(cancelled());
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
