/**
 * The retries of each error response by method, over real HTTP.
 * https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
import type { ErrorCode } from '../../../src/errors';
import type { DriveRequest } from '../../../src/http/engine';
import { type TestEngine, createTestEngine } from '../../support/client/test-engine';
import { rejected } from '../../support/client/rejected';
import { type Reply, ScriptedService, errorResponse } from '../../support/http/scripted-service';

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
