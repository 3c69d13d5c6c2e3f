/** _Requests_ a second and transfers at once: docs/nodes/account.md. */
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { DriveError } from '../../../src/errors';
import { RateLimiter } from '../../../src/concurrency/rate-limiter';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';

describe('Pacing', () => {
  it('spreads requests, in the order in which they came', async () => {
    const clock = new FakeClock('manual');
    const pacing = new RateLimiter(10, clock);
    const begun: [number, number][] = [];
    const start = clock.now();
    for (let index = 0; index < 5; index++) {
      void pacing.acquire().then(() => begun.push([index, clock.now() - start]));
    }
    await clock.advance(1_000);
    begun.should.deepEqual([
      [0, 0],
      [1, 100],
      [2, 200],
      [3, 300],
      [4, 400],
    ]);
    await pacing.acquire();
  });

  it('slows down after a rate answer and recovers slowly', async () => {
    const clock = new FakeClock();
    const pacing = new RateLimiter(10, clock);
    const wait = async (): Promise<number> => {
      await pacing.acquire();
      const before = clock.sleeps.length;
      await pacing.acquire();
      const [slept = 0] = clock.sleeps.slice(before);
      clock.elapse(60_000);
      return Math.round(slept);
    };
    (await wait()).should.equal(100);
    pacing.slowDown();
    (await wait()).should.equal(200);
    pacing.recover();
    (await wait()).should.equal(195);
    for (let index = 0; index < 200; index++) pacing.recover();
    (await wait()).should.equal(100);
    for (let index = 0; index < 50; index++) {
      pacing.slowDown();
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
    const pacing = new RateLimiter(10, clock);
    await pacing.acquire();
    for (let index = 0; index < 16; index++) pacing.slowDown();
    await pacing.acquire();
    clock.sleeps.should.deepEqual([200]);
  });

  it('is never faster for a rate answer, however slow it was set', async () => {
    const clock = new FakeClock();
    const pacing = new RateLimiter(0.05, clock);
    pacing.slowDown();
    await pacing.acquire();
    await pacing.acquire();
    clock.sleeps.should.deepEqual([20_000]);
  });

  it('slows down those who wait already', async () => {
    const clock = new FakeClock('manual');
    const pacing = new RateLimiter(10, clock);
    const begun: number[] = [];
    const start = clock.now();
    const all = Array.from({ length: 5 }, () => pacing.acquire().then(() => begun.push(clock.now() - start)));
    await clock.advance(150);
    pacing.slowDown();
    await clock.advance(1_000);
    await Promise.all(all);
    begun.should.deepEqual([0, 100, 300, 500, 700]);
  });

  it('gives the turn of who gives up to the next, without a gap', async () => {
    const clock = new FakeClock('manual');
    const pacing = new RateLimiter(10, clock);
    const start = clock.now();
    const abort = new AbortController();
    const begun: [number, number][] = [];
    const given = [0, 1, 2, 3].map((index) =>
      pacing.acquire(index === 1 || index === 2 ? abort.signal : undefined).then(
        () => begun.push([index, clock.now() - start]),
        () => undefined,
      ),
    );
    abort.abort();
    await rejected(pacing.acquire(abort.signal), 'cancelled');
    await clock.advance(100);
    await Promise.all(given);
    begun.should.deepEqual([
      [0, 0],
      [3, 100],
    ]);
  });

  it('leaves no timer behind when all have given up, and goes on with the next', async () => {
    const clock = new FakeClock('manual');
    const pacing = new RateLimiter(1, clock);
    await pacing.acquire();
    const abort = new AbortController();
    const given = [1, 2, 3].map(() => rejected(pacing.acquire(abort.signal), 'cancelled'));
    abort.abort();
    const next = pacing.acquire();
    await Promise.all(given);
    clock.sleeping.should.equal(1);
    await clock.advance(1_000);
    await next;
    clock.sleeping.should.equal(0);
  });

  it('ends the waiting of all with an error that each would meet, and goes on with the next', async () => {
    const clock = new FakeClock('manual');
    const pacing = new RateLimiter(1, clock);
    await pacing.acquire();
    const { signal } = new AbortController();
    const waiting = [1, 2, 3].map(() => rejected(pacing.acquire(signal), 'sign_in_required'));
    pacing.rejectQueued(new DriveError('sign_in_required'));
    await Promise.all(waiting);
    getEventListeners(signal, 'abort').should.be.empty();
    const next = pacing.acquire();
    await clock.advance(1_000);
    await next;
  });

  it('makes up for timers that are a little late', async () => {
    const clock = new FakeClock();
    const sleep = clock.sleep.bind(clock);
    clock.sleep = (ms, signal) => sleep(ms + 1, signal);
    const pacing = new RateLimiter(100, clock);
    const start = clock.now();
    for (let count = 0; count <= 100; count++) await pacing.acquire();
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
    const pacing = new RateLimiter(10, clock);
    const times: number[] = [];
    const order: number[] = [];
    const all = Promise.all(
      Array.from({ length: 10_000 }, async (_, index) => {
        await pacing.acquire();
        times.push(clock.now());
        order.push(index);
        if (index % 500 === 499) pacing.slowDown();
        else pacing.recover();
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
        const pacing = new RateLimiter(rate, clock);
        const times: number[] = [];
        const order: number[] = [];
        const all = Promise.all(
          kinds.map(async (kind, index) => {
            const abort = new AbortController();
            const turn = pacing.acquire(abort.signal);
            if (kind === 'gone' && index > 0) abort.abort();
            try {
              await turn;
            } catch {
              return;
            }
            times.push(clock.now());
            order.push(index);
            if (kind === 'slow') pacing.slowDown();
            else pacing.recover();
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
