/** Refreshes that concurrent calls share, and errors that end a sign-in: RFC 6749 sections 5.2 and 6. */
import should from 'should';
import { rejected } from '../../support/client/rejected';
import { tokenFixture } from './token-fixture';
import 'should';
import { HttpClient } from '../../../src/http/client';
import type { Reply, ReceivedRequest } from '../../support/http/scripted-service';
import type { TokenSource } from '../../../src/auth/token-source';

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

describe('TokenSource.close', () => {
  const fixture = tokenFixture('manual');
  let respond: ((reply: Reply) => void) | undefined;
  beforeEach(() => (respond = undefined));

  /** Waits for a request. @returns a function that responds to it */
  async function untilRequested(): Promise<(reply: Reply) => void> {
    while (!respond) await new Promise(setImmediate);
    return respond;
  }
  const delayResponses = (): void =>
    fixture.service.onRequest(() => new Promise<Reply>((resolve) => (respond = resolve)));

  it('close cancels calls that wait for a retry, and no retry follows', async () => {
    fixture.service.onRequest(() => ({ status: 503 }));
    const tokens = fixture.source({ refreshToken: 'R' });
    const calls = [tokens.get(), tokens.renew('x')].map((call) => rejected(call, 'cancelled'));
    await fixture.clock.untilSleeping();
    await tokens.close();
    await Promise.all(calls);
    fixture.clock.sleeping.should.equal(0);
    await fixture.clock.advance(1e6);
    fixture.service.requests.length.should.equal(1);
    (await fixture.service.connections).should.be.belowOrEqual(1);
  });

  it('a closed TokenSource rejects calls without a request', async () => {
    const tokens = fixture.source({ accessToken: 'A', refreshToken: 'R' });
    await tokens.close();
    await rejected(tokens.get(), 'cancelled');
    await rejected(tokens.renew('A'), 'cancelled');
    await tokens.close();
    fixture.service.requests.should.be.empty();
    fixture.clock.sleeping.should.equal(0);
  });

  it('close cancels waiting calls at once, but saves the tokens of the response because the old ones may be revoked', async () => {
    delayResponses();
    const tokens = fixture.source({ refreshToken: 'R' });
    const call = rejected(tokens.get(), 'cancelled');
    const reply = await untilRequested();
    const closed = tokens.close();
    await call;
    fixture.saved.should.be.empty();
    reply({ body: { access_token: 'A', refresh_token: 'rotated' } });
    await closed;
    fixture.saved.should.deepEqual([{ accessToken: 'A', refreshToken: 'rotated' }]);
    fixture.clock.sleeping.should.equal(0);
  });

  it('close saves the tokens of an early refresh', async () => {
    delayResponses();
    const tokens = fixture.source({
      accessToken: 'old',
      refreshToken: 'R',
      expiresAt: fixture.clock.now() + 100,
    });
    fixture.clock.elapse(95);
    (await tokens.get()).should.equal('old');
    const reply = await untilRequested();
    const closed = tokens.close();
    reply({ body: { access_token: 'A', refresh_token: 'rotated' } });
    await closed;
    fixture.saved.length.should.equal(1);
  });

  it('close waits five seconds for a response, and the tokens of a later one are saved', async () => {
    delayResponses();
    // Longer than the test, so that the HTTP timeout doesn't end the request.
    const http = new HttpClient({ timeout: 60_000 });
    const tokens = fixture.source({ refreshToken: 'R' }, { http });
    const call = rejected(tokens.get(), 'cancelled');
    const reply = await untilRequested();
    let isClosed = false;
    const closed = tokens.close().then(() => (isClosed = true));
    await call;
    await fixture.clock.advance(4_999);
    isClosed.should.be.false();
    await fixture.clock.advance(1);
    await closed;
    fixture.saved.should.be.empty();
    reply({ body: { access_token: 'A', refresh_token: 'rotated' } });
    await tokens.settled;
    fixture.saved.should.deepEqual([{ accessToken: 'A', refreshToken: 'rotated' }]);
    http.close();
  });

  it('a closed TokenSource doesn’t retry after a failed response', async () => {
    delayResponses();
    const tokens = fixture.source({ refreshToken: 'R' });
    const call = rejected(tokens.get(), 'cancelled');
    const reply = await untilRequested();
    const closed = tokens.close();
    reply({ status: 503 });
    await Promise.all([call, closed]);
    await fixture.clock.advance(1e6);
    fixture.service.requests.length.should.equal(1);
    fixture.clock.sleeping.should.equal(0);
  });

  it('a source that is started during the refresh of an earlier one waits for it', async () => {
    delayResponses();
    const earlier = fixture.source({ refreshToken: 'R' });
    const call = rejected(earlier.get(), 'cancelled');
    const reply = await untilRequested();
    const closed = earlier.close();
    await call;
    await fixture.clock.advance(5_000);
    await closed;
    const later = fixture.source({ refreshToken: 'R' }, { earlier: earlier.settled });
    const token = later.get();
    // It has begun to wait.
    await new Promise(setImmediate);
    later.replace({ accessToken: 'A', refreshToken: 'rotated' });
    reply({ body: { access_token: 'A', refresh_token: 'rotated' } });
    (await token).should.equal('A');
    fixture.service.requests.length.should.equal(1);
  });
});

