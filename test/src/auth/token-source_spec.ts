/** Refreshes that concurrent calls share, and errors that end a sign-in: RFC 6749 sections 5.2 and 6. */
import should from 'should';
import { rejected } from '../../support/client/rejected';
import { tokenFixture } from './token-fixture';

describe('TokenSource', () => {
  const fixture = tokenFixture();
  const source = fixture.source.bind(fixture);

  it('TokenSource requests an access token with a form if it has none', async () => {
    const tokens = source({ refreshToken: 'R', scope: 'drive' });
    (await tokens.get()).should.equal('new-1');
    const [seen] = fixture.service.requests;
    should(seen?.headers['content-type']).equal('application/x-www-form-urlencoded');
    should(seen?.body.toString()).equal(
      'client_id=id&client_secret=secret&refresh_token=R&grant_type=refresh_token',
    );
    fixture.saved.should.deepEqual([
      { accessToken: 'new-1', refreshToken: 'R', scope: 'drive', expiresAt: fixture.clock.now() + 3_600_000 },
    ]);
    tokens.missingScopes('drive other').should.eql(['other']);
  });

  it('TokenSource refreshes once for all concurrent calls', async () => {
    const tokens = source({ accessToken: 'old', refreshToken: 'R' });
    const all = await Promise.all(Array.from({ length: 200 }, () => tokens.renew('old')));
    new Set(all).should.deepEqual(new Set(['new-1']));
    (await tokens.renew('old')).should.equal('new-1');
    fixture.service.requests.length.should.equal(1);
  });

  it('TokenSource saves a new refresh token', async () => {
    fixture.service.onRequest(() => ({ body: { access_token: 'A', refresh_token: 'R2', scope: 'less' } }));
    const tokens = source({ refreshToken: 'R', scope: 'all' });
    await tokens.get();
    fixture.saved.should.deepEqual([{ accessToken: 'A', refreshToken: 'R2', scope: 'less' }]);
    (await tokens.get()).should.equal('A');
  });

  it('TokenSource requires a sign-in if it has no refresh token', async () => {
    await rejected(source({}).get(), 'sign_in_required', 'sign_in_required');
    const withoutRefreshToken = source({ accessToken: 'A' });
    (await withoutRefreshToken.get()).should.equal('A');
    await rejected(withoutRefreshToken.renew('A'), 'sign_in_required', 'sign_in_required_token_refused');
    await rejected(withoutRefreshToken.renew('A'), 'sign_in_required', 'sign_in_required_token_refused');
    await rejected(withoutRefreshToken.get(), 'sign_in_required');
    fixture.service.requests.should.be.empty();
    fixture.signInErrors.length.should.equal(1);
  });

  it('TokenSource sends no requests after invalid_grant until a new sign-in', async () => {
    fixture.service.onRequest(() => ({ status: 400, body: { error: 'invalid_grant' } }));
    const tokens = source({ refreshToken: 'R' });
    await rejected(tokens.get(), 'sign_in_required', 'sign_in_required_ended');
    await rejected(tokens.get(), 'sign_in_required');
    await rejected(tokens.renew('x'), 'sign_in_required');
    fixture.service.requests.length.should.equal(1);
    fixture.signInErrors.length.should.equal(1);
    should(tokens.needsSignIn).equal(fixture.signInErrors[0]);
    tokens.replace({ accessToken: 'B', refreshToken: 'R2' });
    should(tokens.needsSignIn).be.undefined();
    (await tokens.get()).should.equal('B');
  });

  it('TokenSource requires no sign-in after errors other than invalid_grant', async () => {
    const tokens = source({ refreshToken: 'R' });
    for (const [reply, code] of [
      [{ status: 401, body: { error: 'invalid_client' } }, 'not_configured'],
      [{ status: 400, body: '<html>' }, 'bad_response'],
      // Responses of a gateway, which are not OAuth errors.
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
      fixture.service.onRequest(() => reply);
      await rejected(tokens.get(), code);
    }
    fixture.signInErrors.should.be.empty();
    fixture.service.respondInOrder('reset', { status: 500 }, { body: { access_token: 'A' } });
    (await tokens.get()).should.equal('A');
  });

  it('TokenSource reports retry delays to all waiting calls', async () => {
    fixture.service.respondInOrder({ status: 503 }, 'reset', { body: { access_token: 'A' } });
    const tokens = source({ refreshToken: 'R' });
    const waits: string[] = [];
    const onWait = (caller: string) => (ms: number) => waits.push(`${caller} ${ms}`);
    await Promise.all([tokens.get({ onWait: onWait('a') }), tokens.get({ onWait: onWait('b') })]);
    waits.should.deepEqual(['a 500', 'b 500', 'a 1000', 'b 1000']);
  });

  for (const status of [503, 429]) {
    it(`TokenSource waits for Retry-After of a ${status}`, async () => {
      const busy = { status, headers: { 'Retry-After': '7' }, body: { error: 'slow_down' } };
      fixture.service.respondInOrder(busy, { body: { access_token: 'A' } });
      const waits: number[] = [];
      (await source({ refreshToken: 'R' }).get({ onWait: (ms) => waits.push(ms) })).should.equal('A');
      waits.should.deepEqual([7_000]);
    });
  }

  for (const token of ['', 'line\nbreak', 'ümlaut', 5, null]) {
    it(`TokenSource rejects the access token ${JSON.stringify(token)}`, async () => {
      fixture.service.onRequest(() => ({ body: { access_token: token } }));
      await rejected(source({ refreshToken: 'R' }).get(), 'bad_response');
    });
  }

  it('TokenSource lists the scopes that were not granted', async () => {
    fixture.service.onRequest(() => ({
      body: { access_token: 'A', scope: 'b https://www.googleapis.com/auth/userinfo.email' },
    }));
    const tokens = source({ refreshToken: 'R' });
    tokens.missingScopes('a b').should.be.empty();
    await tokens.get();
    tokens.missingScopes('a  b email a').should.deepEqual(['a']);
  });

  it('TokenSource keeps the tokens of a sign-in that completes during a refresh', async () => {
    const tokens = source({ refreshToken: 'R' });
    fixture.service.onRequest(() => {
      tokens.replace({ accessToken: 'signed-in', refreshToken: 'R2' });
      return { status: 400, body: { error: 'invalid_grant' } };
    });
    (await tokens.get()).should.equal('signed-in');
    fixture.signInErrors.should.be.empty();
    (await tokens.get()).should.equal('signed-in');
    const signedOut = source({ refreshToken: 'R' });
    fixture.service.onRequest(() => {
      signedOut.replace({ accessToken: '', refreshToken: '' });
      return { status: 400, body: { error: 'invalid_grant' } };
    });
    await rejected(signedOut.get(), 'sign_in_required', 'sign_in_required');
    const other = source({ refreshToken: 'R' });
    fixture.service.onRequest(() => {
      other.replace({ accessToken: 'signed-in', refreshToken: 'R2' });
      return { body: { access_token: 'A' } };
    });
    (await other.get()).should.equal('signed-in');
    fixture.saved.should.be.empty();
  });

  it('TokenSource reports no delays to a cancelled call', async () => {
    const abort = new AbortController();
    const busy = { status: 503 };
    fixture.service.respondInOrder(busy, () => (abort.abort(), busy), { body: { access_token: 'A' } });
    const tokens = source({ refreshToken: 'R' });
    const cancelledWaits: number[] = [];
    const remainingWaits: number[] = [];
    const first = tokens.get({ signal: abort.signal, onWait: (ms) => cancelledWaits.push(ms) });
    const second = tokens.get({ onWait: (ms) => remainingWaits.push(ms) });
    await rejected(first, 'cancelled');
    (await second).should.equal('A');
    [cancelledWaits, remainingWaits].should.deepEqual([[500], [500, 1_000]]);
  });

  it('TokenSource continues a refresh for other calls if one is cancelled', async () => {
    const abort = new AbortController();
    fixture.service.onRequest(() => (abort.abort(), { body: { access_token: 'A' } }));
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
