/** Tokens and connections of requests. retry_spec.ts has their retries, redirects_spec.ts their redirects. */
import should from 'should';
import { DriveError, isDriveError, type ErrorCode } from '../../../src/errors';
import type { AccessTokens } from '../../../src/types';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { createTestEngine } from '../../support/client/test-engine';
import { rejected } from '../../support/client/rejected';
import { useScriptedService, errorResponse, ScriptedService } from '../../support/http/scripted-service';
import 'should';
import { driveError } from '../../support/client/drive-error';
import { FakeClock } from '../../support/clock';

describe('RequestEngine', () => {
  const service = useScriptedService();
  let testClient: TestClient;

  beforeEach(() => (testClient = createTestClient(service.url)));

  const about = () => testClient.client.getAbout('user');

  it('RequestEngine sends no request without a token', async () => {
    const none = (): Promise<string> => Promise.reject(new DriveError('sign_in_required'));
    testClient = createTestClient(service.url, { tokens: { get: none, renew: none } });
    await rejected(about(), 'sign_in_required');
    await rejected(testClient.client.delete('F'), 'sign_in_required');
    service.requests.should.be.empty();
  });

  it('RequestEngine renews the token once after a 401', async () => {
    const refused: string[] = [];
    const tokens: AccessTokens = {
      get: () => Promise.resolve('old'),
      renew: (token) => Promise.resolve((refused.push(token), 'new')),
    };
    testClient = createTestClient(service.url, { tokens });
    service.respondInOrder({ status: 401 }, { body: { user: {} } });
    (await about()).should.deepEqual({ user: {} });
    service.requests
      .map(({ headers }) => headers.authorization)
      .should.deepEqual(['Bearer old', 'Bearer new']);
    service.onRequest(() => errorResponse(401, 'authError'));
    await rejected(about(), 'sign_in_required', 'sign_in_required_refused');
    refused.should.deepEqual(['old', 'old']);
    service.requests.length.should.equal(4);
  });

  it('RequestEngine sends the token that is valid after queueing, and reports delays and the error of its refresh', async () => {
    let count = 0;
    const tokens: AccessTokens = {
      get: ({ onWait } = {}) => (onWait?.(500), Promise.resolve(`token-${++count}`)),
      renew: (_refused, { onWait } = {}) => (onWait?.(700), Promise.reject(new DriveError('not_configured'))),
    };
    testClient = createTestClient(service.url, { tokens });
    service.onRequest(() => ({ status: 401 }));
    const waits: number[] = [];
    const onWait = (ms: number): unknown => waits.push(ms);
    await rejected(testClient.client.getAbout('user', { onWait }), 'not_configured');
    should(service.requests[0]?.headers.authorization).equal('Bearer token-2');
    waits.should.deepEqual([500, 500, 700]);
  });

  it('RequestEngine sends a request that cannot be retried over a fresh connection', async () => {
    const sockets = new Set<unknown>();
    service.onRequest((_request, { request }) => {
      if (sockets.has(request.socket)) return 'reset';
      sockets.add(request.socket);
      return { body: { id: 'F', user: {} } };
    });
    await about();
    const { engine, http } = createTestEngine(service.url);
    try {
      await engine.requestJson({ method: 'GET', url: service.url }, {});
      const post = { method: 'POST' as const, url: service.url, body: '{}' };
      (await engine.requestJson(post, {})).should.deepEqual({ id: 'F', user: {} });
      service.requests.filter(({ method }) => method === 'POST').length.should.equal(1);
      // A repeatable request fails on the reused connection and is retried over a new one.
      await engine.requestJson(post, {}, true);
      service.requests.filter(({ method }) => method === 'POST').length.should.equal(3);
    } finally {
      http.close();
    }
  });

  it('RequestEngine errors contain no token, URL or response body', async () => {
    service.onRequest(() => ({ status: 400, body: 'CANARY-BODY' }));
    const error: unknown = await about().catch((caught: unknown) => caught);
    isDriveError(error).should.be.true();
    const { message, stack, ...rest } = error as DriveError;
    should(`${message}${stack}${JSON.stringify(rest)}`).not.match(/access-token|CANARY|fields=|http:\/\//);
  });
});

describe('RequestEngine.withRetryBudget', () => {
  it('RequestEngine lets several requests share the retry budget of their call', async () => {
    const service = await ScriptedService.start();
    const { engine, http, clock } = createTestEngine(service.url, { retryFor: 10_000 });
    try {
      const request = { method: 'GET', url: `${service.url}/drive/v3/about` } as const;
      const start = clock.monotonic();
      service.onRequest(() => (clock.monotonic() - start > 5_000 ? { body: {} } : { status: 503 }));
      const call = engine.withRetryBudget({});
      await engine.requestJson(request, call);
      service.onRequest(() => ({ status: 503 }));
      await rejected(engine.requestJson(request, call), 'service_unavailable');
      clock.sleeps.reduce((sum, ms) => sum + ms, 0).should.be.within(9_000, 10_100);
    } finally {
      http.close();
      await service.close();
    }
  });
});

describe('RequestEngine rate limit', () => {
  const service = useScriptedService();

  beforeEach(() => {
    service.onRequest(() => ({ body: {} }));
  });

  for (const [response, wait] of [
    [errorResponse(403, 'rateLimitExceeded'), 200],
    [errorResponse(403, 'quotaExceeded'), 100],
    [{ status: 503 }, 100],
  ] as const) {
    it(`RequestEngine sends the next request after ${wait} ms if the last response was ${JSON.stringify(response)}`, async () => {
      const { engine, http, clock } = createTestEngine(service.url, { requestsPerSecond: 10, retryFor: 0 });
      const get = () => engine.requestJson({ method: 'GET', url: service.url }, {});
      service.respondInOrder(response, { body: {} });
      await get().catch(() => undefined);
      await get();
      clock.sleeps.should.deepEqual([wait]);
      http.close();
    });
  }

  it('RequestEngine rejects queued requests if the sign-in has ended, but not after temporary token errors', async () => {
    let failure: ErrorCode | undefined;
    const token = (): Promise<string> =>
      failure === undefined ? Promise.resolve('token') : Promise.reject(driveError(failure));
    const clock = new FakeClock('manual');
    const tokens = { get: token, renew: token };
    const { engine, http } = createTestEngine(service.url, {
      clock,
      tokens,
      requestsPerSecond: 0.01,
      retryFor: 0,
    });
    const get = () => engine.requestJson({ method: 'GET', url: service.url }, {});
    await get();
    const queued = get();
    await clock.untilSleeping();
    failure = 'network';
    await rejected(get(), 'network');
    clock.sleeping.should.equal(1);
    failure = 'sign_in_required';
    await rejected(get(), 'sign_in_required');
    await rejected(queued, 'sign_in_required');
    service.requests.length.should.equal(1);
    http.close();
  });
});
