/** Conversion between tokens and the credentials entry of an account node. */
import { createHash } from 'node:crypto';
import type { Tokens } from '../../../src/index';
import type { AccountCredentials } from '../../shared/contract/account-config';
import type { DriveUser } from '../../shared/contract/account-api';

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

export function withoutUndefined<T extends object>(object: T): Partial<T> {
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
export function trimmedTokens({ accessToken = '', refreshToken = '' }: CredentialEntry) {
  return { accessToken: accessToken.trim(), refreshToken: refreshToken.trim() };
}
