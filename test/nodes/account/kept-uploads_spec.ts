/** Upload sessions in the state file of a user directory, on a real disk. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import { UploadSessionStore } from '../../../nodes/account/accounts/upload-session-store';
import { StateFile } from '../../../nodes/shared/runtime/state-file';
import type { SessionStore } from '../../../src/index';
import { FakeClock } from '../../support/clock';

const WEEK = 7 * 24 * 3_600_000;
const MOST = 500;

describe('upload sessions that are kept', () => {
  let userDir: string;
  let clock: FakeClock;
  let state: StateFile;
  let kept: UploadSessionStore;
  /** Of the tokens that the account has now. */
  let mark: string;

  beforeEach(async () => {
    userDir = await mkdtemp(path.join(tmpdir(), 'uploads-'));
    clock = new FakeClock();
    mark = 'anna';
    restart();
  });
  afterEach(async () => {
    await state.flushed();
    await rm(userDir, { recursive: true });
  });

  function restart(): void {
    const warn = (text: string): void => should.fail(text, undefined, 'a warning');
    state = new StateFile({ userDir, secret: () => 'secret', warn });
    kept = new UploadSessionStore(state, clock);
  }
  const of = (account: string): SessionStore => kept.forAccount(account, () => mark);
  /** What is on the disk. */
  const count = (): number => state.entries('uploads').length;

  it('outlive a restart', async () => {
    await of('account').set('key', ['session']);
    restart();
    should(of('account').get('key')).deepEqual(['session']);
    should(of('account').get('other')).be.undefined();
  });

  it('are not another account’s', async () => {
    await of('account').set('key', ['session']);
    should(of('other').get('key')).be.undefined();
  });

  it('are not another sign-in’s, and come back with the one that began them', async () => {
    const store = of('account');
    await store.set('key', ['session']);
    mark = 'berta';
    should(store.get('key')).be.undefined();
    mark = 'anna';
    should(store.get('key')).deepEqual(['session']);
    mark = 'berta';
    await store.set('key', ['hers']);
    mark = 'anna';
    should(store.get('key')).be.undefined();
  });

  it('stay the same person’s where a refresh brought other tokens', async () => {
    await of('account').set('key', ['session']);
    await of('other').set('key', ['another’s']);
    mark = 'somebody';
    await of('account').set('theirs', ['theirs']);
    kept.rebind('account', 'anna', 'anna again');
    await state.flushed();
    restart();
    mark = 'anna again';
    should(of('account').get('key')).deepEqual(['session']);
    should(of('account').get('theirs')).be.undefined();
    should(of('other').get('key')).be.undefined();
    mark = 'anna';
    should(of('account').get('key')).be.undefined();
    should(of('other').get('key')).deepEqual(['another’s']);
  });

  it('are forgotten when they are done', async () => {
    await of('account').set('key', ['session']);
    await of('account').set('key', undefined);
    restart();
    should(of('account').get('key')).be.undefined();
    count().should.equal(0);
  });

  it('go with their account, and no other’s', async () => {
    await of('account').set('key', ['session']);
    await of('other').set('key', ['session']);
    kept.delete('account');
    await state.flushed();
    restart();
    should(of('account').get('key')).be.undefined();
    should(of('other').get('key')).deepEqual(['session']);
  });

  it('are off the disk after a week, when the next is kept or Node-RED starts', async () => {
    await of('account').set('old', ['session']);
    clock.elapse(WEEK - 1);
    await of('account').set('new', ['session']);
    count().should.equal(2);
    clock.elapse(1);
    await of('account').set('newest', ['session']);
    restart();
    should(of('account').get('old')).be.undefined();
    should(of('account').get('new')).deepEqual(['session']);
    clock.elapse(WEEK);
    restart();
    of('account');
    count().should.equal(0);
  });

  it(`are ${MOST} at most: the oldest go`, async () => {
    for (let index = 0; index < MOST; index++) {
      void of(`account ${index % 3}`).set(`key ${index}`, [index]);
      clock.elapse(1);
    }
    await of('another').set('key', ['session']);
    restart();
    count().should.equal(MOST);
    should(of('account 0').get('key 0')).be.undefined();
    should(of('account 1').get('key 1')).deepEqual([1]);
    should(of('another').get('key')).deepEqual(['session']);
  });

  it('take no harm from what another version has written', async () => {
    await state.set('uploads', 'account key', { account: 'account', session: 'x' });
    await state.set('uploads', 'account key 2', 5);
    should(of('account').get('key')).be.undefined();
    await of('account').set('new', ['session']);
    count().should.equal(1);
  });
});
