/** Refreshing a token before it expires: no call waits for it or fails by it while the old token is valid. */
import should from 'should';
import type { TokenSource } from '../../../src/auth/token-source';
import { rejected } from '../../support/client/rejected';
import type { Reply, ReceivedRequest } from '../../support/http/scripted-service';
import { tokenFixture } from './token-fixture';

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
