/**
 * Retry delays, `Retry-After` (RFC 9110 10.2.3) and the retry budget.
 * https://developers.google.com/workspace/drive/api/guides/handle-errors#exponential-backoff
 */
import should from 'should';
import { driveError } from '../../support/client/drive-error';
import { mayHaveBeenProcessed, parseRetryAfter, retry, retryDelay } from '../../../src/http/retry';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';

const temporary = () => driveError('service_unavailable', { retryable: true });

describe('retryDelay', () => {
  it('retryDelay doubles the longest delay from 1 to 64 s and multiplies it by the random number', () => {
    [0, 1, 2, 3, 4, 5, 6, 7, 100]
      .map((attempt) => retryDelay(attempt, 1))
      .should.deepEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 64_000, 64_000]);
    retryDelay(3, 0.5).should.equal(4_000);
    retryDelay(3, 0).should.equal(0);
  });

  it('retryDelay is never shorter than the service asked for', () => {
    retryDelay(0, 0.5, 7_000).should.equal(7_000);
    retryDelay(6, 1, 7_000).should.equal(64_000);
  });
});

describe('parseRetryAfter', () => {
  const now = Date.parse('2024-05-17T10:00:00Z');
  const parse = (header: string | undefined, date?: string) =>
    should(parseRetryAfter({ 'retry-after': header, date }, now));

  it('parseRetryAfter reads seconds and dates', () => {
    parse('120').equal(120_000);
    parse(' 0 ').equal(0);
    parse('Fri, 17 May 2024 10:00:30 GMT').equal(30_000);
    parse('Fri, 17 May 2024 09:00:00 GMT').equal(0);
  });

  it('parseRetryAfter ignores missing and malformed values', () => {
    for (const header of [undefined, '', 'soon', '1'.repeat(30), '-5', '1.5', 'May 2030', 'Friday'])
      parse(header).be.undefined();
  });

  it('parseRetryAfter compares a date with the Date header instead of the local clock', () => {
    parse('Fri, 17 May 2024 12:00:30 GMT', 'Fri, 17 May 2024 12:00:00 GMT').equal(30_000);
    parse('Fri, 17 May 2024 08:00:30 GMT', 'Fri, 17 May 2024 08:00:00 GMT').equal(30_000);
    parse('120', 'Fri, 17 May 2024 08:00:00 GMT').equal(120_000);
    parse('Fri, 17 May 2024 10:00:30 GMT', 'yesterday').equal(30_000);
  });
});

describe('mayHaveBeenProcessed', () => {
  for (const [error, expected] of [
    [driveError('network'), true],
    [driveError('timeout'), true],
    [driveError('service_unavailable'), true],
    [driveError('network', { text: 'network_dns' }), false],
    [driveError('network', { text: 'network_refused' }), false],
    [driveError('network', { text: 'network_proxy' }), false],
    [driveError('rate_limited'), false],
    [driveError('not_found'), false],
  ] as const) {
    it(`mayHaveBeenProcessed is ${expected} for ${error.text}`, () =>
      mayHaveBeenProcessed(error).should.equal(expected));
  }
});

describe('retry', () => {
  const options = (clock: FakeClock) => ({ clock, random: () => 1, retryFor: 10_000 });
  const failing = (): Promise<never> => Promise.reject(temporary());

  it('retry repeats after temporary errors and reports each delay', async () => {
    const clock = new FakeClock();
    const delays: number[] = [];
    let attempts = 0;
    const work = (): Promise<string> => (++attempts < 4 ? failing() : Promise.resolve('done'));
    (await retry(work, options(clock), { onWait: (ms) => delays.push(ms) })).should.equal('done');
    delays.should.deepEqual([1_000, 2_000, 4_000]);
  });

  it('retry throws the last error after a last attempt at the end of the budget', async () => {
    const clock = new FakeClock();
    let attempts = 0;
    const error = await rejected(
      retry(() => (attempts++, failing()), options(clock)),
      'service_unavailable',
    );
    attempts.should.equal(5);
    error.attempts.should.equal(5);
    clock.sleeps.should.deepEqual([1_000, 2_000, 4_000, 3_000]);
  });

  it('retry throws at once if Retry-After exceeds the remaining budget', async () => {
    const clock = new FakeClock();
    const limited = (retryAfter: number) => (): Promise<never> =>
      Promise.reject(driveError('rate_limited', { retryable: true, retryAfter }));
    await rejected(retry(limited(10_001), options(clock)), 'rate_limited');
    clock.sleeps.should.be.empty();
    await rejected(retry(limited(10_000), options(clock)), 'rate_limited');
    clock.sleeps.should.deepEqual([10_000]);
  });

  it('retry prefers the shorter budget of the call over the account budget', async () => {
    for (const [retryFor, sleeps] of [
      [2_500, [1_000, 1_500]],
      [60_000, [1_000, 2_000, 4_000, 3_000]],
    ] as const) {
      const clock = new FakeClock();
      await rejected(retry(failing, options(clock), { retryFor }), 'service_unavailable');
      clock.sleeps.should.deepEqual([...sleeps]);
    }
  });

  it('retry grants the whole budget and the shortest delay again after progress', async () => {
    const clock = new FakeClock();
    let attempts = 0;
    await retry(({ budget }) => {
      if (++attempts === 10) return Promise.resolve();
      budget.restart();
      return failing();
    }, options(clock));
    clock.sleeps.should.deepEqual(Array(9).fill(1_000));
  });

  it('nested retries share one budget', async () => {
    const clock = new FakeClock();
    const outer = retry(async (call) => {
      clock.elapse(9_000);
      await retry(failing, options(clock), call);
    }, options(clock));
    await rejected(outer, 'service_unavailable');
    clock.sleeps.should.deepEqual([1_000]);
  });

  it('retry throws permanent errors and mistakes of this program at once', async () => {
    const clock = new FakeClock();
    await rejected(
      retry(() => Promise.reject(driveError('not_found')), options(clock)),
      'not_found',
    );
    await retry(() => Promise.reject(new TypeError('mistake')), options(clock)).should.be.rejectedWith(
      TypeError,
    );
    clock.sleeps.should.be.empty();
  });

  it('retry stops waiting when its signal is aborted', async () => {
    const clock = new FakeClock('manual');
    const abort = new AbortController();
    const work = retry(failing, options(clock), { signal: abort.signal });
    await clock.untilSleeping();
    abort.abort();
    await rejected(work, 'cancelled');
  });
});
