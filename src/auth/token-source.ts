/**
 * The access token of an account: cached, renewed before it ends, one refresh at a time for all who wait. Nobody waits
 * while the old token is still good. RFC 6749 6.
 */
import { DriveError, cancelled, isDriveError } from '../errors';
import { abortable } from '../concurrency/abortable';
import { type RetryOptions, retry, retryDelay } from '../http/retry';
import type { AccessTokens, CallOptions, OAuthClient, Tokens } from '../types';
import { explainInvalidGrant } from './invalid-grant';
import { missingScopes } from './scopes';
import { type OAuthContext, refreshTokens } from './token-endpoint';
import type { TokenStore } from './token-store';

export interface TokenSourceOptions extends OAuthContext, RetryOptions {
  /** @throws `not_configured` where the client is not complete */
  client: () => OAuthClient;
  store: TokenStore;
  /** When the sign-in was that brought the tokens of the store, milliseconds since 1970; if that is known. */
  signedInAt?: number;
  /** Told once when the grant turns out to be dead. */
  onSignInRequired?: (error: DriveError) => void;
}

/** A token is renewed this long before it ends, or at a tenth of its life where that is shorter. */
const EARLY = 5 * 60_000;
/**
 * How long the end waits for an answer that is on its way, ms. A service that gives a new refresh token each time has
 * ended the old one by then: to give up would be to lose the sign-in.
 */
const LAST_ANSWER = 5_000;

export class TokenSource implements AccessTokens {
  private tokens: Tokens;
  /** When the access token was received or loaded. */
  private receivedAt: { wall: number; monotonic: number };
  private signedInAt: number | undefined;
  private refreshing: Promise<string> | undefined;
  /** One try ahead of the end, for which nobody waits; comes to nothing where it failed. */
  private early: Promise<string | undefined> | undefined;
  private earlyFailures = 0;
  /** When the next such try may be. */
  private earlyAgain = -Infinity;
  /** The latest refresh, of either kind, over or not. There is never a second one beside it. */
  private asking: Promise<string> | undefined;
  /** Told how long a refresh waits before it tries again. */
  private readonly waiting = new Set<(ms: number) => void>();
  private dead: DriveError | undefined;
  private readonly closed = new AbortController();
  private readonly line = new AbortController();