const HOUR = 3_600_000;
const MINUTE = 60_000;

describe('TokenSource with a token that expires soon', () => {
  const fixture = tokenFixture('manual');
  let tokens: TokenSource;

  /** Creates a source whose token expires in `ms`. */
  function createExpiringIn(ms: number): void {
    tokens = fixture.source({ accessToken: 'old', refreshToken: 'R', expiresAt: fixture.clock.now() + HOUR });
    fixture.clock.elapse(HOUR - ms);
  }
  const isRefreshing = (): boolean =>
    (tokens as unknown as { backgroundRefresh: unknown }).backgroundRefresh !== undefined;
  /** Waits for the end of the refresh that the latest call started. @param count of all refreshes */
  async function untilRefreshed(count: number): Promise<void> {
    while (fixture.service.requests.length < count) await new Promise(setImmediate);
    while (isRefreshing()) await new Promise(setImmediate);
  }

  it('TokenSource refreshes a token five minutes before it expires, while calls continue with it', async () => {
    createExpiringIn(5 * MINUTE + 1);
    (await tokens.get()).should.equal('old');
    isRefreshing().should.be.false();
    fixture.clock.elapse(1);
    const all = await Promise.all(Array.from({ length: 50 }, () => tokens.get()));
    new Set(all).should.deepEqual(new Set(['old']));
    await untilRefreshed(1);
    (await tokens.get()).should.equal('new-1');
    fixture.service.requests.length.should.equal(1);
    fixture.saved.map(({ accessToken }) => accessToken).should.deepEqual(['new-1']);
  });

  for (const [change, jump] of [
    ['back', -MINUTE],
    ['forward', MINUTE],
  ] as const) {
    it(`TokenSource repeats a failed early refresh after its wait when the system clock is set ${change}`, async () => {
      fixture.service.onRequest(() => ({ status: 503 }));
      createExpiringIn(4 * MINUTE);
      await tokens.get();
      await untilRefreshed(1);
      fixture.clock.jump(jump);
      fixture.clock.elapse(499);
      (await tokens.get()).should.equal('old');
      isRefreshing().should.be.false();
      fixture.clock.elapse(1);
      await tokens.get();
      await untilRefreshed(2);
    });
  }

  it('TokenSource refreshes an expired token even if the system clock was set back', async () => {
    createExpiringIn(6 * MINUTE);
    fixture.clock.jump(-10 * HOUR);
    (await tokens.get()).should.equal('old');
    fixture.clock.elapse(6 * MINUTE);
    (await tokens.get()).should.equal('new-1');
  });

  it('TokenSource refreshes a token in the last tenth of a short lifetime', async () => {
    fixture.service.onRequest(() => ({
      body: { access_token: `short-${fixture.service.requests.length}`, expires_in: 100 },
    }));
    tokens = fixture.source({ refreshToken: 'R' });
    (await tokens.get()).should.equal('short-1');
    fixture.clock.elapse(89_999);
    (await tokens.get()).should.equal('short-1');
    isRefreshing().should.be.false();
    fixture.clock.elapse(1);
    (await tokens.get()).should.equal('short-1');
    await untilRefreshed(2);
    (await tokens.get()).should.equal('short-2');
  });

  for (const reply of [
    { status: 503 },
    'reset',
    { status: 200, body: '<html>' },
    { status: 401, body: { error: 'invalid_client' } },
  ] as Reply[]) {
    it(`TokenSource keeps using a token after ${JSON.stringify(reply)}, and repeats the refresh with backoff`, async () => {
      fixture.service.onRequest(() => reply);
      createExpiringIn(5 * MINUTE + 1);
      let count = 0;
      for (const wait of [1, 500, 1_000, 2_000, 4_000]) {
        fixture.clock.elapse(wait - 1);
        (await tokens.get()).should.equal('old');
        isRefreshing().should.be.false();
        fixture.clock.elapse(1);
        (await Promise.all([tokens.get(), tokens.get()])).should.deepEqual(['old', 'old']);
        await untilRefreshed(++count);
        fixture.service.requests.length.should.equal(count);
      }
      // Without calls there are no timers.
      fixture.clock.sleeping.should.equal(0);
    });
  }

  it('TokenSource repeats an early refresh only after Retry-After', async () => {
    fixture.service.onRequest(() => ({
      status: 429,
      headers: { 'Retry-After': '60' },
      body: { error: 'slow_down' },
    }));
    createExpiringIn(4 * MINUTE);
    await tokens.get();
    await untilRefreshed(1);
    for (const [wait, isTime] of [
      [59_999, false],
      [1, true],
    ] as const) {
      fixture.clock.elapse(wait);
      (await tokens.get()).should.equal('old');
      isRefreshing().should.equal(isTime);
    }
  });

  it('TokenSource retries the refresh of an expired token with the whole retry budget', async () => {
    fixture.service.onRequest(() => ({ status: 503 }));
    createExpiringIn(4 * MINUTE);
    await tokens.get();
    await untilRefreshed(1);
    fixture.clock.elapse(4 * MINUTE);
    const waits: number[] = [];
    const call = tokens.get({ onWait: (ms) => waits.push(ms) });
    await fixture.clock.untilSleeping();
    fixture.service.onRequest(() => ({ body: { access_token: 'late' } }));
    await fixture.clock.advance(1_000);
    (await call).should.equal('late');
    waits.should.deepEqual([500]);
  });

  it('TokenSource sends no second refresh if the token expires during an early one', async () => {
    let respond: ((reply: Reply) => void) | undefined;
    fixture.service.onRequest(
      (_seen: ReceivedRequest) => new Promise<Reply>((resolve) => (respond = resolve)),
    );
    createExpiringIn(1);
    (await tokens.get()).should.equal('old');
    fixture.clock.elapse(1);
    const calls = [tokens.get(), tokens.renew('old')];
    while (!respond) await new Promise(setImmediate);
    respond({ body: { access_token: 'just in time' } });
    (await Promise.all(calls)).should.deepEqual(['just in time', 'just in time']);
    fixture.service.requests.length.should.equal(1);
  });

  it('TokenSource requires a sign-in at once if an early refresh fails with invalid_grant', async () => {
    fixture.service.onRequest(() => ({ status: 400, body: { error: 'invalid_grant' } }));
    createExpiringIn(4 * MINUTE);
    (await tokens.get()).should.equal('old');
    await untilRefreshed(1);
    fixture.signInErrors.length.should.equal(1);
    should(tokens.needsSignIn).equal(fixture.signInErrors[0]);
    await rejected(tokens.get(), 'sign_in_required', 'sign_in_required_ended');
    await rejected(tokens.renew('old'), 'sign_in_required');
    fixture.service.requests.length.should.equal(1);
  });

  it('TokenSource forgets failed early refreshes after a sign-in', async () => {
    fixture.service.onRequest(() => ({ status: 503 }));
    createExpiringIn(4 * MINUTE);
    await tokens.get();
    await untilRefreshed(1);
    tokens.replace({ accessToken: 'signed-in', refreshToken: 'R2', expiresAt: fixture.clock.now() + HOUR });
    fixture.clock.elapse(HOUR - 1);
    fixture.service.onRequest(() => ({ body: { access_token: 'renewed' } }));
    (await tokens.get()).should.equal('signed-in');
    await untilRefreshed(2);
    (await tokens.get()).should.equal('renewed');
  });
});
