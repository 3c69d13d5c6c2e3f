/** Shares of _Bandwidth_ (docs/nodes/account.md), by the clock alone. */
import { getEventListeners } from 'node:events';
import { BandwidthLimiter } from '../../../src/concurrency/bandwidth-limiter';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';

const KIB = 1_024;

describe('BandwidthLimiter', () => {
  it('costs nothing where there is no limit', async () => {
    const clock = new FakeClock('manual');
    const free = new BandwidthLimiter(0, clock);
    free.isLimited.should.be.false();
    free.chunkSize.should.equal(Infinity);
    await free.acquire(1e12);
    await free.acquire(1e12);
    clock.sleeps.should.be.empty();
  });

  it('lets what is first through at once, and forgets its signal', async () => {
    const clock = new FakeClock('manual');
    const limit = new BandwidthLimiter(100 * KIB, clock);
    const { signal } = new AbortController();
    await limit.acquire(limit.chunkSize, signal);
    clock.sleeps.should.be.empty();
    getEventListeners(signal, 'abort').should.be.empty();
  });

  it('lets bytes through evenly: never more than a second’s worth ahead', async () => {
    const clock = new FakeClock();
    const begun = clock.now();
    const limit = new BandwidthLimiter(50 * KIB, clock);
    for (let taken = 0; taken < 500 * KIB; taken += 10 * KIB) {
      await limit.acquire(10 * KIB);
      const due = ((taken + 10 * KIB) / (50 * KIB)) * 1_000;
      (clock.now() - begun).should.be.within(due - 300, due + 1);
    }
    Math.max(...clock.sleeps).should.be.below(60);
  });

  it('does not save up while nothing moves', async () => {
    const clock = new FakeClock();
    const limit = new BandwidthLimiter(100 * KIB, clock);
    await limit.acquire(KIB);
    clock.elapse(3_600_000);
    const begun = clock.now();
    await limit.acquire(200 * KIB);
    (clock.now() - begun).should.be.within(1_700, 2_001);
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

  it('makes up for timers that are late', async () => {
    const clock = new FakeClock();
    const sleep = clock.sleep.bind(clock);
    clock.sleep = (ms, signal) => sleep(ms + 15, signal);
    const begun = clock.now();
    await new BandwidthLimiter(100 * KIB, clock).acquire(1_000 * KIB);
    (clock.now() - begun).should.be.within(9_700, 10_100);
  });

  it('gives each transfer the same, whoever asks for more at once', async () => {
    const clock = new FakeClock();
    const limit = new BandwidthLimiter(100 * KIB, clock);
    const moved = [0, 0, 0];
    const move = async (who: number, piece: number): Promise<void> => {
      for (let left = 40; left > 0; left -= piece) {
        await limit.acquire(piece * KIB);
        moved[who] = (moved[who] ?? 0) + piece;
        if (left === 40) continue;
        (Math.max(...moved) - Math.min(...moved)).should.be.below(45);
      }
    };
    await Promise.all([move(0, 40), move(1, 10), move(2, 5)]);
    moved.should.deepEqual([40, 40, 40]);
  });

  it('lets go of who gives up, at once, and of nobody else', async () => {
    const clock = new FakeClock('manual');
    const limit = new BandwidthLimiter(KIB, clock);
    const ending = new AbortController();
    const leaving = limit.acquire(1_000 * KIB, ending.signal);
    const staying = limit.acquire(KIB);
    await clock.untilSleeping();
    ending.abort();
    await rejected(leaving, 'cancelled');
    await rejected(limit.acquire(1, ending.signal), 'cancelled');
    await clock.advance(1_100);
    await staying;
    await clock.advance(100);
    clock.sleeping.should.equal(0);
  });

  it('takes no part of the line for who has given up, and one timer for all who wait', async () => {
    const clock = new FakeClock('manual');
    const limit = new BandwidthLimiter(KIB, clock);
    // What may be made up for.
    for (let count = 0; count < 5; count++) await limit.acquire(limit.chunkSize);
    const ending = new AbortController();
    const leaving = Array.from({ length: 50 }, () => limit.acquire(limit.chunkSize, ending.signal));
    let isThrough = false;
    void limit.acquire(limit.chunkSize).then(() => (isThrough = true));
    clock.sleeping.should.equal(1);
    ending.abort();
    await Promise.all(leaving.map((each) => rejected(each, 'cancelled')));
    await clock.advance(60);
    isThrough.should.be.true();
  });

  for (const rate of [1, 7, 1_000, 1e9]) {
    it(`keeps to ${rate} bytes a second`, async () => {
      const clock = new FakeClock();
      const begun = clock.now();
      const limit = new BandwidthLimiter(rate, clock);
      for (let n = 0; n < 30; n++) await limit.acquire(rate);
      (clock.now() - begun).should.be.within(28_799, 30_001);
    });
  }
});
