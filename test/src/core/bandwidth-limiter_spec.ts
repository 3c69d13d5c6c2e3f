/** The bandwidth limit of an account: docs/nodes/account.md. */
import { getEventListeners } from 'node:events';
import { BandwidthLimiter } from '../../../src/core/bandwidth-limiter';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';

const KIB = 1_024;

describe('BandwidthLimiter', () => {
  it('BandwidthLimiter never waits without a limit', async () => {
    const clock = new FakeClock('manual');
    const free = new BandwidthLimiter(0, clock);
    free.isLimited.should.be.false();
    free.chunkSize.should.equal(Infinity);
    await free.acquire(1e12);
    await free.acquire(1e12);
    clock.sleeps.should.be.empty();
  });

  it('BandwidthLimiter passes the first chunk at once and removes its listener', async () => {
    const clock = new FakeClock('manual');
    const limit = new BandwidthLimiter(100 * KIB, clock);
    const { signal } = new AbortController();
    await limit.acquire(limit.chunkSize, signal);
    clock.sleeps.should.be.empty();
    getEventListeners(signal, 'abort').should.be.empty();
  });

  it('BandwidthLimiter passes bytes evenly', async () => {
    const clock = new FakeClock();
    const start = clock.now();
    const limit = new BandwidthLimiter(50 * KIB, clock);
    for (let taken = 0; taken < 500 * KIB; taken += 10 * KIB) {
      await limit.acquire(10 * KIB);
      const due = ((taken + 10 * KIB) / (50 * KIB)) * 1_000;
      (clock.now() - start).should.be.within(due - 300, due + 1);
    }
    Math.max(...clock.sleeps).should.be.below(60);
  });

  it('BandwidthLimiter does not accumulate unused bandwidth', async () => {
    const clock = new FakeClock();
    const limit = new BandwidthLimiter(100 * KIB, clock);
    await limit.acquire(KIB);
    clock.elapse(3_600_000);
    const start = clock.now();
    await limit.acquire(200 * KIB);
    (clock.now() - start).should.be.within(1_700, 2_001);
  });

  for (const [change, jump] of [
    ['back', -3_600_000],
    ['forward', 3_600_000],
  ] as const) {
    it(`BandwidthLimiter keeps its rate when the system clock is set ${change}`, async () => {
      const clock = new FakeClock();
      const limiter = new BandwidthLimiter(100 * KIB, clock);
      for (let taken = 0; taken < 30; taken++) await limiter.acquire(KIB);
      clock.jump(jump);
      const start = clock.monotonic();
      await limiter.acquire(100 * KIB);
      (clock.monotonic() - start).should.be.within(900, 1_001);
    });
  }

  it('BandwidthLimiter compensates for late timers', async () => {
    const clock = new FakeClock();
    const sleep = clock.sleep.bind(clock);
    clock.sleep = (ms, signal) => sleep(ms + 15, signal);
    const start = clock.now();
    await new BandwidthLimiter(100 * KIB, clock).acquire(1_000 * KIB);
    (clock.now() - start).should.be.within(9_700, 10_100);
  });

  it('BandwidthLimiter gives each transfer the same share, whatever its chunk size', async () => {
    const clock = new FakeClock();
    const limit = new BandwidthLimiter(100 * KIB, clock);
    const moved = [0, 0, 0];
    const move = async (transfer: number, piece: number): Promise<void> => {
      for (let remaining = 40; remaining > 0; remaining -= piece) {
        await limit.acquire(piece * KIB);
        moved[transfer] = (moved[transfer] ?? 0) + piece;
        if (remaining === 40) continue;
        (Math.max(...moved) - Math.min(...moved)).should.be.below(45);
      }
    };
    await Promise.all([move(0, 40), move(1, 10), move(2, 5)]);
    moved.should.deepEqual([40, 40, 40]);
  });

  it('BandwidthLimiter rejects only an aborted caller, and at once', async () => {
    const clock = new FakeClock('manual');
    const limit = new BandwidthLimiter(KIB, clock);
    const abort = new AbortController();
    const aborted = limit.acquire(1_000 * KIB, abort.signal);
    const other = limit.acquire(KIB);
    await clock.untilSleeping();
    abort.abort();
    await rejected(aborted, 'cancelled');
    await rejected(limit.acquire(1, abort.signal), 'cancelled');
    await clock.advance(1_100);
    await other;
    await clock.advance(100);
    clock.sleeping.should.equal(0);
  });

  it('BandwidthLimiter uses no bandwidth for aborted callers and one timer for all', async () => {
    const clock = new FakeClock('manual');
    const limit = new BandwidthLimiter(KIB, clock);
    // Uses up the burst.
    for (let count = 0; count < 5; count++) await limit.acquire(limit.chunkSize);
    const abort = new AbortController();
    const aborted = Array.from({ length: 50 }, () => limit.acquire(limit.chunkSize, abort.signal));
    let isDone = false;
    void limit.acquire(limit.chunkSize).then(() => (isDone = true));
    clock.sleeping.should.equal(1);
    abort.abort();
    await Promise.all(aborted.map((each) => rejected(each, 'cancelled')));
    await clock.advance(60);
    isDone.should.be.true();
  });

  for (const rate of [1, 7, 1_000, 1e9]) {
    it(`BandwidthLimiter limits to ${rate} bytes per second`, async () => {
      const clock = new FakeClock();
      const start = clock.now();
      const limit = new BandwidthLimiter(rate, clock);
      for (let n = 0; n < 30; n++) await limit.acquire(rate);
      (clock.now() - start).should.be.within(28_799, 30_001);
    });
  }
});
