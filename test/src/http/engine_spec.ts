/** Each request has its turn, its token and its tries: docs/how-it-works.md. */
import should from 'should';
import { isDriveError } from '../../../src/errors';
import type { AccessTokens } from '../../../src/types';
import { DriveError } from '../../../src/errors';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { createTestEngine } from '../../support/client/test-engine';
import { rejected } from '../../support/client/rejected';
import { ScriptedService, refusal } from '../../support/http/scripted-service';

describe('RequestEngine', () => {
  let wire: ScriptedService;
  let under: TestClient;

  beforeEach(async () => {
    wire = await ScriptedService.start();
    under = createTestClient(wire.url);
  });
  afterEach(async () => {
    under.close();
    await wire.close();
  });

  const about = () => under.client.getAbout('user');

  it('sends nothing without a token', async () => {
    const none = (): Promise<string> => Promise.reject(new DriveError('sign_in_required'));
    under.close();
    under = createTestClient(wire.url, { tokens: { get: none, renew: none } });
    await rejected(about(), 'sign_in_required');
    await rejected(under.client.delete('F'), 'sign_in_required');
    wire.seen.should.be.empty();
  });

  it('renews the token after a 401, once', async () => {
    const refused: string[] = [];
    const tokens: AccessTokens = {
      get: () => Promise.resolve('old'),
      renew: (token) => Promise.resolve((refused.push(token), 'new')),
    };
    under.close();
    under = createTestClient(wire.url, { tokens });
    wire.inOrder({ status: 401 }, { body: { user: {} } });
    (await about()).should.deepEqual({ user: {} });
    wire.seen.map(({ headers }) => headers.authorization).should.deepEqual(['Bearer old', 'Bearer new']);
    wire.on(() => refusal(401, 'authError'));
    await rejected(about(), 'sign_in_required', 'sign_in_required_refused');
    refused.should.deepEqual(['old', 'old']);
    wire.seen.length.should.equal(4);
  });

  it('repeats by reason: rate limits and a service in trouble, not a quota', async () => {
    wire.inOrder(refusal(403, 'userRateLimitExceeded'), { status: 503, body: '<html>' }, 'reset', {
      body: { user: {} },
    });
    await about();
    wire.seen.length.should.equal(4);
    wire.on(() => refusal(403, 'dailyLimitExceeded'));
    await rejected(about(), 'quota_exceeded', 'quota_exceeded_daily');
    wire.seen.length.should.equal(5);
  });

  it('follows redirects of a GET within its origin, and no others', async () => {
    wire.on(({ path }) =>
      path === '/moved' ? { body: { user: {} } } : { status: 302, headers: { Location: '/moved' } },
    );
    await about();
    const other = await ScriptedService.start();
    try {
      wire.on(() => ({ status: 302, headers: { Location: other.url } }));
      await rejected(about(), 'bad_response', 'bad_response_redirect');
      await rejected(under.client.delete('F'), 'bad_response', 'bad_response_redirect');
      other.seen.should.be.empty();
    } finally {
      await other.close();
    }
  });

  it('refuses redirects in a circle', async () => {
    wire.on(() => ({ status: 302, headers: { Location: '/' } }));
    await rejected(about(), 'bad_response', 'bad_response_redirects');
  });

  it('sends what cannot be repeated over no connection that may be closing at the other end', async () => {
    const used = new Set<unknown>();
    wire.on((_seen, { request }) => {
      if (used.has(request.socket)) return 'reset';
      used.add(request.socket);
      return { body: { id: 'F', user: {} } };
    });
    await about();
    const { engine, http } = createTestEngine(wire.url);
    try {
      await engine.requestJson({ method: 'GET', url: wire.url }, {});
      const post = { method: 'POST' as const, url: wire.url, body: '{}' };
      (await engine.requestJson(post, {})).should.deepEqual({ id: 'F', user: {} });
      wire.seen.filter(({ method }) => method === 'POST').length.should.equal(1);
      // What may be repeated finds out, and is repeated over another.
      await engine.requestJson(post, {}, true);
      wire.seen.filter(({ method }) => method === 'POST').length.should.equal(3);
    } finally {
      http.close();
    }
  });

  it('takes a broken answer for a break of the line', async () => {
    wire.inOrder({ body: { user: {} }, cutAfter: 3 }, { body: { user: {} } });
    await about();
    wire.seen.length.should.equal(2);
  });

  it('shows no token, address or body in an error', async () => {
    wire.on(() => ({ status: 400, body: 'CANARY-BODY' }));
    const error: unknown = await about().catch((caught: unknown) => caught);
    isDriveError(error).should.be.true();
    const { message, stack, ...rest } = error as DriveError;
    should(`${message}${stack}${JSON.stringify(rest)}`).not.match(/access-token|CANARY|fields=|127\.0\.0\.1/);
  });
});
