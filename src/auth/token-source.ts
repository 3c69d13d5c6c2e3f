/**
 * The access token of an account: cached, and refreshed by one request at a time, which all callers share. A token that
 * is about to expire is refreshed in the background while callers still use it. RFC 6749 section 6.
 */
import { DriveError, cancelled, isDriveError } from '../errors';
import { abortable, waitAtMost } from '../core/abort';
import { observed } from '../http/observer';
import { type RetryOptions, retry, retryDelay } from '../http/retry';
import type { AccessTokens, CallOptions, OAuthClient, Tokens } from '../types';
import { explainInvalidGrant } from './oauth-errors';
import { missingScopes } from './scopes';
import { type OAuthContext, refreshTokens } from './token-endpoint';

/** Storage for an account's tokens, passed in so that `src` doesn't depend on Node-RED's credentials. */
export interface TokenStore {
  /** @returns the stored tokens, empty strings if there are none */
  load(): Tokens;
  /** Saves refreshed tokens. */
  save(tokens: Tokens): void;
}

export interface TokenSourceOptions extends OAuthContext, RetryOptions {
  /** @throws `not_configured` if the client credentials are incomplete */
  client: () => OAuthClient;
  store: TokenStore;
  /**
   * Requests each access token instead of a refresh, for a grant without a refresh token, such as the key of a service
   * account.
   */
  requestToken?: () => Promise<Tokens>;
  /**
   * A refresh that an earlier source of the same tokens hasn't finished. Its tokens arrive through
   * {@link TokenSource.replace}.
   */
  earlier?: Promise<void> | undefined;
  /** Time of the sign-in that the stored tokens come from, ms since 1970; undefined if unknown. */
  signedInAt?: number | undefined;
  /** Called once when the service rejects the sign-in for good. */
  onSignInRequired?: (error: DriveError) => void;
}

/** A token is refreshed this long before it expires, ms, or at a tenth of its lifetime if that is shorter. */
const REFRESH_AHEAD = 5 * 60_000;
/** How long `close` waits for the response to a refresh, ms. */
const CLOSE_TIMEOUT = 5_000;
/**
 * A key that was refused is tried again after this time, ms. Without a new sign-in, an administrator may have allowed
 * it, or the clock may have been set.
 */
const REFUSED_KEY_PAUSE = 10_000;

type OnWait = NonNullable<CallOptions['onWait']>;

export class TokenSource implements AccessTokens {
  private tokens: Tokens;
  /** When the access token was received or loaded. */
  private receivedAt: { wall: number; monotonic: number };
  private signedInAt: number | undefined;
  /** The refresh that callers wait for, with retries. */
  private foregroundRefresh: Promise<string> | undefined;
  /** The background refresh. Resolves to undefined if it failed. */
  private backgroundRefresh: Promise<string | undefined> | undefined;
  private backgroundFailures = 0;
  /** Earliest time of the next background refresh, monotonic ms. */
  private nextBackgroundRefresh = -Infinity;
  /** The last refresh, in progress or finished. At most one is in progress. */
  private latestRefresh: Promise<string> | undefined;
  /** The `onWait` callbacks of all callers that wait for a refresh. */
  private readonly waitListeners = new Set<OnWait>();
  /** Set once the service has rejected the sign-in. */
  private signInError: DriveError | undefined;
  /** Monotonic ms. */
  private refusedAt = 0;
  /** Ends all waiting. */
  private readonly closed = new AbortController();

  constructor(private readonly options: TokenSourceOptions) {
    this.tokens = options.store.load();
    this.receivedAt = this.currentTime();
    this.signedInAt = options.signedInAt;
  }

  /**
   * Why a user has to sign in first: there are no tokens, the service has refused to refresh them, or it has refused an
   * access token that can't be refreshed. Undefined if tokens are available.
   */
  get needsSignIn(): DriveError | undefined {
    if (this.signInError) return this.signInError;
    return this.tokens.accessToken || this.canRefresh ? undefined : new DriveError('sign_in_required');
  }

  /** Whether an access token was received or stored. */
  get hasToken(): boolean {
    return this.tokens.accessToken !== '';
  }

  /** @returns the requested scopes that a token response showed to be missing */
  missingScopes(requested: string): string[] {
    return missingScopes(requested, this.tokens.scope);
  }

  async get(call: CallOptions = {}): Promise<string> {
    this.check();
    const { accessToken } = this.tokens;
    if (!accessToken || (this.canRefresh && this.expiresWithin(0))) return this.waitForRefresh(call);
    if (this.canRefresh && this.expiresWithin(REFRESH_AHEAD)) this.refreshInBackground();
    return accessToken;
  }

  async renew(refused: string, call: CallOptions = {}): Promise<string> {
    if (this.signInError && !this.mayTryAgain) throw this.signInError;
    // Another call may have refreshed the token since this request was sent.
    if (this.tokens.accessToken && this.tokens.accessToken !== refused) return this.tokens.accessToken;
    if (!this.canRefresh)
      throw this.endSignIn(new DriveError('sign_in_required', { text: 'sign_in_required_token_refused' }));
    return this.waitForRefresh(call);
  }

  /** Uses the tokens of a new sign-in, or none. @param signedInAt ms since 1970, undefined if unknown */
  replace(tokens: Tokens, signedInAt?: number): void {
    this.setTokens(tokens);
    this.signedInAt = signedInAt;
  }

  /**
   * Ends all waiting with `cancelled`. Resolves when no refresh is in progress and its tokens have been saved, or after
   * some time: see {@link settled}.
   */
  async close(): Promise<void> {
    this.closed.abort();
    if (this.latestRefresh) await waitAtMost(CLOSE_TIMEOUT, this.settled, this.options.clock);
  }

