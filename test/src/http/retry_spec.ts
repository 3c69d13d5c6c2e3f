/**
 * Waits between tries, and `Retry-After` (RFC 9110 section 10.2.3).
 * https://developers.google.com/workspace/drive/api/guides/handle-errors#exponential-backoff
 */
import should from 'should';
import { DriveError } from '../../../src/errors';
import { mayHaveHappened, retryAfter, retrying, waitBefore } from '../../../src/http/retry';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';

const passing = () => new DriveError('service_unavailable', { retryable: true });

describe('waits between tries', () => {
  it('double from 1 to 64 s, times a random number', () => {
    [0, 1, 2, 3, 4, 5, 6, 7, 100]
      .map((attempt) => waitBefore(attempt, 1))
      .should.deepEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 64_000, 64_000]);
    waitBefore(3, 0.5).should.equal(4_000);
    waitBefore(3, 0).should.equal(0);
  });

  it('are never shorter than what the service asked for', () => {
    waitBefore(0, 0.5, 7_000).should.equal(7_000);
    waitBefore(6, 1, 7_000).should.equal(64_000);
  });

  it('read Retry-After in seconds and as a date', () => {
    const now = Date.parse('2024-05-17T10:00:00Z');
    should(retryAfter('120', now)).equal(120_000);
    should(retryAfter(' 0 ', now)).equal(0);
    should(retryAfter('Fri, 17 May 2024 10:00:30 GMT', now)).equal(30_000);
    should(retryAfter('Fri, 17 May 2024 09:00:00 GMT', now)).equal(0);
    for (const header of [undefined, '', 'soon', '1'.repeat(30), '-5', '1.5', 'May 2030', 'Friday'])
      should(retryAfter(header, now)).be.undefined();
  });
});

describe('a request that failed', () => {
  for (const [error, maybe] of [
    [new DriveError('network'), true],
    [new DriveError('timeout'), true],
    [new DriveError('service_unavailable'), true],
    [new DriveError('network', { text: 'network_dns' }), false],
    [new DriveError('network', { text: 'network_refused' }), false],
    [new DriveError('network', { text: 'network_proxy' }), false],
    [new DriveError('rate_limited'), false],
    [new DriveError('not_found'), false],
  ] as const) {
    it(`with ${error.text} ${maybe ? 'may have been carried out' : 'was not carried out'}`, () =>
      mayHaveHappened(error).should.equal(maybe));
  }
});

describe('retrying', () => {
  const options = (clock: FakeClock) => ({ clock, random: () => 1, retryFor: 10_000 });

  it('repeats what may pass, and tells each wait', async () => {
    const clock = new FakeClock();
    const waits: number[] = [];
    let tries = 0;
    const work = (): Promise<string> => (++tries < 4 ? Promise.reject(passing()) : Promise.resolve('done'));
    (await retrying(work, options(clock), { onWait: (ms) => waits.push(ms) })).should.equal('done');
    waits.should.deepEqual([1_000, 2_000, 4_000]);
  });

  it('ends with the last error, after a last try at the end of the budget', async () => {
    const clock = new FakeClock();
    let tries = 0;
    const error = await rejected(
      retrying(() => (tries++, Promise.reject(passing())), options(clock)),
      'service_unavailable',
    );
    tries.should.equal(5);
    error.tries.should.equal(5);
    clock.sleeps.should.deepEqual([1_000, 2_000, 4_000, 3_000]);
  });

  it('ends at once where the service asked for a longer wait than is left', async () => {
    const clock = new FakeClock();
    const work = () =>
      Promise.reject(new DriveError('rate_limited', { retryable: true, retryAfter: 10_001 }));
    await rejected(retrying(work, options(clock)), 'rate_limited');
    clock.sleeps.should.be.empty();
    const justLeft = () =>
      Promise.reject(new DriveError('rate_limited', { retryable: true, retryAfter: 10_000 }));
    await rejected(retrying(justLeft, options(clock)), 'rate_limited');
    clock.sleeps.should.deepEqual([10_000]);
  });

  it("ends sooner where the call says so, and never later than the account's budget", async () => {
    for (const [retryFor, sleeps] of [
      [2_500, [1_000, 1_500]],
      [60_000, [1_000, 2_000, 4_000, 3_000]],
    ] as const) {
      const clock = new FakeClock();
      const work = retrying(() => Promise.reject(passing()), options(clock), { retryFor });
      await rejected(work, 'service_unavailable');
      clock.sleeps.should.deepEqual([...sleeps]);
    }
  });

  it('begins anew with each progress', async () => {
    const clock = new FakeClock();
    let tries = 0;
    await retrying((progressed) => {
      if (++tries === 10) return Promise.resolve();
      progressed();
      return Promise.reject(passing());
    }, options(clock));
    clock.sleeps.should.deepEqual(Array(9).fill(1_000));
  });

  it('repeats nothing else', async () => {
    const clock = new FakeClock();
    await rejected(
      retrying(() => Promise.reject(new DriveError('not_found')), options(clock)),
      'not_found',
    );
    await retrying(() => Promise.reject(new TypeError('mistake')), options(clock)).should.be.rejectedWith(
      TypeError,
    );
    clock.sleeps.should.be.empty();
  });

  it('ends a wait at once when it is cancelled', async () => {
    const clock = new FakeClock('manual');
    const abort = new AbortController();
    const work = retrying(() => Promise.reject(passing()), options(clock), { signal: abort.signal });
    await clock.untilSleeping();
    abort.abort();
    await rejected(work, 'cancelled');
  });
});
