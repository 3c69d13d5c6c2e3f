/** Who has which upload session: its bookkeeping alone. What uploads make of it is in the other specs. */
import should from 'should';
import { type SavedSession, SessionRegistry } from '../../../src/upload/session-registry';
import { FakeClock } from '../../support/clock';
import { MemorySessions } from '../../support/client/memory-sessions';

const WEEK = 7 * 24 * 3_600_000;

describe('upload sessions that are kept', () => {
  let store: MemorySessions;
  let clock: FakeClock;
  let sessions: SessionRegistry;

  beforeEach(() => {
    store = new MemorySessions();
    clock = new FakeClock();
    sessions = new SessionRegistry(store, clock);
  });

  const kept = (): SavedSession[] => (store.get('key') ?? []) as SavedSession[];
  const keep = (address: string): Promise<void> => sessions.claim('key').keep({ address, method: 'POST' });
  const session = (more: object = {}) => ({ address: 'a', method: 'POST', begun: clock.now(), ...more });

  it('know when they were begun', async () => {
    await keep('a');
    kept().should.deepEqual([{ address: 'a', method: 'POST', begun: clock.now() }]);
  });

  it('are given to one upload at a time', async () => {
    await store.set('key', [session({ address: 'a' }), session({ address: 'b', method: 'PATCH', id: 'F' })]);
    const claims = [1, 2, 3].map(() => sessions.claim('key'));
    claims.map(({ earlier }) => earlier?.address).should.deepEqual(['a', 'b', undefined]);
    claims[1]?.release();
    should(sessions.claim('key').earlier).deepEqual(session({ address: 'b', method: 'PATCH', id: 'F' }));
    should(sessions.claim('key').earlier).be.undefined();
  });

  it('are not given to another upload while the one that began them is at work', async () => {
    const claim = sessions.claim('key');
    await claim.keep({ address: 'a', method: 'POST' });
    should(sessions.claim('key').earlier).be.undefined();
    claim.release();
    should(sessions.claim('key').earlier?.address).equal('a');
  });

  it('are replaced by the ones that take their place, and forgotten when they are done', async () => {
    await keep('other');
    const claim = sessions.claim('key');
    await claim.keep({ address: 'a', method: 'POST' });
    await claim.keep({ address: 'b', method: 'POST' });
    kept()
      .map(({ address }) => address)
      .should.deepEqual(['other', 'b']);
    await claim.forget();
    kept()
      .map(({ address }) => address)
      .should.deepEqual(['other']);
  });

  it('leave nothing behind when the last one is forgotten', async () => {
    const claim = sessions.claim('key');
    await claim.keep({ address: 'a', method: 'POST' });
    await claim.forget();
    store.kept.size.should.equal(0);
  });

  it('are the latest fifty of those that are alike', async () => {
    for (let number = 0; number < 52; number++) await keep(`${number}`);
    const addresses = kept().map(({ address }) => address);
    addresses.length.should.equal(50);
    [addresses[0], addresses[49]].should.deepEqual(['2', '51']);
  });

  it('are taken up to the end of their week', async () => {
    await store.set('key', [session()]);
    clock.elapse(WEEK - 1);
    const claim = sessions.claim('key');
    should(claim.earlier?.address).equal('a');
    claim.release();
    clock.elapse(1);
    should(sessions.claim('key').earlier).be.undefined();
  });

  for (const [what, odd] of [
    ['no address', { address: undefined }],
    ['a method that is none', { method: 'DELETE' }],
    ['an id that is a number', { id: 5 }],
    ['a name that is a list', { name: [] }],
    ['a beginning in words', { begun: String(Number.MAX_SAFE_INTEGER) }],
  ] as const)
    it(`are not taken from the disk with ${what}`, async () => {
      await store.set('key', [session(odd)]);
      should(sessions.claim('key').earlier).be.undefined();
    });
});
