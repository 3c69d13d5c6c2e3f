/** Which of the stored tokens an account uses: docs/security.md, "What is stored where". */
import should from 'should';
import {
  type CredentialEntry,
  newest,
  newSignIn,
  refreshed,
  signedOut,
  type StoredSignIn,
  storedSignIn,
  tokenFingerprint,
} from '../../../nodes/account/accounts/stored-sign-in';
import { TokenJournal } from '../../../nodes/account/accounts/token-journal';
import { StateFile } from '../../../nodes/shared/runtime/state-file';

const tokens = (refreshToken: string) => ({ accessToken: 'access', refreshToken });

describe('stored sign-in', () => {
  const first = newSignIn(tokens('first'), {});
  const rotated = refreshed(first, tokens('rotated'));
  const other = newSignIn(tokens('other'), {});
  const older = (of: string): CredentialEntry => ({
    ...tokens('first'),
    signIn: { of: tokenFingerprint(tokens(of)) },
  });
  const pasted = { ...first, refreshToken: 'pasted' };
  const journaled = (signIn: StoredSignIn, ...replaces: CredentialEntry[]) => ({
    ...signIn,
    replaces: replaces.map((each) => storedSignIn(each).signIn.id),
  });

  for (const [credentials, saved, journal, expected] of [
    ['no tokens', {}, journaled(first), 'first'],
    ['only details of a client', { clientId: 'id' }, journaled(rotated), 'rotated'],
    ['an earlier token of the sign-in', first, journaled(rotated), 'rotated'],
    ['the same token', rotated, journaled(rotated), 'rotated'],
    ['a later token than the journal', rotated, journaled(first), 'rotated'],
    ['a token of a sign-in before', other, journaled(rotated, other), 'rotated'],
    ['a token of a sign-out since', first, journaled(signedOut(rotated)), ''],
    ['the sign-out', signedOut(first), journaled(signedOut(first)), ''],
    ['a sign-in after the sign-out', other, journaled(signedOut(first)), 'other'],
    ['a token of an unknown sign-in', other, journaled(rotated), 'other'],
    ['a token that was pasted', pasted, journaled(rotated, first), 'pasted'],
    ['no token because the form was emptied', { signIn: first.signIn }, journaled(first), ''],
    ['a first token that was rotated', tokens('typed'), journaled(rotated, tokens('typed')), 'rotated'],
    [
      'a token that was pasted again after a sign-out',
      { ...signedOut(storedSignIn(tokens('typed'))), ...tokens('typed') },
      journaled(signedOut(storedSignIn(tokens('typed')))),
      'typed',
    ],
    ['a token, without a journal', tokens('typed'), undefined, 'typed'],
  ] as const) {
    it(`newest returns "${expected}" if the credentials contain ${credentials}`, () => {
      newest(storedSignIn(saved), journal).refreshToken.should.equal(expected);
    });
  }

  for (const [what, entry, expected] of [
    ['of the sign-in', first, 'access'],
    ['after a refresh token was pasted', { ...first, refreshToken: 'pasted' }, ''],
    ['of an older version after the variable of the refresh token changed', older('of another'), ''],
    ['of an older version', older('first'), 'access'],
    ['that was entered with its refresh token', tokens('typed'), 'access'],
    ['that was pasted without a refresh token', { ...first, ...tokens('') }, 'access'],
  ] as const) {
    it(`an access token ${what} is ${expected === '' ? 'not used' : 'used'}`, () => {
      storedSignIn(entry).accessToken.should.equal(expected);
    });
  }

  it('spaces around a token do not make it another sign-in', () => {
    const [trimmed, spaced] = [tokens('typed'), tokens(' typed\n')].map((each) => storedSignIn(each));
    should(spaced).eql(trimmed);
  });

  it('a token that only the account variable contains keeps its identity after a sign-out', () => {
    const provided = tokens('provided');
    const out = { signIn: signedOut(storedSignIn(provided)).signIn };
    storedSignIn({ ...out, ...provided }, out).signIn.id.should.equal(storedSignIn(provided).signIn.id);
  });

  it('a refresh that does not rotate keeps the generation', () => {
    refreshed(rotated, { accessToken: 'new', refreshToken: 'rotated' }).signIn.generation.should.equal(1);
  });

  for (const [description, legacy, saved, expected] of [
    ['tokens', tokens('latest'), tokens('rotated'), 'latest'],
    ['a sign-out', tokens(''), tokens('rotated'), ''],
    ['tokens that were deployed', tokens('latest'), tokens('latest'), 'latest'],
    ['tokens of another sign-in', tokens('latest'), tokens('pasted'), 'pasted'],
  ] as const) {
    it(`the journal of an older version is understood: ${description}`, async () => {
      const state = new StateFile({ userDir: undefined, secret: () => 'secret', warn: () => undefined });
      const of = (token: string): string => tokenFingerprint(tokens(token));
      const entry = { ...legacy, signIn: { of: of(legacy.refreshToken), scope: 'all' } };
      await state.set('tokens', 'account', { entry, replaces: [of('first'), of('rotated')] });
      const before = { ...saved, signIn: { of: of(saved.refreshToken), scope: 'all' } };
      newest(storedSignIn(before), new TokenJournal(state).read('account')).refreshToken.should.equal(
        expected,
      );
    });
  }
});
