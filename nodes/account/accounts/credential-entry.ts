/** What an account's entry of credentials says of its tokens and of the sign-in that brought them. Pure. */
import { createHash } from 'node:crypto';
import type { Tokens } from '../../../src/index';
import type { Entry, SignIn } from '../account.types';

export function hasTokens({ accessToken = '', refreshToken = '' }: Entry): boolean {
  return accessToken !== '' || refreshToken !== '';
}

export function entryOf(tokens: Tokens, about: SignIn): Entry & { signIn: SignIn } {
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
      of: tokenMark(tokens),
    },
  };
}

/** The tokens of an entry. @param values the same entry with its references replaced, where there is a node */
export function tokensOf(entry: Entry): Tokens {
  const { accessToken = '', refreshToken = '' } = entry;
  const { scope, expiresAt } = signInOf(entry);
  return {
    accessToken: accessToken.trim(),
    refreshToken: refreshToken.trim(),
    ...(scope === undefined ? {} : { scope }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

/** What is known of the sign-in that brought these tokens; nothing where they came another way. */
export function signInOf({ accessToken = '', refreshToken = '', signIn }: Entry): SignIn {
  return signIn?.of === tokenMark({ accessToken, refreshToken }) ? signIn : {};
}

/** Tells tokens apart without being one. */
export function tokenMark({ accessToken = '', refreshToken = '' }: Entry): string {
  return createHash('sha256')
    .update(refreshToken || accessToken)
    .digest('base64url')
    .slice(0, 16);
}
