/** Each request has its turn, its token and its tries: docs/how-it-works.md. */
import should from 'should';
import { isDriveError } from '../../../src/errors';
import type { AccessTokens } from '../../../src/types';
import { DriveError } from '../../../src/errors';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { createTestEngine } from '../../support/client/test-engine';
import { rejected } from '../../support/client/rejected';
import { ScriptedService, errorResponse } from '../../support/http/scripted-service';

describe('RequestEngine', () => {
  let service: ScriptedService;
  let testClient: TestClient;

  beforeEach(async () => {
    service = await ScriptedService.start();
    testClient = createTestClient(service.url);
  });
  afterEach(async () => {
    testClient.close();
    await service.close();
  });

  const about = () => testClient.client.getAbout('user');

  it('sends nothing without a token', async () => {
    const none = (): Promise<string> => Promise.reject(new DriveError('sign_in_required'));
    testClient.close();
    testClient = createTestClient(service.url, { tokens: { get: none, renew: none } });
    await rejected(about(), 'sign_in_required');
    await rejected(testClient.client.delete('F'), 'sign_in_required');
    service.requests.should.be.empty();
  });

  it('renews the token after a 401, once', async () => {
    const refused: string[] = [];
    const tokens: AccessTokens = {
      get: () => Promise.resolve('old'),
      renew: (token) => Promise.resolve((refused.push(token), 'new')),
    };
    testClient.close();
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

  it('repeats by reason: rate limits and a service in trouble, not a quota', async () => {
    service.respondInOrder(
      errorResponse(403, 'userRateLimitExceeded'),
      { status: 503, body: '<html>' },
      'reset',
      {
        body: { user: {} },
      },
    );
    await about();
    service.requests.length.should.equal(4);
    service.onRequest(() => errorResponse(403, 'dailyLimitExceeded'));
    await rejected(about(), 'quota_exceeded', 'quota_exceeded_daily');
    service.requests.length.should.equal(5);
  });

  it('follows redirects of a GET within its origin, and no others', async () => {
    service.onRequest(({ path }) =>
      path === '/moved' ? { body: { user: {} } } : { status: 302, headers: { Location: '/moved' } },
    );
    await about();
    const other = await ScriptedService.start();
    try {
      service.onRequest(() => ({ status: 302, headers: { Location: other.url } }));
      await rejected(about(), 'bad_response', 'bad_response_redirect');
      await rejected(testClient.client.delete('F'), 'bad_response', 'bad_response_redirect');
      other.requests.should.be.empty();
    } finally {
      await other.close();
    }
  });

  it('refuses redirects in a circle', async () => {
    service.onRequest(() => ({ status: 302, headers: { Location: '/' } }));
    await rejected(about(), 'bad_response', 'bad_response_redirects');
  });

  it('sends what cannot be repeated over no connection that may be closing at the other end', async () => {
    const used = new Set<unknown>();
    service.onRequest((_seen, { request }) => {
      if (used.has(request.socket)) return 'reset';
      used.add(request.socket);
      return { body: { id: 'F', user: {} } };
    });
    await about();
    const { engine, http } = createTestEngine(service.url);
    try {
      await engine.requestJson({ method: 'GET', url: service.url }, {});
      const post = { method: 'POST' as const, url: service.url, body: '{}' };
      (await engine.requestJson(post, {})).should.deepEqual({ id: 'F', user: {} });
      service.requests.filter(({ method }) => method === 'POST').length.should.equal(1);
      // What may be repeated finds out, and is repeated over another.
      await engine.requestJson(post, {}, true);
      service.requests.filter(({ method }) => method === 'POST').length.should.equal(3);
    } finally {
      http.close();
    }
  });

  it('takes a broken answer for a break of the line', async () => {
    service.respondInOrder({ body: { user: {} }, cutAfter: 3 }, { body: { user: {} } });
    await about();
    service.requests.length.should.equal(2);
  });

  it('shows no token, address or body in an error', async () => {
    service.onRequest(() => ({ status: 400, body: 'CANARY-BODY' }));
    const error: unknown = await about().catch((caught: unknown) => caught);
    isDriveError(error).should.be.true();
    const { message, stack, ...rest } = error as DriveError;
    should(`${message}${stack}${JSON.stringify(rest)}`).not.match(/access-token|CANARY|fields=|127\.0\.0\.1/);
  });
});
