/** _Requests_ a second and transfers at once: docs/nodes/account.md. */
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { DriveError } from '../../../src/errors';
import { RateLimiter } from '../../../src/concurrency/rate-limiter';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';

describe('RateLimiter', () => {
  it('spreads requests, in the order in which they came', async () => {
    const clock = new FakeClock('manual');
    const limiter = new RateLimiter(10, clock);
    const begun: [number, number][] = [];
    const start = clock.now();
    for (let index = 0; index < 5; index++) {
      void limiter.acquire().then(() => begun.push([index, clock.now() - start]));
    }
    await clock.advance(1_000);
    begun.should.deepEqual([
      [0, 0],
      [1, 100],
      [2, 200],
      [3, 300],
      [4, 400],
    ]);
    await limiter.acquire();
  });

  it('slows down after a rate answer and recovers slowly', async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter(10, clock);
    const wait = async (): Promise<number> => {
      await limiter.acquire();
      const before = clock.sleeps.length;
      await limiter.acquire();
      const [slept = 0] = clock.sleeps.slice(before);
      clock.elapse(60_000);
      return Math.round(slept);
    };
    (await wait()).should.equal(100);
    limiter.slowDown();
    (await wait()).should.equal(200);
    limiter.recover();
    (await wait()).should.equal(195);
    for (let index = 0; index < 200; index++) limiter.recover();
    (await wait()).should.equal(100);
    for (let index = 0; index < 50; index++) {
      limiter.slowDown();
      clock.elapse(1_000);
    }
    (await wait()).should.equal(10_000);
  });

  for (const [change, jump] of [
    ['back', -3_600_000],
    ['forward', 3_600_000],
  ] as const) {
    it(`RateLimiter keeps its rate when the system clock is set ${change}`, async () => {
      const clock = new FakeClock();
      const limiter = new RateLimiter(10, clock);
      await limiter.acquire();
      limiter.slowDown();
      clock.jump(jump);
      const start = clock.monotonic();
      await Promise.all([limiter.acquire(), limiter.acquire()]);
      (clock.monotonic() - start).should.equal(400);
    });
  }

  it('takes rate answers that come together for one', async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter(10, clock);
    await limiter.acquire();
    for (let index = 0; index < 16; index++) limiter.slowDown();
    await limiter.acquire();
    clock.sleeps.should.deepEqual([200]);
  });

  it('is never faster for a rate answer, however slow it was set', async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter(0.05, clock);
    limiter.slowDown();
    await limiter.acquire();
    await limiter.acquire();
    clock.sleeps.should.deepEqual([20_000]);
  });

  it('slows down those who wait already', async () => {
    const clock = new FakeClock('manual');
    const limiter = new RateLimiter(10, clock);
    const begun: number[] = [];
    const start = clock.now();
    const all = Array.from({ length: 5 }, () =>
      limiter.acquire().then(() => begun.push(clock.now() - start)),
    );
    await clock.advance(150);
    limiter.slowDown();
    await clock.advance(1_000);
    await Promise.all(all);
    begun.should.deepEqual([0, 100, 300, 500, 700]);
  });

  it('gives the turn of who gives up to the next, without a gap', async () => {
    const clock = new FakeClock('manual');
    const limiter = new RateLimiter(10, clock);
    const start = clock.now();
    const abort = new AbortController();
    const begun: [number, number][] = [];
    const given = [0, 1, 2, 3].map((index) =>
      limiter.acquire(index === 1 || index === 2 ? abort.signal : undefined).then(
        () => begun.push([index, clock.now() - start]),
        () => undefined,
      ),
    );
    abort.abort();
    await rejected(limiter.acquire(abort.signal), 'cancelled');
    await clock.advance(100);
    await Promise.all(given);
    begun.should.deepEqual([
      [0, 0],
      [3, 100],
    ]);
  });

  it('leaves no timer behind when all have given up, and goes on with the next', async () => {
    const clock = new FakeClock('manual');
    const limiter = new RateLimiter(1, clock);
    await limiter.acquire();
    const abort = new AbortController();
    const given = [1, 2, 3].map(() => rejected(limiter.acquire(abort.signal), 'cancelled'));
    abort.abort();
    const next = limiter.acquire();
    await Promise.all(given);
    clock.sleeping.should.equal(1);
    await clock.advance(1_000);
    await next;
    clock.sleeping.should.equal(0);
  });

  it('ends the waiting of all with an error that each would meet, and goes on with the next', async () => {
    const clock = new FakeClock('manual');
    const limiter = new RateLimiter(1, clock);
    await limiter.acquire();
    const { signal } = new AbortController();
    const waiting = [1, 2, 3].map(() => rejected(limiter.acquire(signal), 'sign_in_required'));
    limiter.rejectQueued(new DriveError('sign_in_required'));
    await Promise.all(waiting);
    getEventListeners(signal, 'abort').should.be.empty();
    const next = limiter.acquire();
    await clock.advance(1_000);
    await next;
  });

  it('makes up for timers that are a little late', async () => {
    const clock = new FakeClock();
    const sleep = clock.sleep.bind(clock);
    clock.sleep = (ms, signal) => sleep(ms + 1, signal);
    const limiter = new RateLimiter(100, clock);
    const start = clock.now();
    for (let count = 0; count <= 100; count++) await limiter.acquire();
    (clock.now() - start).should.be.within(1_000, 1_002);
  });

  /** The largest number of times within any second. */
  const mostInASecond = (times: readonly number[]): number => {
    let first = 0;
    return times.reduce((most, time, index) => {
      while ((times[first] ?? 0) <= time - 1_000 + 1e-3) first += 1;
      return Math.max(most, index - first + 1);
    }, 0);
  };

  it('neither loses one of 10,000 calls at once nor exceeds the rate in any second', async () => {
    const clock = new FakeClock('manual');
    const limiter = new RateLimiter(10, clock);
    const times: number[] = [];
    const order: number[] = [];
    const all = Promise.all(
      Array.from({ length: 10_000 }, async (_, index) => {
        await limiter.acquire();
        times.push(clock.now());
        order.push(index);
        if (index % 500 === 499) limiter.slowDown();
        else limiter.recover();
      }),
    );
    await clock.advance(1e8);
    await all;
    order.should.deepEqual([...order.keys()]);
    times.length.should.equal(10_000);
    mostInASecond(times).should.equal(10);
  });

  it('holds for any rate, with rate answers and callers that give up mixed in', async () => {
    const rates = fc.double({ min: 0.05, max: 200, noNaN: true });
    const calls = fc.array(fc.constantFrom('fine', 'slow', 'gone', 'idle'), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(rates, calls, async (rate, kinds) => {
        const clock = new FakeClock('manual');
        const limiter = new RateLimiter(rate, clock);
        const times: number[] = [];
        const order: number[] = [];
        const all = Promise.all(
          kinds.map(async (kind, index) => {
            const abort = new AbortController();
            const turn = limiter.acquire(abort.signal);
            if (kind === 'gone' && index > 0) abort.abort();
            try {
              await turn;
            } catch {
              return;
            }
            times.push(clock.now());
            order.push(index);
            if (kind === 'slow') limiter.slowDown();
            else limiter.recover();
            if (kind === 'idle') clock.elapse(3_000);
          }),
        );
        await clock.advance(1e7);
        await all;
        order.should.deepEqual([...order].sort((a, b) => a - b));
        order.length.should.equal(kinds.filter((kind, index) => kind !== 'gone' || index === 0).length);
        mostInASecond(times).should.be.belowOrEqual(Math.ceil(rate));
      }),
      { numRuns: 200 },
    );
  });
});
