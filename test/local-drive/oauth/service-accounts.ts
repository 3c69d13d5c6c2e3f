import { createPublicKey, generateKeyPairSync, verify, type KeyObject } from 'node:crypto';
import type { Clock } from '../clock';
import { OAuthError } from './oauth-error';
import { checkScope, scopesOf } from './scopes';
import { randomToken } from './tokens';

/** The JSON key file of a service account, as Google's console creates it. */
export interface ServiceAccountKey {
  type: 'service_account';
  project_id: string;
  private_key_id: string;
  private_key: string;
  client_email: string;
  client_id: string;
  auth_uri: string;
  token_uri: string;
  universe_domain: string;
}

interface ServiceAccount {
  email: string;
  /** By key ID. */
  keys: Map<string, KeyObject>;
  /** The scopes of its domain-wide delegation: with these it may act as a user of the domain. */
  delegatedScopes: string[];
}

/** What a JWT grants: access as the service account, or as a user of the domain. */
export interface JwtGrant {
  /** Undefined if it acts as the user of the drive. */
  account: string | undefined;
  scope: string;
}

interface Claims {
  iss?: unknown;
  sub?: unknown;
  aud?: unknown;
  scope?: unknown;
  iat?: unknown;
  exp?: unknown;
}

const PROJECT = 'local-project';
/** Seconds. */
const MAX_LIFETIME = 3600;
const MAX_SKEW = 300;

/** Service accounts and their keys. https://developers.google.com/identity/protocols/oauth2/service-account */
export class ServiceAccounts {
  private readonly accounts = new Map<string, ServiceAccount>();

  constructor(
    private readonly clock: Clock,
    /** The user who can be impersonated. */
    private readonly user: string,
  ) {}

  get size(): number {
    return this.accounts.size;
  }

  /** Creates a service account with a key. */
  add(tokenUrl: string, delegatedScopes: string[] = []): ServiceAccountKey {
    const name = `robot-${this.accounts.size + 1}`;
    const email = `${name}@${PROJECT}.iam.gserviceaccount.example`;
    const { publicKey, privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const keyId = randomToken(20);
    this.accounts.set(email, {
      email,
      keys: new Map([[keyId, createPublicKey(publicKey)]]),
      delegatedScopes,
    });
    return {
      type: 'service_account',
      project_id: PROJECT,
      private_key_id: keyId,
      private_key: privateKey,
      client_email: email,
      client_id: String(100_000_000_000_000 + this.accounts.size),
      auth_uri: 'https://accounts.google.com/o/oauth2/auth',
      token_uri: tokenUrl,
      universe_domain: 'googleapis.com',
    };
  }

  /** Sets the scopes of the domain-wide delegation. */
  delegate(email: string, scopes: string[]): void {
    const account = this.accounts.get(email);
    if (account) account.delegatedScopes = scopes;
  }

  /** Deletes a key; access tokens stay valid, as at Google. */
  revokeKey(keyId: string): void {
    for (const { keys } of this.accounts.values()) keys.delete(keyId);
  }

  remove(email: string): void {
    this.accounts.delete(email);
  }

  /** Verifies an assertion (RFC 7523 section 3), with the errors of Google's token endpoint. */
  redeem(assertion: string, tokenUrl: string): JwtGrant {
    const [header = '', payload = '', signature = '', ...rest] = assertion.split('.');
    const claims = decode<Claims>(payload);
    const { alg, kid } = decode<{ alg?: unknown; kid?: string }>(header);
    if (alg !== 'RS256' || rest.length > 0)
      throw invalidGrant('Invalid JWT: only the algorithm RS256 is supported.');
    const account = this.accounts.get(String(claims.iss));
    if (!account) throw invalidGrant('Invalid grant: account not found');
    const keys = kid === undefined ? [...account.keys.values()] : [account.keys.get(kid)];
    const signed = Buffer.from(`${header}.${payload}`);
    const isValid = keys.some(
      (key) => key && verify('RSA-SHA256', signed, key, Buffer.from(signature, 'base64url')),
    );
    if (!isValid) throw invalidGrant('Invalid JWT Signature.');
    if (claims.aud !== tokenUrl)
      throw invalidGrant('Invalid JWT: Failed audience check. The right audience is the token URL.');
    this.checkTimes(claims);
    return this.grantFor(account, claims);
  }

  private checkTimes({ iat, exp }: Claims): void {
    const now = this.clock.now() / 1000;
    const [issued, expires] = [Number(iat), Number(exp)];
    if (
      expires > issued &&
      expires - issued <= MAX_LIFETIME &&
      issued <= now + MAX_SKEW &&
      expires >= now - MAX_SKEW
    )
      return;
    throw invalidGrant(
      'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. ' +
        'Check your iat and exp values in the JWT claim.',
    );
  }

  private grantFor({ email, delegatedScopes }: ServiceAccount, { scope, sub }: Claims): JwtGrant {
    if (typeof scope !== 'string' || scope.trim() === '')
      throw new OAuthError(400, 'invalid_scope', 'Empty or missing scope not allowed.');
    checkScope(scope, 'code');
    if (sub === undefined || sub === email) return { account: email, scope };
    if (!scopesOf(scope).every((each) => delegatedScopes.includes(each))) {
      throw new OAuthError(
        401,
        'unauthorized_client',
        'Client is unauthorized to retrieve access tokens using this method, or client not authorized for any of the scopes requested.',
      );
    }
    if (sub !== this.user) throw invalidGrant('Invalid email or User ID');
    return { account: undefined, scope };
  }
}

function decode<Value extends object>(part: string): Value {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as Value;
  } catch {
    throw invalidGrant('Invalid JWT: not a JSON web token.');
  }
}

function invalidGrant(description: string): OAuthError {
  return new OAuthError(400, 'invalid_grant', description);
}
