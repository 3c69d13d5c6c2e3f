/**
 * The tokens and clients that all nodes with the same credentials entry share. Each instance of a subflow has an
 * account node of its own, but all use one grant, which must not be refreshed twice at the same time.
 */
import {
  type Clock,
  DriveClient,
  type DriveClientOptions,
  type DriveError,
  HttpClient,
  type Observe,
  type SessionStore,
  TokenSource,
  type Tokens,
  requestServiceAccountToken,
} from '../../../src/index';
import type { ServiceAccountSettings } from '../settings/service-account';
import type { AccountSettings } from '../settings/settings';

export interface RunningAccountOptions {
  clock: Clock;
  tokens: Tokens;
  /** Time of the sign-in, ms since 1970; undefined if unknown. */
  signedInAt?: () => number | undefined;
  /** Saves refreshed tokens. `renewed` is the refresh token that was used. */
  save: (renewed: string, tokens: Tokens) => void;
  /** Called once when fewer scopes were granted than the account requests. */
  onMissingScopes?: (missing: string[]) => void;
  /** Storage for upload sessions that a restart interrupts. @param tokens returns the current ones */
  uploadSessions?: (tokens: () => Tokens) => SessionStore;
  /** Called for each request, retry, refresh and transfer. */
  observe?: Observe | undefined;
  /** A refresh that the account hadn't finished when it was closed, before it was started again. */
  earlier?: Promise<void> | undefined;
  /** Shared by all accounts. */
  swaps?: DriveClientOptions['swaps'];
}

/** How long an account is new after a sign-in, in ms: a week. */
const NEW = 7 * 86_400_000;

interface OpenClient {
  http: HttpClient;
  client: DriveClient;
  source: TokenSource;
}

export class RunningAccount {
  private tokens: Tokens;
  private source: TokenSource | undefined;
  /** The scopes that a sign-in requests. */
  private requestedScope = '';
  /** The missing scopes at the last check. */
  private missingScopes = '';
  private readonly listeners = new Set<() => void>();
  /** After {@link close}: resolves when no refresh is in progress, also none of before the last start. */
  settled: Promise<void> = Promise.resolve();
  /** By settings: environment variables may differ between the instances of a subflow. */
  private readonly openClients = new Map<string, OpenClient>();

  constructor(private readonly options: RunningAccountOptions) {
    this.tokens = options.tokens;
  }

  client(settings: AccountSettings): DriveClient {
    return this.openClient(settings).client;
  }

  /** @returns why a user has to sign in first; undefined if requests can be sent */
  needsSignIn(settings: AccountSettings): DriveError | undefined {
    return this.openClient(settings).source.needsSignIn;
  }

  /**
   * Whether a user signed in during the last days with access only to files of the client's Google Cloud project. What
   * such an account doesn't find may belong to another project.
   */
  isNewToProject({ seesProjectOnly }: AccountSettings): boolean {
    const since = this.options.signedInAt?.();
    return seesProjectOnly && since !== undefined && this.options.clock.now() - since < NEW;
  }

  /** Whether the service has issued an access token. */
  hasToken(settings: AccountSettings): boolean {
    return this.openClient(settings).source.hasToken;
  }

  /** Uses other tokens, maybe of another user, or none: the clients forget the user, and the nodes are notified. */
  replaceTokens(tokens: Tokens): void {
    this.tokens = tokens;
    this.source?.replace(tokens, this.options.signedInAt?.());
    for (const { client } of this.openClients.values()) client.forgetUser();
    this.warnOfMissingScopes();
    this.notify();
  }

  /** @returns a function that removes the listener */
  onSignInChange(listener: () => void): () => void {
    // Two nodes may pass the same function.
    const own = (): void => listener();
    this.listeners.add(own);
    return () => this.listeners.delete(own);
  }

  /**
   * Uses the tokens that a refresh before the last start has returned, unless others have replaced the renewed ones.
   */
  adoptRefreshed(renewed: string, tokens: Tokens): void {
    if (this.tokens.refreshToken === renewed) this.replaceTokens(tokens);
  }

