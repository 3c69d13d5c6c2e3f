/** Concurrent calls that share a grant, when tokens are refreshed or refused: RFC 6749 section 6. */
import { TokenSource } from '../../../src/auth/token-source';
import { DriveError } from '../../../src/errors';
import { HttpClient } from '../../../src/http/client';
import type { Tokens } from '../../../src/types';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { FakeClock } from '../../support/clock';
import { bytes } from '../../support/content';
import { rejected } from '../../support/client/rejected';
import {
  type Reply,
  ScriptedService,
  useScriptedService,
  type ReceivedRequest,
} from '../../support/http/scripted-service';

describe('concurrent calls of an account', () => {
  const service = useScriptedService();
  let oauth: HttpClient;
  let clock: FakeClock;
  let testClient: TestClient;
  let tokens: TokenSource;
  /** The access token that the service accepts. */
  let validToken: string;
  let tokenReply: Reply | undefined;

  beforeEach(() => {
    oauth = new HttpClient({ timeout: 5_000 });
    clock = new FakeClock();
    validToken = 'none';
    tokenReply = undefined;
    service.onRequest(respond);
  });
  afterEach(() => {
    oauth.close();
  });

  function respond({ path, headers }: ReceivedRequest): Reply {
    if (path !== '/token') {
      return headers.authorization === `Bearer ${validToken}` ? { body: { user: {} } } : { status: 401 };
    }
    if (tokenReply !== undefined) return tokenReply;
    validToken = `token-${service.requests.length}`;
    return { body: { access_token: validToken, expires_in: 3_600 } };
  }

  function signIn(saved: Partial<Tokens>): void {
    tokens = new TokenSource({
      http: oauth,
      clock,
      random: () => 0.5,
      retryFor: 60_000,
      client: () => ({ clientId: 'id', clientSecret: 'secret', tokenUrl: `${service.url}/token` }),
      store: { load: () => ({ accessToken: '', refreshToken: 'R', ...saved }), save: () => undefined },
    });
    testClient = createTestClient(service.url, { tokens, clock });
  }

  const burst = (count: number) => Array.from({ length: count }, () => testClient.client.getAbout('user'));
  const refreshes = () => service.requests.filter(({ path }) => path === '/token').length;

  it('200 concurrent calls with an expired token cause one refresh', async () => {
    signIn({ accessToken: 'old', expiresAt: clock.now() - 1 });
    (await Promise.all(burst(200))).length.should.equal(200);
    refreshes().should.equal(1);
    service.requests.length.should.equal(201);
  });

  it('200 concurrent calls with a refused token cause one refresh and are repeated once', async () => {
    signIn({ accessToken: 'refused' });
    (await Promise.all(burst(200))).length.should.equal(200);
    refreshes().should.equal(1);
    const refused = service.requests.filter(
      ({ headers }) => headers.authorization === 'Bearer refused',
    ).length;
    service.requests.length.should.equal(201 + refused);
  });

  it('a call waits while the token endpoint is unavailable, and reports the delays', async () => {
    signIn({});
    const waits: number[] = [];
    tokenReply = { status: 503 };
    const call = testClient.client.getAbout('user', {
      onWait: (ms) => {
        waits.push(ms);
        if (waits.length === 3) tokenReply = undefined;
      },
    });
    await call;
    waits.should.deepEqual([500, 1_000, 2_000]);
  });

  it('concurrent calls fail at once after invalid_grant, and nothing is sent until a new sign-in', async () => {
    signIn({ accessToken: 'refused' });
    tokenReply = { status: 400, body: { error: 'invalid_grant' } };
    const calls = burst(200).map((call) => rejected(call, 'sign_in_required', 'sign_in_required_ended'));
    const before = clock.now();
    await Promise.all(calls);
    refreshes().should.equal(1);
    // Queued calls were not sent.
    service.requests.length.should.be.below(50);
    (clock.now() - before).should.be.below(100);
    service.requests.length = 0;
    await Promise.all(burst(20).map((call) => rejected(call, 'sign_in_required')));
    service.requests.should.be.empty();
    validToken = 'new';
    tokens.replace({ accessToken: 'new', refreshToken: 'R2' });
    (await Promise.all(burst(20))).length.should.equal(20);
    refreshes().should.equal(0);
  });

  it('an upload sends its body again after a 401', async () => {
    signIn({ accessToken: 'refused' });
    const content = bytes(300_000);
    const bodies: Buffer[] = [];
    service.onRequest((seen) => {
      if (seen.path.endsWith('generateIds')) return { body: { ids: ['I'] } };
      if (seen.path === '/token' || seen.headers.authorization !== `Bearer ${validToken}`)
        return respond(seen);
      bodies.push(seen.body);
      return { body: { id: 'I', size: String(content.length) } };
    });
    const plain = { folderId: '', mimeType: '', keepModifiedTime: false, metadata: {}, fields: 'id' };
    await testClient.client.upload({
      ...plain,
      name: 'x',
      ifExists: 'duplicate',
      content: { data: content },
    });
    bodies.length.should.equal(1);
    bodies[0]?.includes(content).should.be.true();
  });

  it('a download that another origin refuses fails without a refresh or a second attempt', async () => {
    signIn({ accessToken: 'fine' });
    validToken = 'fine';
    const other = await ScriptedService.start();
    other.onRequest(() => ({ status: 401 }));
    service.onRequest((seen) => {
      if (seen.path === '/token') return respond(seen);
      if (seen.query.get('alt') === 'media') return { status: 302, headers: { Location: `${other.url}/c` } };
      return { body: { id: 'F', name: 'x', size: '5' } };
    });
    try {
      const request = { id: 'F', fields: 'id', maxSize: 100, acknowledgeAbuse: false };
      await rejected(
        testClient.client.downloadToMemory(request),
        'permission_denied',
        'permission_denied_elsewhere',
      );
      other.requests.length.should.equal(1);
      refreshes().should.equal(0);
    } finally {
      await other.close();
    }
  });

  it('a call fails with the error of the token refresh', async () => {
    testClient = createTestClient(service.url, {
      tokens: {
        get: () => Promise.resolve('refused'),
        renew: () => Promise.reject(new DriveError('not_configured')),
      },
    });
    await rejected(testClient.client.getAbout('user'), 'not_configured');
  });
});
