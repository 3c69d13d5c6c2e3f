/**
 * A sign-in as it is stored: in the credentials, which Node-RED saves only with a deploy and which a user may edit or
 * restore from a backup, and in the token journal, which is written at once. {@link newest} chooses between them.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Tokens } from '../../../src/index';
import type { DriveUser } from '../../shared/contract/account-api';
import type { AccountCredentials } from '../../shared/contract/account-config';

/** The tokens of a sign-in, `''` after a sign-out. */
export interface StoredSignIn {
  accessToken: string;
  refreshToken: string;
  signIn: SignInInfo & {
    /** Random. For tokens that don't come from a sign-in, a fingerprint; `''` if there never were any. */
    id: string;
    /** Counts the refresh tokens after the first one, and the sign-out. It only grows. */
    generation: number;
    of: string;
  };
}

export interface JournaledSignIn extends StoredSignIn {
  /** IDs of the sign-ins of this account before it. */
  replaces: readonly string[];
}

const NEVER_SIGNED_IN = '';

/**
 * Chooses the sign-in that an account uses.
 *
 * | the credentials contain                                    | used        |
 * | ---------------------------------------------------------- | ----------- |
 * | no tokens, and there never were any                         | journal     |
 * | the journal's sign-in, an earlier generation of it          | journal     |
 * | the journal's sign-in, the same or a later generation of it | credentials |
 * | a sign-in that the journal's replaced                       | journal     |
 * | any other tokens, or none: the form was changed since       | credentials |
 */
export function newest(saved: StoredSignIn, journaled: JournaledSignIn | undefined): StoredSignIn {
  if (!journaled) return saved;
  const { id, generation } = saved.signIn;
  if (id === NEVER_SIGNED_IN) return journaled;
  if (id === journaled.signIn.id) return journaled.signIn.generation > generation ? journaled : saved;
  return journaled.replaces.includes(id) ? journaled : saved;
}

/**
 * Identifies the sign-in in an entry.
 * @param values the entry with environment variables resolved
 * @param stored the entry itself, which lacks tokens that only the account variable contains
 */
export function storedSignIn(values: CredentialEntry, stored: CredentialEntry = values): StoredSignIn {
  const { signIn: saved } = stored;
  const of = tokenFingerprint(values);
  const tokens = trimmedTokens(values);
  // An access token that a refresh with another refresh token has returned may belong to another user.
  if (saved?.of !== undefined && saved.of !== of && tokens.refreshToken !== '') tokens.accessToken = '';
  if (saved?.id !== undefined && !isProvided(values, stored)) {
    const { id, generation = 0 } = saved;
    if (saved.of === of) return { ...tokens, signIn: { ...saved, id, generation, of } };
    // Entered in the form after that generation. Even if the same tokens were used before, this is another sign-in.
    return { ...tokens, signIn: { id: fingerprint(`${of} ${id} ${generation}`), generation: 0, of } };
  }
  const id = hasTokens(values) ? of : NEVER_SIGNED_IN;
  const known = saved?.of === of ? saved : {};
  return { ...tokens, signIn: { ...known, id, generation: 0, of } };
}

/** A new sign-in. */
export function newSignIn(tokens: Tokens, info: SignInInfo): StoredSignIn {
  return withTokens(tokens, { ...info, id: randomBytes(12).toString('base64url'), generation: 0 });
}

/** The same sign-in after a refresh. */
export function refreshed({ refreshToken, signIn }: StoredSignIn, tokens: Tokens): StoredSignIn {
  const isRotated = tokens.refreshToken !== refreshToken;
  return withTokens(tokens, { ...signIn, generation: signIn.generation + (isRotated ? 1 : 0) });
}

/** The same sign-in after a sign-out. */
export function signedOut({ signIn: { id, generation } }: StoredSignIn): StoredSignIn {
  return withTokens({ accessToken: '', refreshToken: '' }, { id, generation: generation + 1 });
}

export function isSignedOut({ signIn, ...tokens }: StoredSignIn): boolean {
  return signIn.id === NEVER_SIGNED_IN || !hasTokens(tokens);
}

function withTokens(
  { accessToken, refreshToken, scope, expiresAt }: Tokens,
  info: SignInInfo & { id: string; generation: number },
): StoredSignIn {
  const { id, generation, account, since, client } = info;
  const details = withoutUndefined({ scope: scope ?? info.scope, account, since, expiresAt, client });
  const of = tokenFingerprint({ accessToken, refreshToken });
  return { accessToken, refreshToken, signIn: { id, generation, ...details, of } };
}

/** Details of a sign-in, saved with its tokens as an unregistered credential. */
export interface SignInInfo {
  /** See {@link StoredSignIn}. Older versions of this package didn't save it. */
  id?: string;
  generation?: number;
  /** Granted scopes, separated by spaces. */
  scope?: string;
  account?: DriveUser;
  /** Time of the sign-in, ISO 8601. */
  since?: string;
  /** When the access token expires, ms since 1970. */
  expiresAt?: number;
  /** Fingerprint of the client and the services of the sign-in: account-key.ts. Older versions didn't save it. */
  client?: string;
  /**
   * Fingerprint of the tokens these details belong to. They are ignored after a user enters other tokens in the form.
   */
  of?: string;
}

/** The credentials entry of an account node. */
export type CredentialEntry = AccountCredentials & { signIn?: SignInInfo };

export function hasTokens(entry: CredentialEntry): boolean {
  const { accessToken, refreshToken } = trimmedTokens(entry);
  return accessToken !== '' || refreshToken !== '';
}

/**
 * @param values the entry with environment variables resolved
 * @returns whether only the account variable contains the tokens
 */
export function isProvided(values: CredentialEntry, entry: CredentialEntry): boolean {
  return hasTokens(values) && !hasTokens(entry);
}

/** @returns the tokens of an entry */
export function tokensIn(entry: CredentialEntry): Tokens {
  const { scope, expiresAt } = signInInfo(entry);
  return { ...trimmedTokens(entry), ...withoutUndefined({ scope, expiresAt }) };
}

/** @returns details of the sign-in that the tokens come from, empty if they were entered in the form */
export function signInInfo(entry: CredentialEntry): SignInInfo {
  return entry.signIn?.of === tokenFingerprint(entry) ? entry.signIn : {};
}

function withoutUndefined<T extends object>(object: T): Partial<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** A hash that identifies tokens without revealing them. */
export function tokenFingerprint(entry: CredentialEntry): string {
  const { accessToken, refreshToken } = trimmedTokens(entry);
  return fingerprint(refreshToken || accessToken);
}

export function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/** A token that was pasted, or that comes from the environment, may end in a line break. */
function trimmedTokens({ accessToken = '', refreshToken = '' }: CredentialEntry) {
  return { accessToken: accessToken.trim(), refreshToken: refreshToken.trim() };
}