  /**
   * Resolves when no refresh is in progress. A request for new tokens is never aborted: a service that rotates refresh
   * tokens may already have revoked the old one, so that without the response, the user would have to sign in again.
   */
  get settled(): Promise<void> {
    return this.latestRefresh?.then(noop, noop) ?? Promise.resolve();
  }

  private check(): void {
    if (this.closed.signal.aborted) throw cancelled();
    if (this.needsSignIn && !this.mayTryAgain) throw this.needsSignIn;
  }

  private get canRefresh(): boolean {
    return this.tokens.refreshToken !== '' || this.options.requestToken !== undefined;
  }

  private get mayTryAgain(): boolean {
    const { requestToken, clock } = this.options;
    return requestToken !== undefined && clock.monotonic() - this.refusedAt >= REFUSED_KEY_PAUSE;
  }

  private setTokens(tokens: Tokens): void {
    this.tokens = tokens;
    this.receivedAt = this.currentTime();
    this.signInError = undefined;
    this.backgroundFailures = 0;
    this.nextBackgroundRefresh = -Infinity;
  }

  private currentTime(): { wall: number; monotonic: number } {
    const { clock } = this.options;
    return { wall: clock.now(), monotonic: clock.monotonic() };
  }

  private expiresWithin(ms: number): boolean {
    const { expiresAt } = this.tokens;
    // A token of unknown expiry is used until the service rejects it.
    if (expiresAt === undefined) return false;
    const { wall, monotonic } = this.currentTime();
    const lifetime = expiresAt - this.receivedAt.wall;
    // The wall clock may be set in the meantime, and the monotonic one may stop while the machine sleeps.
    const remaining = Math.min(expiresAt - wall, lifetime - (monotonic - this.receivedAt.monotonic));
    return remaining <= Math.min(ms, lifetime / 10);
  }

  /** A failure isn't reported, because the current token is still valid. A later call retries after a backoff. */
  private refreshInBackground(): void {
    const { clock, random } = this.options;
    const isRefreshing = this.foregroundRefresh !== undefined || this.backgroundRefresh !== undefined;
    if (isRefreshing || clock.monotonic() < this.nextBackgroundRefresh) return;
    this.backgroundRefresh = this.refresh((request) => request())
      .catch((error: unknown) => {
        const retryAfter = isDriveError(error) ? error.retryAfter : undefined;
        const wait = retryDelay(this.backgroundFailures++, random(), retryAfter);
        this.nextBackgroundRefresh = clock.monotonic() + wait;
        return undefined;
      })
      .finally(() => (this.backgroundRefresh = undefined));
  }

  /** Waits for the refresh that all callers share. It continues when one of the callers is cancelled. */
  private async waitForRefresh({ signal, onWait }: CallOptions): Promise<string> {
    const listener: OnWait = (ms, error) => onWait?.(ms, error);
    this.waitListeners.add(listener);
    this.foregroundRefresh ??= abortable(this.refreshWithRetry(), this.closed.signal).finally(
      () => (this.foregroundRefresh = undefined),
    );
    return abortable(this.foregroundRefresh, signal).finally(() => this.waitListeners.delete(listener));
  }

  private async refreshWithRetry(): Promise<string> {
    const accessToken = await this.backgroundRefresh;
    if (accessToken !== undefined) return accessToken;
    this.check();
    const onWait: OnWait = (ms, error) => this.waitListeners.forEach((listener) => listener(ms, error));
    return this.refresh((request) => retry(request, this.options, { onWait, signal: this.closed.signal }));
  }

  /** @param run runs the request, possibly several times */
  private refresh(run: (request: () => Promise<Tokens>) => Promise<Tokens>): Promise<string> {
    return (this.latestRefresh = observed(
      this.options.observe,
      () => this.requestAndSave(run),
      (took) => ({ event: 'refresh', ...took }),
    ));
  }

  private async requestAndSave(run: (request: () => Promise<Tokens>) => Promise<Tokens>): Promise<string> {
    const { client, store, requestToken, earlier } = this.options;
    const { refreshToken, scope } = this.tokens;
    await earlier;
    if (this.isReplaced(refreshToken)) return this.currentAccessToken();
    try {
      const tokens = await run(async () =>
        requestToken ? requestToken() : refreshTokens(this.options, client(), refreshToken),
      );
      if (this.isReplaced(refreshToken)) return this.currentAccessToken();
      this.setTokens({ ...(scope === undefined ? {} : { scope }), ...tokens });
      store.save(this.tokens);
      return tokens.accessToken;
    } catch (error) {
      if (!isDriveError(error, 'sign_in_required')) throw error;
      if (this.isReplaced(refreshToken)) return this.currentAccessToken();
      throw this.endSignIn(error);
    }
  }

  /** @returns whether a user has signed in or out during a refresh, whose result is then ignored */
  private isReplaced(refreshToken: string): boolean {
    return this.tokens.refreshToken !== refreshToken;
  }

  private currentAccessToken(): string {
    if (this.needsSignIn) throw this.needsSignIn;
    return this.tokens.accessToken;
  }

  private endSignIn(reason: DriveError): DriveError {
    const { clock, onSignInRequired } = this.options;
    const age = this.signedInAt === undefined ? undefined : clock.now() - this.signedInAt;
    const before = this.signInError;
    this.signInError = explainInvalidGrant(reason, age);
    this.refusedAt = clock.monotonic();
    if (before?.message !== this.signInError.message) onSignInRequired?.(this.signInError);
    return this.signInError;
  }
}

function noop(): void {}
