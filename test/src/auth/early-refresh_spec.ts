/** Renewing ahead of the end: nobody waits for it, and nobody fails by it, while the old token is good. */
import should from 'should';
import type { TokenSource } from '../../../src/auth/token-source';
import { rejected } from '../../support/client/rejected';
import type { Reply, ReceivedRequest } from '../../support/http/scripted-service';
import { useTokens } from './token-fixture';

const HOUR = 3_600_000;
const MINUTE = 60_000;

describe('a token that ends soon', () => {
  const at = useTokens('manual');
  let tokens: TokenSource;

  /** With a token that has lived all its hour but this. */
  function left(ms: number): void {
    tokens = at.source({ accessToken: 'old', refreshToken: 'R', expiresAt: at.clock.now() + HOUR });
    at.clock.elapse(HOUR - ms);
  }
  const isTrying = (): boolean =>
    (tokens as unknown as { backgroundRefresh: unknown }).backgroundRefresh !== undefined;
  /** Lets the try that the latest call began come to its end. */
  async function tried(count: number): Promise<void> {
    while (at.service.requests.length < count) await new Promise(setImmediate);
    while (isTrying()) await new Promise(setImmediate);
  }

  it('is renewed five minutes before its end, while the calls go on with it', async () => {
    left(5 * MINUTE + 1);
    (await tokens.get()).should.equal('old');
    isTrying().should.be.false();
    at.clock.elapse(1);
    const all = await Promise.all(Array.from({ length: 50 }, () => tokens.get()));
    new Set(all).should.deepEqual(new Set(['old']));
    await tried(1);
    (await tokens.get()).should.equal('new-1');
    at.service.requests.length.should.equal(1);
    at.saved.map(({ accessToken }) => accessToken).should.deepEqual(['new-1']);
  });

  for (const [change, jump] of [
    ['back', -MINUTE],
    ['forward', MINUTE],
  ] as const) {
    it(`TokenSource repeats a failed early refresh after its wait when the system clock is set ${change}`, async () => {
      at.service.onRequest(() => ({ status: 503 }));
      left(4 * MINUTE);
      await tokens.get();
      await tried(1);
      at.clock.jump(jump);
      at.clock.elapse(499);
      (await tokens.get()).should.equal('old');
      isTrying().should.be.false();
      at.clock.elapse(1);
      await tokens.get();
      await tried(2);
    });
  }

  it('TokenSource refreshes a token at the end of its lifetime although the system clock was set back', async () => {
    left(6 * MINUTE);
    at.clock.jump(-10 * HOUR);
    (await tokens.get()).should.equal('old');
    at.clock.elapse(6 * MINUTE);
    (await tokens.get()).should.equal('new-1');
  });

  it('is renewed at a tenth of its life where that is shorter', async () => {
    at.service.onRequest(() => ({
      body: { access_token: `short-${at.service.requests.length}`, expires_in: 100 },
    }));
    tokens = at.source({ refreshToken: 'R' });
    (await tokens.get()).should.equal('short-1');
    at.clock.elapse(89_999);
    (await tokens.get()).should.equal('short-1');
    isTrying().should.be.false();
    at.clock.elapse(1);
    (await tokens.get()).should.equal('short-1');
    await tried(2);
    (await tokens.get()).should.equal('short-2');
  });

  for (const answer of [
    { status: 503 },
    'reset',
    { status: 200, body: '<html>' },
    { status: 401, body: { error: 'invalid_client' } },
  ] as Reply[]) {
    it(`stays in use after ${JSON.stringify(answer)}, and is tried again at the pace of retries`, async () => {
      at.service.onRequest(() => answer);
      left(5 * MINUTE + 1);
      let count = 0;
      for (const wait of [1, 500, 1_000, 2_000, 4_000]) {
        at.clock.elapse(wait - 1);
        (await tokens.get()).should.equal('old');
        isTrying().should.be.false();
        at.clock.elapse(1);
        (await Promise.all([tokens.get(), tokens.get()])).should.deepEqual(['old', 'old']);
        await tried(++count);
        at.service.requests.length.should.equal(count);
      }
      // No timer goes on where no call does.
      at.clock.sleeping.should.equal(0);
    });
  }

  it('is tried again only when the endpoint wants it', async () => {
    at.service.onRequest(() => ({
      status: 429,
      headers: { 'Retry-After': '60' },
      body: { error: 'slow_down' },
    }));
    left(4 * MINUTE);
    await tokens.get();
    await tried(1);
    for (const [wait, isTime] of [
      [59_999, false],
      [1, true],
    ] as const) {
      at.clock.elapse(wait);
      (await tokens.get()).should.equal('old');
      isTrying().should.equal(isTime);
    }
  });

  it('is waited for when it is over, with the whole of the budget', async () => {
    at.service.onRequest(() => ({ status: 503 }));
    left(4 * MINUTE);
    await tokens.get();
    await tried(1);
    at.clock.elapse(4 * MINUTE);
    const waits: number[] = [];
    const call = tokens.get({ onWait: (ms) => waits.push(ms) });
    await at.clock.untilSleeping();
    at.service.onRequest(() => ({ body: { access_token: 'late' } }));
    await at.clock.advance(1_000);
    (await call).should.equal('late');
    waits.should.deepEqual([500]);
  });

  it('is not asked for twice where it is over while a try is on its way', async () => {
    let answer: ((reply: Reply) => void) | undefined;
    at.service.onRequest((_seen: ReceivedRequest) => new Promise<Reply>((resolve) => (answer = resolve)));
    left(1);
    (await tokens.get()).should.equal('old');
    at.clock.elapse(1);
    const calls = [tokens.get(), tokens.renew('old')];
    while (!answer) await new Promise(setImmediate);
    answer({ body: { access_token: 'just in time' } });
    (await Promise.all(calls)).should.deepEqual(['just in time', 'just in time']);
    at.service.requests.length.should.equal(1);
  });

  it('counts for nothing when the grant turns out to be dead: the account needs a sign-in at once', async () => {
    at.service.onRequest(() => ({ status: 400, body: { error: 'invalid_grant' } }));
    left(4 * MINUTE);
    (await tokens.get()).should.equal('old');
    await tried(1);
    at.dead.length.should.equal(1);
    should(tokens.needsSignIn).equal(at.dead[0]);
    await rejected(tokens.get(), 'sign_in_required', 'sign_in_required_ended');
    await rejected(tokens.renew('old'), 'sign_in_required');
    at.service.requests.length.should.equal(1);
  });

  it('that a sign-in replaces is forgotten with its failures', async () => {
    at.service.onRequest(() => ({ status: 503 }));
    left(4 * MINUTE);
    await tokens.get();
    await tried(1);
    tokens.replace({ accessToken: 'signed-in', refreshToken: 'R2', expiresAt: at.clock.now() + HOUR });
    at.clock.elapse(HOUR - 1);
    at.service.onRequest(() => ({ body: { access_token: 'renewed' } }));
    (await tokens.get()).should.equal('signed-in');
    await tried(2);
    (await tokens.get()).should.equal('renewed');
  });
});
