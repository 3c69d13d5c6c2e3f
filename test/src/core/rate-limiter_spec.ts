/** The rate limit of an account: docs/nodes/account.md. */
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { DriveError } from '../../../src/errors';
import { RateLimiter } from '../../../src/core/rate-limiter';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';

describe('RateLimiter', () => {
  it('RateLimiter starts requests evenly, in order of arrival', async () => {
    const clock = new FakeClock('manual');
    const limiter = new RateLimiter(10, clock);
    const started: [number, number][] = [];
    const start = clock.now();
    for (let index = 0; index < 5; index++) {
      void limiter.acquire().then(() => started.push([index, clock.now() - start]));
    }
    await clock.advance(1_000);
    started.should.deepEqual([
      [0, 0],
      [1, 100],
      [2, 200],
      [3, 300],
      [4, 400],
    ]);
    await limiter.acquire();
  });

  it('RateLimiter rejects a request that is already cancelled without delaying others', async () => {
    const clock = new FakeClock('manual');
    const limiter = new RateLimiter(10, clock);
    await limiter.acquire();
    await rejected(limiter.acquire(AbortSignal.abort()), 'cancelled');
    const next = limiter.acquire();
    await clock.advance(100);
    await next;
  });

  it('RateLimiter halves the rate after a rate limit response and recovers slowly', async () => {
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

  it('RateLimiter counts rate limit responses within a second as one', async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter(10, clock);
    await limiter.acquire();
    for (let index = 0; index < 16; index++) limiter.slowDown();
    await limiter.acquire();
    clock.sleeps.should.deepEqual([200]);
  });

  it('RateLimiter never becomes faster after a rate limit response, however low its rate', async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter(0.05, clock);
    limiter.slowDown();
    await limiter.acquire();
    await limiter.acquire();
    clock.sleeps.should.deepEqual([20_000]);
  });

  it('RateLimiter slows down requests that are already queued', async () => {
    const clock = new FakeClock('manual');
    const limiter = new RateLimiter(10, clock);
    const started: number[] = [];
    const start = clock.now();
    const all = Array.from({ length: 5 }, () =>
      limiter.acquire().then(() => started.push(clock.now() - start)),
    );
    await clock.advance(150);
    limiter.slowDown();
    await clock.advance(1_000);
    await Promise.all(all);
    started.should.deepEqual([0, 100, 300, 500, 700]);
  });

  it('RateLimiter starts the next request in place of an aborted one', async () => {
    const clock = new FakeClock('manual');
    const limiter = new RateLimiter(10, clock);
    const start = clock.now();
    const abort = new AbortController();
    const started: [number, number][] = [];
    const calls = [0, 1, 2, 3].map((index) =>
      limiter.acquire(index === 1 || index === 2 ? abort.signal : undefined).then(
        () => started.push([index, clock.now() - start]),
        () => undefined,
      ),
    );
    abort.abort();
    await rejected(limiter.acquire(abort.signal), 'cancelled');
    await clock.advance(100);
    await Promise.all(calls);
    started.should.deepEqual([
      [0, 0],
      [3, 100],
    ]);
  });

  it('RateLimiter stops its timer when all callers are aborted, and serves later ones', async () => {
    const clock = new FakeClock('manual');
    const limiter = new RateLimiter(1, clock);
    await limiter.acquire();
    const abort = new AbortController();
    const calls = [1, 2, 3].map(() => rejected(limiter.acquire(abort.signal), 'cancelled'));
    abort.abort();
    const next = limiter.acquire();
    await Promise.all(calls);
    clock.sleeping.should.equal(1);
    await clock.advance(1_000);
    await next;
    clock.sleeping.should.equal(0);
  });

  it('RateLimiter.rejectQueued rejects all queued calls and serves later ones', async () => {
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

  it('RateLimiter compensates for slightly late timers', async () => {
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

  it('RateLimiter serves 10,000 concurrent calls without exceeding the rate in any second', async () => {
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

  it('RateLimiter keeps any rate with slowdowns and aborted callers', async () => {
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
            const start = limiter.acquire(abort.signal);
            if (kind === 'gone' && index > 0) abort.abort();
            try {
              await start;
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