  /**
   * Resolves when repositories are unlocked, no refresh is in progress and its tokens have been saved, or after some
   * time: see {@link settled}.
   */
  async close(): Promise<void> {
    this.listeners.clear();
    const clients = [...this.openClients.values()];
    this.openClients.clear();
    // The removal of locks needs a token.
    const closed = Promise.all(
      clients.map(({ client, source }) => client.closeRepositories().then(() => source.close())),
    );
    const settled = closed.then(() => Promise.all(clients.map(({ source }) => source.settled)));
    void settled.then(() => clients.forEach(({ http }) => http.close()));
    this.settled = Promise.all([settled, this.options.earlier]).then(() => undefined);
    await closed;
  }

  private openClient(settings: AccountSettings): OpenClient {
    const { clock, uploadSessions, swaps, observe } = this.options;
    const { client: oauthClient, timeout, serviceAccount, ...others } = settings;
    const { urls: _urls, scope: _scope, seesProjectOnly: _seesProjectOnly, ...limits } = others;
    const identity = serviceAccount && identityOf(serviceAccount);
    const key = JSON.stringify([oauthClient, identity, timeout, limits]);
    const existing = this.openClients.get(key);
    if (existing) return existing;
    const http = new HttpClient({ timeout, observe });
    const source = serviceAccount
      ? this.startServiceAccount(http, settings, serviceAccount)
      : (this.source ?? this.startTokenSource(http, settings));
    // Of a service account, only the identity is stored: its access tokens stay in memory.
    const sessions = uploadSessions?.(() =>
      identity === undefined ? this.tokens : { accessToken: '', refreshToken: identity },
    );
    const client = new DriveClient({
      ...limits,
      http,
      tokens: source,
      uploadSessions: sessions,
      swaps,
      clock,
      observe,
      random: Math.random,
    });
    const opened = { http, client, source };
    this.openClients.set(key, opened);
    return opened;
  }

  private startTokenSource(http: HttpClient, { client, retryFor, scope }: AccountSettings): TokenSource {
    const { clock, observe, save, earlier } = this.options;
    this.source = new TokenSource({
      signedInAt: this.options.signedInAt?.(),
      http,
      clock,
      observe,
      random: Math.random,
      retryFor,
      earlier,
      client: () => client,
      store: {
        load: () => this.tokens,
        save: (tokens) => {
          const renewed = this.tokens.refreshToken;
          this.tokens = tokens;
          save(renewed, tokens);
          this.warnOfMissingScopes();
        },
      },
      onSignInRequired: () => this.notify(),
    });
    this.requestedScope = scope;
    this.warnOfMissingScopes();
    return this.source;
  }

  /** A refused key is tried again, so a token after a refusal changes the status as well. */
  private startServiceAccount(
    http: HttpClient,
    { client, retryFor }: AccountSettings,
    serviceAccount: ServiceAccountSettings,
  ): TokenSource {
    const { clock, observe } = this.options;
    let isRefused = false;
    return new TokenSource({
      ...{ http, clock, observe, retryFor, random: Math.random },
      client: () => client,
      requestToken: () => requestServiceAccountToken({ http, clock }, serviceAccount.current()),
      store: {
        load: () => ({ accessToken: '', refreshToken: '' }),
        save: () => {
          if (isRefused) this.notify();
          isRefused = false;
        },
      },
      onSignInRequired: () => {
        isRefused = true;
        this.notify();
      },
    });
  }

  /** The user may have cleared the check box of a scope on the consent page. */
  private warnOfMissingScopes(): void {
    const missing = this.source?.missingScopes(this.requestedScope) ?? [];
    const previous = this.missingScopes;
    this.missingScopes = missing.join(' ');
    if (missing.length > 0 && this.missingScopes !== previous) this.options.onMissingScopes?.(missing);
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}

/** Who uses the drive, without the private key. */
function identityOf({ key, subject, scope, tokenUrl }: ServiceAccountSettings): string {
  return JSON.stringify([key.email, key.keyId, subject, scope, tokenUrl]);
}
