/**
 * A sign-in as it is stored: in the credentials, which Node-RED saves only with a deploy and which a user may edit or
 * restore from a backup, and in the token journal, which is written at once. {@link newest} chooses between them.
 */
import { randomBytes } from 'node:crypto';
import type { Tokens } from '../../../src/index';
import {
  type CredentialEntry,
  type SignInInfo,
  fingerprint,
  hasTokens,
  isProvided,
  tokenFingerprint,
  trimmedTokens,
  withoutUndefined,
} from './credential-entry';

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
