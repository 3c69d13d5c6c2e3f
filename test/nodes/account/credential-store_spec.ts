import { EventEmitter } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { NodeAPI } from 'node-red';
import should from 'should';
import { type AccountKey, templateKey } from '../../../nodes/account/accounts/account-key';
import { CredentialStore } from '../../../nodes/account/accounts/credential-store';
import {
  newSignIn,
  refreshed,
  signedOut,
  storedSignIn,
} from '../../../nodes/account/accounts/stored-sign-in';
import { TokenJournal } from '../../../nodes/account/accounts/token-journal';
import { AccountValues } from '../../../nodes/account/settings/settings';
import { StateFile } from '../../../nodes/shared/runtime/state-file';

const valuesOf = (credentials: object): AccountValues =>
  new AccountValues({ config: {}, credentials: { ...credentials } });

/** A Node-RED without nodes, credentials and environment variables. */
const RED = {
  nodes: {
    getCredentials: () => undefined,
    addCredentials: () => undefined,
    getNode: () => null,
    eachNode: () => undefined,
  },
  events: new EventEmitter(),
  util: { evaluateNodeProperty: () => '' },
} as unknown as NodeAPI;

describe('CredentialStore', () => {
  let userDir: string;
  beforeEach(async () => (userDir = await mkdtemp(path.join(tmpdir(), 'credentials-'))));
  afterEach(() => rm(userDir, { recursive: true, force: true }));
  const openJournal = (): TokenJournal =>
    new TokenJournal(new StateFile({ userDir, secret: () => 'secret', warn: () => undefined }));

  it('a sign-out resolves when the renewed tokens of all accounts are on disk', async () => {
    const journal = openJournal();
    const [before, after] = ['first', 'renewed'].map((refreshToken) =>
      newSignIn({ accessToken: '', refreshToken }, {}),
    );
    void journal.write('renewed', after!, before!);
    await new CredentialStore(RED, journal).clearTokens([templateKey('signed out', 'signed out')]);
    should(openJournal().read('renewed')?.refreshToken).equal('renewed');
  });

  it('a token that an older version renewed for all instances of a subflow is used by the first one it belongs to', () => {
    const journal = openJournal();
    const instance = (key: string): AccountKey => ({
      ...templateKey('id', 'id flows'),
      ...{ key: `id flows ${encodeURIComponent(key)}`, isOwn: true, ownsEntry: false, client: key },
    });
    const first = storedSignIn({ refreshToken: 'first' });
    void journal.write('id', refreshed(first, { accessToken: '', refreshToken: 'renewed' }), first);
    const store = new CredentialStore(RED, journal);
    const restored = [
      ['of another token', 'second'],
      ['of the token', 'first'],
      ['of the token at another service', 'first'],
      ['without a token', ''],
    ].map(
      ([key = '', refreshToken]) => store.restore(instance(key), valuesOf({ refreshToken })).refreshToken,
    );
    should(restored).eql(['second', 'renewed', 'first', '']);
    should(journal.read('id')).be.undefined();
  });

  it('a sign-in of an older version belongs to the flows whose account knows it, and survives the deletion of another', () => {
    const journal = openJournal();
    const first = storedSignIn({ refreshToken: 'first' });
    const renewed = refreshed(first, { accessToken: '', refreshToken: 'renewed' });
    void journal.write('id', renewed, first);
    const store = new CredentialStore(RED, journal);
    const [other, own, another] = ['a', 'b', 'c'].map((flows) => templateKey('id', `id ${flows}`)) as [
      ...[AccountKey, AccountKey, AccountKey],
    ];
    should(store.restore(other, valuesOf({ refreshToken: 'second' })).refreshToken).equal('second');
    store.delete(other);
    should(store.restore(own, valuesOf({ refreshToken: 'first' })).refreshToken).equal('renewed');
    should(store.restore(another, valuesOf({ refreshToken: '' })).refreshToken).equal('');
    store.delete(another);
    should(
      new CredentialStore(RED, journal).restore(own, valuesOf({ refreshToken: 'first' })).refreshToken,
    ).equal('renewed');
    // A sign-in without a deploy isn't in the credentials.
    void journal.write('undeployed', renewed, first);
    const undeployed = templateKey('undeployed', 'undeployed a');
    should(store.restore(undeployed, valuesOf({})).refreshToken).equal('renewed');
    store.delete(undeployed);
    should([journal.read('undeployed'), journal.read('undeployed a')]).eql([undefined, undefined]);
  });

  it('a renewed sign-in follows its account into renamed flows, but no other sign-in and no sign-out does', () => {
    const journal = openJournal();
    const first = storedSignIn({ refreshToken: 'first' });
    const renewed = refreshed(first, { accessToken: '', refreshToken: 'renewed' });
    void journal.write('id flows.json', renewed, first);
    void journal.write('id older.json', refreshed(first, { accessToken: '', refreshToken: 'older' }), first);
    void journal.write(
      'id flows.json',
      refreshed(renewed, { accessToken: '', refreshToken: 'latest' }),
      first,
    );
    const left = storedSignIn({ refreshToken: 'left' });
    void journal.write('id left.json', signedOut(left), left);
    const store = new CredentialStore(RED, journal);
    const instance: AccountKey = { ...templateKey('id', 'id projects%2Fa instance'), isOwn: true };
    const restored = [
      [templateKey('id', 'id projects%2Fa'), 'first'],
      [templateKey('id', 'id projects%2Fb'), 'second'],
      [templateKey('id', 'id projects%2Fc'), 'left'],
      [templateKey('id', 'id projects%2Fd'), ''],
      [templateKey('id2', 'id2 flows.json'), 'first'],
      [instance, 'first'],
    ].map(([key, refreshToken]) =>
      store.restore(key as AccountKey, valuesOf({ refreshToken: refreshToken as string })),
    );
    should(restored.map(({ refreshToken }) => refreshToken)).eql([
      'latest',
      'second',
      'left',
      '',
      'first',
      'first',
    ]);
  });
});