  constructor(private readonly options: TokenSourceOptions) {
    this.tokens = options.store.load();
    this.receivedAt = this.currentTime();
    this.signedInAt = options.signedInAt;
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

  /** @returns which of the scopes that a sign-in asked for were not granted, as far as an answer said so */
  missingScopes(asked: string): string[] {
    return missingScopes(asked, this.scope);
  }

  async get(call: CallOptions = {}): Promise<string> {
    this.check();
    const { accessToken, refreshToken } = this.tokens;
    if (!accessToken || (refreshToken && this.endsWithin(0))) return this.refreshed(call);
    if (refreshToken && this.endsWithin(EARLY)) this.refreshEarly();
    return accessToken;
  }

  async renew(refused: string, call: CallOptions = {}): Promise<string> {
    if (this.dead) throw this.dead;
    // Another call may have renewed it while this one was on its way.
    if (this.tokens.accessToken && this.tokens.accessToken !== refused) return this.tokens.accessToken;
    if (!this.tokens.refreshToken)
      throw this.die(new DriveError('sign_in_required', { text: 'sign_in_required_token_refused' }));
    return this.refreshed(call);
  }

  /** Takes over the tokens of a new sign-in. @param signedInAt when it was, if that is known */
  replace(tokens: Tokens, signedInAt?: number): void {
    this.take(tokens);
    this.signedInAt = signedInAt;
  }

  /** Ends all waiting with `cancelled`; resolves when nothing is under way any more and what came has been saved. */
  async close(): Promise<void> {
    this.closed.abort();
    if (!this.asking) return;
    const answered = new AbortController();
    this.options.clock.sleep(LAST_ANSWER, answered.signal).then(() => this.line.abort(), nothing);
    await this.asking.then(nothing, nothing);
    answered.abort();
  }

  private check(): void {
    if (this.closed.signal.aborted) throw cancelled();
    const missing = this.needsSignIn;
    if (missing) throw missing;
  }

  private take(tokens: Tokens): void {
    this.tokens = tokens;
    this.receivedAt = this.currentTime();
    this.dead = undefined;
    this.earlyFailures = 0;
    this.earlyAgain = -Infinity;
  }

  private currentTime(): { wall: number; monotonic: number } {
    const { clock } = this.options;
    return { wall: clock.now(), monotonic: clock.monotonic() };
  }

  private endsWithin(ms: number): boolean {
    const { expiresAt } = this.tokens;
    // Without a known end (a token from before a restart) it is used until it is refused.
    if (expiresAt === undefined) return false;
    const { wall, monotonic } = this.currentTime();
    const lifetime = expiresAt - this.receivedAt.wall;
    // The wall clock may be set in the meantime, and the monotonic one may stop while the machine sleeps.
    const remaining = Math.min(expiresAt - wall, lifetime - (monotonic - this.receivedAt.monotonic));
    return remaining <= Math.min(ms, lifetime / 10);
  }

  /** A try that fails is repeated by a later call, at the pace of all retries: the old token is good until its end. */
  private refreshEarly(): void {
    const { clock, random } = this.options;
    if (this.refreshing || this.early || clock.monotonic() < this.earlyAgain) return;
    this.early = this.ask((work) => work())
      .catch((error: unknown) => {
        const asked = isDriveError(error) ? error.retryAfter : undefined;
        this.earlyAgain = clock.monotonic() + retryDelay(this.earlyFailures++, random(), asked);
        return undefined;
      })
      .finally(() => (this.early = undefined));
  }

  /** All who wait share one refresh; who gives up leaves it to the others. */
  private async refreshed({ signal, onWait }: CallOptions): Promise<string> {
    const told = (ms: number): void => onWait?.(ms);
    this.waiting.add(told);
    this.refreshing ??= abortable(this.refresh(), this.closed.signal).finally(
      () => (this.refreshing = undefined),
    );
    return abortable(this.refreshing, signal).finally(() => this.waiting.delete(told));
  }

  private async refresh(): Promise<string> {
    const early = await this.early;
    if (early !== undefined) return early;
    this.check();
    const onWait = (ms: number): void => this.waiting.forEach((told) => told(ms));
    return this.ask((work) => retry(work, this.options, { onWait, signal: this.closed.signal }));
  }

  private ask(run: (work: () => Promise<Tokens>) => Promise<Tokens>): Promise<string> {
    return (this.asking = this.renewed(run));
  }

  private async renewed(run: (work: () => Promise<Tokens>) => Promise<Tokens>): Promise<string> {
    const { client, store } = this.options;
    const { refreshToken, scope } = this.tokens;
    try {
      const tokens = await run(async () =>
        refreshTokens(this.options, client(), refreshToken, this.line.signal),
      );
      if (this.isReplaced(refreshToken)) return this.others();
      this.take({ ...(scope === undefined ? {} : { scope }), ...tokens });
      store.save(this.tokens);
      return tokens.accessToken;
    } catch (error) {
      if (!isDriveError(error, 'sign_in_required')) throw error;
      if (this.isReplaced(refreshToken)) return this.others();
      throw this.die(error);
    }
  }

  /** Someone may have signed in anew while a refresh was under way, or out: that stays, whatever comes of it. */
  private isReplaced(refreshToken: string): boolean {
    return this.tokens.refreshToken !== refreshToken;
  }

  private others(): string {
    if (this.needsSignIn) throw this.needsSignIn;
    return this.tokens.accessToken;
  }

  private die(reason: DriveError): DriveError {
    const { clock, onSignInRequired } = this.options;
    const age = this.signedInAt === undefined ? undefined : clock.now() - this.signedInAt;
    const error = explainInvalidGrant(reason, age);
    this.dead = error;
    onSignInRequired?.(error);
    return error;
  }
}

function nothing(): void {}
