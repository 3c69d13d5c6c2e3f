import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock';
import { writeFileAtomically } from '../storage/atomic-file';
import { OAuthError } from './oauth-error';
import { tokenHash, randomToken } from './tokens';

/** What a person allowed an application. */
interface Grant {
  id: string;
  clientId: string;
  scope: string;
  /** Fingerprint of the refresh token. */
  refresh: string;
}

interface AccessToken {
  grant: string;
  scope: string;
  expiresAt: number;
}

interface StoredGrants {
  grants: Grant[];
  access: [string, AccessToken][];
}

/** The answer of the token endpoint (RFC 6749 5.1). */
export interface TokenResponse {
  access_token: string;
  expires_in: number;
  refresh_token?: string;
  scope: string;
  token_type: 'Bearer';
}

export interface GrantOptions {
  clock: Clock;
  /** Seconds. */
  tokenLifetime: number;
  /** An access token that never ends. */
  token?: string;
  /** Of the first client. */
  refreshToken?: string;
  clients: readonly { id: string }[];
  /** Each refresh gives a new refresh token and ends the one it was made with (RFC 6749 6, RFC 9700 4.14). */
  rotateRefreshTokens: boolean;
  /** Scope of the two tokens above. */
  scope: string;
}

const CONFIGURED = 'static';

/** Grants and tokens; kept in `oauth.json` as fingerprints, so that they survive a restart of the service. */
export class Grants {
  private grants: Grant[] = [];
  private access = new Map<string, AccessToken>();

  private constructor(
    private readonly file: string,
    private readonly options: GrantOptions,
  ) {}

  static async open(dir: string, options: GrantOptions): Promise<Grants> {
    const grants = new Grants(join(dir, 'oauth.json'), options);
    const text = await readFile(grants.file, 'utf8').catch(() => undefined);
    if (text !== undefined) {
      const stored = JSON.parse(text) as StoredGrants;
      grants.grants = stored.grants;
      grants.access = new Map(stored.access);
    }
    grants.grants = grants.grants.filter((each) => each.id !== CONFIGURED);
    const [client] = options.clients;
    if (options.refreshToken && client) {
      const refresh = tokenHash(options.refreshToken);
      grants.grants.push({ id: CONFIGURED, clientId: client.id, scope: options.scope, refresh });
    }
    return grants;
  }

  /** A new grant with its first access token. */
  async issue(clientId: string, scope: string): Promise<TokenResponse> {
    const refreshToken = `1//${randomToken(48)}`;
    const grant = { id: randomToken(9), clientId, scope, refresh: tokenHash(refreshToken) };
    this.grants.push(grant);
    return { ...(await this.issueAccessToken(grant)), refresh_token: refreshToken };
  }

  /** A new access token for a refresh token; invalid_grant if that one was revoked or never was. */
  async refresh(
    clientId: string,
    refreshToken: string,
    rotates = this.options.rotateRefreshTokens,
  ): Promise<TokenResponse> {
    const refresh = tokenHash(refreshToken);
    const grant = this.grants.find((each) => each.refresh === refresh);
    if (grant?.clientId !== clientId) {
      throw new OAuthError(400, 'invalid_grant', 'Token has been expired or revoked.');
    }
    if (!rotates) return this.issueAccessToken(grant);
    const next = `1//${randomToken(48)}`;
    grant.refresh = tokenHash(next);
    return { ...(await this.issueAccessToken(grant)), refresh_token: next };
  }

  /** Ends the grant of a token, and with it every grant of that application, as the real service does. */
  async revoke(token: string): Promise<void> {
    const mark = tokenHash(token);
    const grantId = this.access.get(mark)?.grant;
    const grant = this.grants.find((each) => each.refresh === mark || each.id === grantId);
    if (token === this.options.token) return;
    if (!grant) throw new OAuthError(400, 'invalid_token', 'Token expired or revoked');
    const ofApplication = this.grants.filter(({ clientId }) => clientId === grant.clientId);
    const ended = new Set(ofApplication.map(({ id }) => id));
    this.grants = this.grants.filter(({ id }) => !ended.has(id));
    for (const [key, { grant: id }] of this.access) if (ended.has(id)) this.access.delete(key);
    await this.save();
  }

  /** Ends every grant, with its tokens; the access token of the command line stays. */
  async revokeAll(): Promise<void> {
    this.grants = [];
    this.access.clear();
    await this.save();
  }

  /** The scope of an access token; undefined if it is unknown, expired or revoked. */
  scopeOf(token: string): string | undefined {
    if (token === this.options.token) return this.options.scope;
    const found = this.access.get(tokenHash(token));
    return found && found.expiresAt > this.options.clock.now() ? found.scope : undefined;
  }

  /** Ends every access token at once; refresh tokens stay. */
  expireAccessTokens(): void {
    this.access.clear();
  }

  private async issueAccessToken(grant: Grant): Promise<TokenResponse> {
    const { clock, tokenLifetime } = this.options;
    const now = clock.now();
    for (const [key, { expiresAt }] of this.access) if (expiresAt <= now) this.access.delete(key);
    const token = `ya29.${randomToken(60)}`;
    const expiresAt = now + tokenLifetime * 1000;
    this.access.set(tokenHash(token), { grant: grant.id, scope: grant.scope, expiresAt });
    await this.save();
    return { access_token: token, expires_in: tokenLifetime, scope: grant.scope, token_type: 'Bearer' };
  }

  private saving: Promise<void> = Promise.resolve();

  private save(): Promise<void> {
    const stored: StoredGrants = { grants: this.grants, access: [...this.access] };
    const content = JSON.stringify(stored);
    const write = () => writeFileAtomically(this.file, content);
    // One after another: two writers would share the temporary file.
    this.saving = this.saving.then(write, write);
    return this.saving;
  }
}
