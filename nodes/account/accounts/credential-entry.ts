/** Conversion between tokens and the credentials entry of an account node. */
import { createHash } from 'node:crypto';
import type { Tokens } from '../../../src/index';
import type { AccountCredentials } from '../../shared/contract/account-config';
import type { DriveUser } from '../../shared/contract/account-api';

/** Details of a sign-in, saved with its tokens as an unregistered credential. */
export interface SignInInfo {
  /** Granted scopes, separated by spaces. */
  scope?: string;
  account?: DriveUser;
  /** Time of the sign-in, ISO 8601. */
  since?: string;
  /** When the access token expires, ms since 1970. */
  expiresAt?: number;
  /** Fingerprint of the tokens these details belong to. They are ignored after a user enters other tokens in the form. */
  of?: string;
}

/** The credentials entry of an account node. */
export type CredentialEntry = AccountCredentials & { signIn?: SignInInfo };

export function hasTokens({ accessToken = '', refreshToken = '' }: CredentialEntry): boolean {
  return accessToken !== '' || refreshToken !== '';
}

export function toEntry(tokens: Tokens, signIn: SignInInfo): CredentialEntry & { signIn: SignInInfo } {
  const { accessToken, refreshToken, scope = signIn.scope, expiresAt } = tokens;
  const { account, since } = signIn;
  const info = withoutUndefined({ scope, account, since, expiresAt });
  return { accessToken, refreshToken, signIn: { ...info, of: tokenFingerprint(tokens) } };
}

/** @returns the tokens of an entry */
export function tokensIn(entry: CredentialEntry): Tokens {
  const { accessToken = '', refreshToken = '' } = entry;
  const { scope, expiresAt } = signInInfo(entry);
  const info = withoutUndefined({ scope, expiresAt });
  return { accessToken: accessToken.trim(), refreshToken: refreshToken.trim(), ...info };
}

/** @returns details of the sign-in that the tokens come from, empty if they were entered in the form */
export function signInInfo({ accessToken = '', refreshToken = '', signIn }: CredentialEntry): SignInInfo {
  return signIn?.of === tokenFingerprint({ accessToken, refreshToken }) ? signIn : {};
}

function withoutUndefined<T extends object>(object: T): Partial<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** A hash that identifies tokens without revealing them. */
export function tokenFingerprint({ accessToken = '', refreshToken = '' }: CredentialEntry): string {
  return createHash('sha256')
    .update(refreshToken || accessToken)
    .digest('base64url')
    .slice(0, 16);
}
