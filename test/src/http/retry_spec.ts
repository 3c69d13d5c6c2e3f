/**
 * Retry delays, `Retry-After` (RFC 9110 10.2.3) and the retry budget.
 * https://developers.google.com/workspace/drive/api/guides/handle-errors#exponential-backoff
 */
import should from 'should';
import { driveError } from '../../support/client/drive-error';
import { mayHaveBeenProcessed, parseRetryAfter, retry, retryDelay } from '../../../src/http/retry';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';
import type { ErrorCode } from '../../../src/errors';
import type { DriveRequest } from '../../../src/http/engine';
import { type TestEngine, createTestEngine } from '../../support/client/test-engine';
import { type Reply, ScriptedService, errorResponse } from '../../support/http/scripted-service';

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

type Row = [what: string, response: Reply, code: ErrorCode];

/** error-mapping_spec.ts has the errors of all statuses and reasons. */
const RETRYABLE: Row[] = [
  ['403 userRateLimitExceeded', errorResponse(403, 'userRateLimitExceeded'), 'rate_limited'],
  ['429 without a reason', { status: 429 }, 'rate_limited'],
  ['503 backendError', errorResponse(503, 'backendError'), 'service_unavailable'],
  ['408 without a reason', { status: 408 }, 'timeout'],
  ['502 with HTML', { status: 502, body: '<html>' }, 'service_unavailable'],
  ['a reset connection', 'reset', 'network'],
  ['a truncated response', { body: { some: 'json' }, cutAfter: 5 }, 'network'],
];

const PERMANENT: Row[] = [
  ['403 quotaExceeded', errorResponse(403, 'quotaExceeded'), 'quota_exceeded'],
  ['403 in HTML', { status: 403, body: '<html>rateLimitExceeded' }, 'permission_denied'],
  ['404 notFound', errorResponse(404, 'notFound'), 'not_found'],
  ['501 without a reason', { status: 501 }, 'service_unavailable'],
  // The reason takes precedence over a status that would be retried.
  ['500 quotaExceeded', errorResponse(500, 'quotaExceeded'), 'quota_exceeded'],
];

interface RequestCase {
  name: string;
  method: DriveRequest['method'];
  repeatable?: boolean;
  isRetried: boolean;
}

const METHODS: RequestCase[] = [
  ...(['GET', 'PUT', 'PATCH', 'DELETE'] as const).map((method) => ({
    name: method,
    method,
    isRetried: true,
  })),
  { name: 'POST', method: 'POST', isRetried: false },
  { name: 'POST with a client-generated id', method: 'POST', repeatable: true, isRetried: true },
];

describe('RequestEngine retries', () => {
  let service: ScriptedService;
  let testEngine: TestEngine;

  before(async () => (service = await ScriptedService.start()));
  after(() => service.close());
  beforeEach(() => {
    service.requests.length = 0;
    testEngine = createTestEngine(service.url);
  });
  const get = () => testEngine.engine.requestJson({ method: 'GET', url: service.url }, {});
  afterEach(() => testEngine.http.close());

  const send = ({ method, repeatable }: RequestCase) =>
    testEngine.engine.requestJson({ method, url: `${service.url}/x`, body: 'body' }, {}, repeatable);

  for (const requestCase of METHODS) {
    for (const [what, response, code] of RETRYABLE) {
      it(`RequestEngine ${requestCase.isRetried ? 'retries' : 'does not retry'} a ${requestCase.name} after ${what}`, async () => {
        service.respondInOrder(response, response, { body: { fine: true } });
        if (requestCase.isRetried) (await send(requestCase)).should.deepEqual({ fine: true });
        else (await rejected(send(requestCase), code)).retryable.should.be.true();
        service.requests
          .map(({ body }) => body.toString())
          .should.deepEqual(Array(requestCase.isRetried ? 3 : 1).fill('body'));
      });
    }
    it(`RequestEngine does not retry a ${requestCase.name} after permanent errors`, async () => {
      for (const [what, response, code] of PERMANENT) {
        service.requests.length = 0;
        service.respondInOrder(response, { body: { fine: true } });
        (await rejected(send(requestCase), code)).retryable.should.be.false(what);
        service.requests.length.should.equal(1, what);
      }
    });
  }

  it('RequestEngine waits as long as Retry-After says, in seconds and as a date', async () => {
    const asDate = (ms: number): string => new Date(ms).toUTCString();
    for (const retryAfter of [() => '30', (now: number) => asDate(now + 30_000)]) {
      const now = testEngine.clock.now();
      const headers = { Date: asDate(now), 'Retry-After': retryAfter(now) };
      service.respondInOrder({ status: 503, headers }, { body: {} });
      await get();
      (testEngine.clock.now() - now).should.be.within(29_000, 31_000);
    }
  });

  for (const [change, jump] of [
    ['back', -3_600_000],
    ['forward', 3_600_000],
  ] as const) {
    it(`RequestEngine keeps to its retry budget when the system clock is set ${change}`, async () => {
      testEngine.clock.onSleep = () => {
        if (testEngine.clock.sleeps.length === 1) testEngine.clock.jump(jump);
      };
      service.onRequest(() => ({ status: 503 }));
      await rejected(get(), 'service_unavailable');
      const waited = testEngine.clock.sleeps.reduce((sum, ms) => sum + ms, 0);
      waited.should.be.within(59_000, 62_000);
    });
  }

  it('RequestEngine fails at once if Retry-After exceeds the retry budget', async () => {
    const before = testEngine.clock.now();
    service.onRequest(() => ({ status: 503, headers: { 'Retry-After': '61' } }));
    const error = await rejected(get(), 'service_unavailable');
    error.retryAfter?.should.equal(61_000);
    service.requests.length.should.equal(1);
    (testEngine.clock.now() - before).should.be.below(100);
  });

  it('RequestEngine retries until its budget is spent', async () => {
    const start = testEngine.clock.now();
    service.onRequest(() =>
      testEngine.clock.now() - start < 50_000 ? { status: 503 } : { body: { fine: true } },
    );
    (await get()).should.deepEqual({ fine: true });
    service.onRequest(() => ({ status: 503 }));
    const restarted = testEngine.clock.now();
    await rejected(get(), 'service_unavailable');
    (testEngine.clock.now() - restarted).should.be.within(60_000, 60_100);
  });
});
