/** Closing a token source, as when an account is closed or redeployed. */
import 'should';
import { HttpClient } from '../../../src/http/client';
import { rejected } from '../../support/client/rejected';
import type { Reply } from '../../support/http/scripted-service';
import { tokenFixture } from './token-fixture';

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
