/**
 * What all nodes with the same entry of credentials share: the instances of a subflow have one each of the node in it,
 * but only one grant, which must not be renewed by two of them at once.
 */
import {
  type Clock,
  DriveClient,
  type DriveError,
  HttpClient,
  type SessionStore,
  TokenSource,
  type Tokens,
} from '../../../src/index';
import type { AccountSettings } from '../settings/settings';

export interface SharedAccountOptions {
  clock: Clock;
  /** From 0 to 1. */
  random: () => number;
  tokens: Tokens;
  /** When someone signed in, ms since 1970; undefined where that is not known. */
  signedInAt: () => number | undefined;
  /** Keeps what a refresh brought. `renewed` is the refresh token that was used. */
  save: (renewed: string, tokens: Tokens) => void;
  /** Told once when fewer scopes were granted than the account asks for. */
  onMissingScopes: (missing: string[]) => void;
  /** Where uploads are kept that a restart interrupts. @param tokens those in use when it is asked */
  uploadSessions: (tokens: () => Tokens) => SessionStore;
}

interface Running {
  http: HttpClient;
  client: DriveClient;
}

export class SharedAccount {
  private tokens: Tokens;
  private source: TokenSource | undefined;
  /** What a sign-in asks for. */
  private asked = '';
  private missing = '';
  private readonly listeners = new Set<() => void>();
  /** By their settings: an environment variable may differ from one instance of a subflow to the next. */
  private readonly running = new Map<string, Running>();

  constructor(private readonly options: SharedAccountOptions) {
    this.tokens = options.tokens;
  }

  client(settings: AccountSettings): DriveClient {
    return this.runningWith(settings).client;
  }

  /** Why nothing can be done until someone signs in; undefined while all is well. */
  needsSignIn(settings: AccountSettings): DriveError | undefined {
    this.runningWith(settings);
    return this.source?.needsSignIn;
  }

  /** Goes on with other tokens, or with none. */
  replaceTokens(tokens: Tokens): void {
    this.tokens = tokens;
    this.source?.replace(tokens, this.options.signedInAt());
    this.checkScopes();
    this.tell();
  }

  /** @returns how to stop listening */
  onSignInChange(listener: () => void): () => void {
    // Two nodes may give the same function.
    const own = (): void => listener();
    this.listeners.add(own);
    return () => this.listeners.delete(own);
  }

  /** Resolves when nothing is under way any more; what a refresh brings until then is kept. */
  async close(): Promise<void> {
    this.listeners.clear();
    await this.source?.close();
    for (const { http } of this.running.values()) http.close();
    this.running.clear();
  }

  private runningWith(settings: AccountSettings): Running {
    const { clock, random, uploadSessions } = this.options;
    const { client: oauth, urls: _addresses, scope: _scope, timeout, ...limits } = settings;
    const key = JSON.stringify([oauth, timeout, limits]);
    const known = this.running.get(key);
    if (known) return known;
    const http = new HttpClient({ timeout });
    const tokens = this.source ?? this.begin(http, settings);
    const sessions = uploadSessions(() => this.tokens);
    const client = new DriveClient({ ...limits, http, tokens, uploadSessions: sessions, clock, random });
    const made = { http, client };
    this.running.set(key, made);
    return made;
  }

  private begin(http: HttpClient, settings: AccountSettings): TokenSource {
    this.source = this.tokenSource(http, settings);
    this.asked = settings.scope;
    this.checkScopes();
    return this.source;
  }

  private checkScopes(): void {
    const missing = this.source?.missingScopes(this.asked) ?? [];
    const told = this.missing;
    this.missing = missing.join(' ');
    if (missing.length > 0 && this.missing !== told) this.options.onMissingScopes(missing);
  }

  private tokenSource(http: HttpClient, { client, retryFor }: AccountSettings): TokenSource {
    const { clock, random, save } = this.options;
    const signedInAt = this.options.signedInAt();
    return new TokenSource({
      ...(signedInAt === undefined ? {} : { signedInAt }),
      http,
      clock,
      random,
      retryFor,
      client: () => client,
      store: {
        load: () => this.tokens,
        save: (tokens) => {
          const renewed = this.tokens.refreshToken;
          this.tokens = tokens;
          save(renewed, tokens);
          this.checkScopes();
        },
      },
      onSignInRequired: () => this.tell(),
    });
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
