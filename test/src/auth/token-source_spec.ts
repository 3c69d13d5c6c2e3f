/** One renewal for all who wait, and what ends a sign-in: RFC 6749 sections 5.2 and 6. */
import should from 'should';
import { rejected } from '../../support/client/rejected';
import { useTokens } from './token-fixture';

describe('TokenSource', () => {
  const at = useTokens();
  const source = at.source.bind(at);

  it('refreshes first where there is no access token, by a form', async () => {
    const tokens = source({ refreshToken: 'R', scope: 'drive' });
    (await tokens.get()).should.equal('new-1');
    const [seen] = at.service.requests;
    should(seen?.headers['content-type']).equal('application/x-www-form-urlencoded');
    should(seen?.body.toString()).equal(
      'client_id=id&client_secret=secret&refresh_token=R&grant_type=refresh_token',
    );
    at.saved.should.deepEqual([
      { accessToken: 'new-1', refreshToken: 'R', scope: 'drive', expiresAt: at.clock.now() + 3_600_000 },
    ]);
    tokens.missingScopes('drive other').should.eql(['other']);
  });

  it('refreshes once for all who wait', async () => {
    const tokens = source({ accessToken: 'old', refreshToken: 'R' });
    const all = await Promise.all(Array.from({ length: 200 }, () => tokens.renew('old')));
    new Set(all).should.deepEqual(new Set(['new-1']));
    (await tokens.renew('old')).should.equal('new-1');
    at.service.requests.length.should.equal(1);
  });

  it('takes over a new refresh token', async () => {
    at.service.onRequest(() => ({ body: { access_token: 'A', refresh_token: 'R2', scope: 'less' } }));
    const tokens = source({ refreshToken: 'R', scope: 'all' });
    await tokens.get();
    at.saved.should.deepEqual([{ accessToken: 'A', refreshToken: 'R2', scope: 'less' }]);
    (await tokens.get()).should.equal('A');
  });

  it('needs a sign-in where there is nothing to refresh', async () => {
    await rejected(source({}).get(), 'sign_in_required', 'sign_in_required');
    const lone = source({ accessToken: 'A' });
    (await lone.get()).should.equal('A');
    await rejected(lone.renew('A'), 'sign_in_required', 'sign_in_required_token_refused');
    await rejected(lone.renew('A'), 'sign_in_required', 'sign_in_required_token_refused');
    await rejected(lone.get(), 'sign_in_required');
    at.service.requests.should.be.empty();
    at.dead.length.should.equal(1);
  });

  it('is dead after invalid_grant, asks no more, and lives again after a sign-in', async () => {
    at.service.onRequest(() => ({ status: 400, body: { error: 'invalid_grant' } }));
    const tokens = source({ refreshToken: 'R' });
    await rejected(tokens.get(), 'sign_in_required', 'sign_in_required_ended');
    await rejected(tokens.get(), 'sign_in_required');
    await rejected(tokens.renew('x'), 'sign_in_required');
    at.service.requests.length.should.equal(1);
    at.dead.length.should.equal(1);
    should(tokens.needsSignIn).equal(at.dead[0]);
    tokens.replace({ accessToken: 'B', refreshToken: 'R2' });
    should(tokens.needsSignIn).be.undefined();
    (await tokens.get()).should.equal('B');
  });

  it('lives on after a failure that is not its own', async () => {
    const tokens = source({ refreshToken: 'R' });
    for (const [answer, code] of [
      [{ status: 401, body: { error: 'invalid_client' } }, 'not_configured'],
      [{ status: 400, body: '<html>' }, 'bad_response'],
      // A gateway's, in words that are not those of an OAuth server.
      [{ status: 401, body: '<html>' }, 'bad_response'],
      [{ status: 401, body: { error: { errors: [{ reason: 'authError' }] } } }, 'bad_response'],
      ...[403, 404, 409].map((status) => [{ status, body: '<html>' }, 'bad_response'] as const),
      [{ status: 403, body: { status: 403, error: 'Forbidden', path: '/token' } }, 'bad_response'],
      [{ status: 404, body: { status: 404, error: 'Not Found', path: '/token' } }, 'bad_response'],
      [{ status: 429, body: { status: 429, error: 'Too Many Requests' } }, 'rate_limited'],
      [{ status: 200, body: '[]' }, 'bad_response'],
      [{ status: 200, body: {} }, 'bad_response'],
      ['reset', 'network'],
      [{ status: 503 }, 'service_unavailable'],
      [{ status: 403, body: { error: 'rate_limit_exceeded' } }, 'rate_limited'],
    ] as const) {
      at.service.onRequest(() => answer);
      await rejected(tokens.get(), code);
    }
    at.dead.should.be.empty();
    at.service.respondInOrder('reset', { status: 500 }, { body: { access_token: 'A' } });
    (await tokens.get()).should.equal('A');
  });

  it('tells all who wait how long a refresh waits before it tries again', async () => {
    at.service.respondInOrder({ status: 503 }, 'reset', { body: { access_token: 'A' } });
    const tokens = source({ refreshToken: 'R' });
    const told: string[] = [];
    const onWait = (who: string) => (ms: number) => told.push(`${who} ${ms}`);
    await Promise.all([tokens.get({ onWait: onWait('a') }), tokens.get({ onWait: onWait('b') })]);
    told.should.deepEqual(['a 500', 'b 500', 'a 1000', 'b 1000']);
  });

  for (const status of [503, 429]) {
    it(`waits as long as a ${status} asks for`, async () => {
      const busy = { status, headers: { 'Retry-After': '7' }, body: { error: 'slow_down' } };
      at.service.respondInOrder(busy, { body: { access_token: 'A' } });
      const waits: number[] = [];
      (await source({ refreshToken: 'R' }).get({ onWait: (ms) => waits.push(ms) })).should.equal('A');
      waits.should.deepEqual([7_000]);
    });
  }

  for (const token of ['', 'line\nbreak', 'ümlaut', 5, null]) {
    it(`takes ${JSON.stringify(token)} for no token`, async () => {
      at.service.onRequest(() => ({ body: { access_token: token } }));
      await rejected(source({ refreshToken: 'R' }).get(), 'bad_response');
    });
  }

  it('says which scopes were not granted', async () => {
    at.service.onRequest(() => ({
      body: { access_token: 'A', scope: 'b https://www.googleapis.com/auth/userinfo.email' },
    }));
    const tokens = source({ refreshToken: 'R' });
    tokens.missingScopes('a b').should.be.empty();
    await tokens.get();
    tokens.missingScopes('a  b email a').should.deepEqual(['a']);
  });

  it('keeps what a sign-in brought while an old refresh was under way', async () => {
    const tokens = source({ refreshToken: 'R' });
    at.service.onRequest(() => {
      tokens.replace({ accessToken: 'signed-in', refreshToken: 'R2' });
      return { status: 400, body: { error: 'invalid_grant' } };
    });
    (await tokens.get()).should.equal('signed-in');
    at.dead.should.be.empty();
    (await tokens.get()).should.equal('signed-in');
    const out = source({ refreshToken: 'R' });
    at.service.onRequest(() => {
      out.replace({ accessToken: '', refreshToken: '' });
      return { status: 400, body: { error: 'invalid_grant' } };
    });
    await rejected(out.get(), 'sign_in_required', 'sign_in_required');
    const other = source({ refreshToken: 'R' });
    at.service.onRequest(() => {
      other.replace({ accessToken: 'signed-in', refreshToken: 'R2' });
      return { body: { access_token: 'A' } };
    });
    (await other.get()).should.equal('signed-in');
    at.saved.should.be.empty();
  });

  it('tells one who has given up nothing more', async () => {
    const abort = new AbortController();
    const busy = { status: 503 };
    at.service.respondInOrder(busy, () => (abort.abort(), busy), { body: { access_token: 'A' } });
    const tokens = source({ refreshToken: 'R' });
    const left: number[] = [];
    const stayed: number[] = [];
    const first = tokens.get({ signal: abort.signal, onWait: (ms) => left.push(ms) });
    const second = tokens.get({ onWait: (ms) => stayed.push(ms) });
    await rejected(first, 'cancelled');
    (await second).should.equal('A');
    [left, stayed].should.deepEqual([[500], [500, 1_000]]);
  });

  it('lets one give up without the others', async () => {
    const abort = new AbortController();
    at.service.onRequest(() => (abort.abort(), { body: { access_token: 'A' } }));
    const tokens = source({ refreshToken: 'R' });
    const first = tokens.get({ signal: abort.signal });
    const second = tokens.get();
    await rejected(first, 'cancelled');
    (await second).should.equal('A');
    const aborted = new AbortController();
    aborted.abort();
    await rejected(source({ refreshToken: 'R' }).get({ signal: aborted.signal }), 'cancelled');
  });
});
