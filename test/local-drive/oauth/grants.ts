import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock';
import { writeFileAtomically } from '../storage/atomic-file';
import { OAuthError } from './oauth-error';
import type { JwtGrant } from './service-accounts';
import { tokenHash, randomToken } from './tokens';

/** The access that the user granted to an application. */
interface Grant {
  id: string;
  clientId: string;
  scope: string;
  /** Hash of the refresh token. */
  refresh: string;
}

interface AccessToken {
  grant: string;
  /** Address of the service account it belongs to; absent for the user. */
  account?: string;
  scope: string;
  expiresAt: number;
}

interface StoredGrants {
  grants: Grant[];
  access: [string, AccessToken][];
}

/** The response of the token endpoint (RFC 6749 section 5.1). */
export interface TokenResponse {
  access_token: string;
  expires_in: number;
  refresh_token?: string;
  /** Absent in the response to a JWT. */
  scope?: string;
  token_type: 'Bearer';
}

export interface GrantOptions {
  clock: Clock;
  /** Seconds. */
  tokenLifetime: number;
  /** An access token that never expires. */
  token?: string;
  /** A refresh token of the first client. */
  refreshToken?: string;
  clients: readonly { id: string }[];
  /** Each refresh issues a new refresh token and revokes the old one (RFC 6749 section 6, RFC 9700 section 4.14). */
  rotateRefreshTokens: boolean;
  /** Scope of `token` and `refreshToken`. */
  scope: string;
}

const CONFIGURED = 'static';

/** Grants and tokens. They are stored in `oauth.json` as hashes, so that they survive a restart. */
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

  /** Creates a grant with its first access token. */
  async issue(clientId: string, scope: string): Promise<TokenResponse> {
    const refreshToken = `1//${randomToken(48)}`;
    const grant = { id: randomToken(9), clientId, scope, refresh: tokenHash(refreshToken) };
    this.grants.push(grant);
    return { ...(await this.issueAccessToken(grant)), refresh_token: refreshToken };
  }

  /**
   * Issues an access token for a service account, or for the user it acts as (RFC 7523 section 2.1). It isn't stored,
   * because service accounts don't survive a restart either.
   */
  issueForJwt({ account, scope }: JwtGrant): TokenResponse {
    const grant = { id: `jwt ${account ?? ''}`, clientId: '', scope, refresh: '' };
    const { scope: _scope, ...response } = this.addAccessToken(grant, account);
    return response;
  }

  /** Issues an access token for a refresh token; invalid_grant if it is revoked or unknown. */
  async refresh(
    clientId: string,
    refreshToken: string,
    isRotated = this.options.rotateRefreshTokens,
  ): Promise<TokenResponse> {
    const refresh = tokenHash(refreshToken);
    const grant = this.grants.find((each) => each.refresh === refresh);
    if (grant?.clientId !== clientId) {
      throw new OAuthError(400, 'invalid_grant', 'Token has been expired or revoked.');
    }
    if (!isRotated) return this.issueAccessToken(grant);
    const next = `1//${randomToken(48)}`;
    grant.refresh = tokenHash(next);
    return { ...(await this.issueAccessToken(grant)), refresh_token: next };
  }

  /** Revokes all grants of the application that the token belongs to, as Google does. */
  async revoke(token: string): Promise<void> {
    const hash = tokenHash(token);
    const grantId = this.access.get(hash)?.grant;
    const grant = this.grants.find((each) => each.refresh === hash || each.id === grantId);
    if (token === this.options.token) return;
    if (!grant) throw new OAuthError(400, 'invalid_token', 'Token expired or revoked');
    const ofApplication = this.grants.filter(({ clientId }) => clientId === grant.clientId);
    const revoked = new Set(ofApplication.map(({ id }) => id));
    this.grants = this.grants.filter(({ id }) => !revoked.has(id));
    for (const [key, { grant: id }] of this.access) if (revoked.has(id)) this.access.delete(key);
    await this.save();
  }

  /** Revokes all grants and their tokens; the configured access token stays valid. */
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

  /** The service account that an access token belongs to; undefined for the user. */
  accountOf(token: string): string | undefined {
    return this.access.get(tokenHash(token))?.account;
  }

  /** Expires all access tokens; refresh tokens stay valid. */
  expireAccessTokens(): void {
    this.access.clear();
  }

  private async issueAccessToken(grant: Grant): Promise<TokenResponse & { scope: string }> {
    const response = this.addAccessToken(grant);
    await this.save();
    return response;
  }

  private addAccessToken(grant: Grant, account?: string): TokenResponse & { scope: string } {
    const { clock, tokenLifetime } = this.options;
    const now = clock.now();
    for (const [key, { expiresAt }] of this.access) if (expiresAt <= now) this.access.delete(key);
    const token = `ya29.${randomToken(60)}`;
    const expiresAt = now + tokenLifetime * 1000;
    this.access.set(tokenHash(token), { grant: grant.id, scope: grant.scope, expiresAt, account });
    return { access_token: token, expires_in: tokenLifetime, scope: grant.scope, token_type: 'Bearer' };
  }

  private saving: Promise<void> = Promise.resolve();

  private save(): Promise<void> {
    const stored: StoredGrants = { grants: this.grants, access: [...this.access] };
    const content = JSON.stringify(stored);
    const write = () => writeFileAtomically(this.file, content);
    // Sequential, because concurrent writes would share the temporary file.
    this.saving = this.saving.then(write, write);
    return this.saving;
  }
}
