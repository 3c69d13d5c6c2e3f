/** Upload sessions in the state file of a user directory, on a real disk. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import { templateKey } from '../../../nodes/account/accounts/account-key';
import { UploadSessionStore } from '../../../nodes/account/accounts/upload-session-store';
import { StateFile } from '../../../nodes/shared/runtime/state-file';
import type { SessionStore } from '../../../src/index';
import { FakeClock } from '../../support/clock';

const WEEK = 7 * 24 * 3_600_000;
const MAX_SESSIONS = 500;

describe('UploadSessionStore', () => {
  let userDir: string;
  let clock: FakeClock;
  let state: StateFile;
  let store: UploadSessionStore;
  /** Of the account's current tokens. */
  let fingerprint: string;

  beforeEach(async () => {
    userDir = await mkdtemp(path.join(tmpdir(), 'uploads-'));
    clock = new FakeClock();
    fingerprint = 'anna';
    restart();
  });
  afterEach(async () => {
    await state.flush();
    await rm(userDir, { recursive: true });
  });

  function restart(): void {
    const warn = (text: string): void => should.fail(text, undefined, 'a warning');
    state = new StateFile({ userDir, secret: () => 'secret', warn });
    store = new UploadSessionStore(state, clock);
  }
  const forAccount = (account: string): SessionStore =>
    store.forAccount(templateKey(account, account), () => fingerprint);
  const count = (): number => state.entries('uploads').length;

  it('returns a session after a restart', async () => {
    await forAccount('account').set('key', ['session']);
    restart();
    should(forAccount('account').get('key')).deepEqual(['session']);
    should(forAccount('account').get('other')).be.undefined();
  });

  it('does not return a session to another account', async () => {
    await forAccount('account').set('key', ['session']);
    should(forAccount('other').get('key')).be.undefined();
  });

  it('instances of a subflow resume the session of an older version, and do not replace those of each other', async () => {
    const instance = (key: string): SessionStore =>
      store.forAccount({ ...templateKey('account', 'account'), key: `account ${key}` }, () => fingerprint);
    await forAccount('account').set('key', ['of an older version']);
    fingerprint = 'berta';
    should(instance('berta').get('key')).be.undefined();
    await instance('berta').set('key', ['of berta']);
    fingerprint = 'anna';
    should(instance('anna').get('key')).deepEqual(['of an older version']);
    await instance('anna').set('key', ['of anna']);
    should(forAccount('account').get('key')).be.undefined();
    should(instance('anna').get('key')).deepEqual(['of anna']);
    fingerprint = 'berta';
    should(instance('berta').get('key')).deepEqual(['of berta']);
    store.delete(templateKey('account', 'account'));
    should(count()).equal(0);
  });

  it('returns a session only to the sign-in that started it', async () => {
    const sessions = forAccount('account');
    await sessions.set('key', ['session']);
    fingerprint = 'berta';
    should(sessions.get('key')).be.undefined();
    fingerprint = 'anna';
    should(sessions.get('key')).deepEqual(['session']);
    fingerprint = 'berta';
    await sessions.set('key', ['replaced']);
    fingerprint = 'anna';
    should(sessions.get('key')).be.undefined();
  });

  it('returns a session after a refresh of the tokens it was started with', async () => {
    await forAccount('account').set('key', ['session']);
    await forAccount('other').set('key', ['session of another account']);
    fingerprint = 'berta';
    await forAccount('account').set('second', ['session of another user']);
    store.rebind(templateKey('account', 'account'), 'anna', 'anna refreshed');
    await state.flush();
    restart();
    fingerprint = 'anna refreshed';
    should(forAccount('account').get('key')).deepEqual(['session']);
    should(forAccount('account').get('second')).be.undefined();
    should(forAccount('other').get('key')).be.undefined();
    fingerprint = 'anna';
    should(forAccount('account').get('key')).be.undefined();
    should(forAccount('other').get('key')).deepEqual(['session of another account']);
  });

  it('removes a session that is set to undefined', async () => {
    await forAccount('account').set('key', ['session']);
    await forAccount('account').set('key', undefined);
    restart();
    should(forAccount('account').get('key')).be.undefined();
    count().should.equal(0);
  });

  it('removes the sessions of a deleted account and no others', async () => {
    await forAccount('account').set('key', ['session']);
    await forAccount('other').set('key', ['session']);
    store.delete(templateKey('account', 'account'));
    await state.flush();
    restart();
    should(forAccount('account').get('key')).be.undefined();
    should(forAccount('other').get('key')).deepEqual(['session']);
  });

  it('removes sessions after a week, when the next one is saved or Node-RED starts', async () => {
    await forAccount('account').set('old', ['session']);
    clock.elapse(WEEK - 1);
    await forAccount('account').set('new', ['session']);
    count().should.equal(2);
    clock.elapse(1);
    await forAccount('account').set('newest', ['session']);
    restart();
    should(forAccount('account').get('old')).be.undefined();
    should(forAccount('account').get('new')).deepEqual(['session']);
    clock.elapse(WEEK);
    restart();
    forAccount('account');
    count().should.equal(0);
  });

  it(`removes the oldest session above a total of ${MAX_SESSIONS}`, async () => {
    for (let index = 0; index < MAX_SESSIONS; index++) {
      void forAccount(`account ${index % 3}`).set(`key ${index}`, [index]);
      clock.elapse(1);
    }
    await forAccount('another').set('key', ['session']);
    restart();
    count().should.equal(MAX_SESSIONS);
    should(forAccount('account 0').get('key 0')).be.undefined();
    should(forAccount('account 1').get('key 1')).deepEqual([1]);
    should(forAccount('another').get('key')).deepEqual(['session']);
  });

  it('ignores and removes values that another version has stored', async () => {
    await state.set('uploads', 'account key', { account: 'account', session: 'x' });
    await state.set('uploads', 'account key 2', 5);
    should(forAccount('account').get('key')).be.undefined();
    await forAccount('account').set('new', ['session']);
    count().should.equal(1);
  });
});
