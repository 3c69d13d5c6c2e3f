/** What an account's entry of credentials says of its tokens and of the sign-in that brought them. Pure. */
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
  /** Fingerprint of the token that this belongs to: the user may have entered another one in the form since. */
  of?: string;
}

/** The credentials entry of an account node. */
export type CredentialEntry = AccountCredentials & { signIn?: SignInInfo };

export function hasTokens({ accessToken = '', refreshToken = '' }: CredentialEntry): boolean {
  return accessToken !== '' || refreshToken !== '';
}

export function toEntry(tokens: Tokens, about: SignInInfo): CredentialEntry & { signIn: SignInInfo } {
  const { accessToken, refreshToken, scope = about.scope, expiresAt } = tokens;
  const { account, since } = about;
  return {
    accessToken,
    refreshToken,
    signIn: {
      ...(scope === undefined ? {} : { scope }),
      ...(account === undefined ? {} : { account }),
      ...(since === undefined ? {} : { since }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      of: tokenFingerprint(tokens),
    },
  };
}

/** The tokens of an entry. @param values the same entry with its references replaced, where there is a node */
export function tokensIn(entry: CredentialEntry): Tokens {
  const { accessToken = '', refreshToken = '' } = entry;
  const { scope, expiresAt } = signInInfo(entry);
  return {
    accessToken: accessToken.trim(),
    refreshToken: refreshToken.trim(),
    ...(scope === undefined ? {} : { scope }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

/** What is known of the sign-in that brought these tokens; nothing where they came another way. */
export function signInInfo({ accessToken = '', refreshToken = '', signIn }: CredentialEntry): SignInInfo {
  return signIn?.of === tokenFingerprint({ accessToken, refreshToken }) ? signIn : {};
}

/** Tells tokens apart without being one. */
export function tokenFingerprint({ accessToken = '', refreshToken = '' }: CredentialEntry): string {
  return createHash('sha256')
    .update(refreshToken || accessToken)
    .digest('base64url')
    .slice(0, 16);
}
