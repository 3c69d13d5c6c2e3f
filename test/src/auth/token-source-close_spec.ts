/** The end of a token source: an account was closed, or deployed anew. */
import 'should';
import { HttpClient } from '../../../src/http/client';
import { rejected } from '../../support/client/rejected';
import type { Reply } from '../../support/http/scripted-service';
import { useTokens } from './token-fixture';

describe('a token source that is closed', () => {
  const at = useTokens('manual');
  let answer: ((reply: Reply) => void) | undefined;
  beforeEach(() => (answer = undefined));

  /** The endpoint answers when the test says so. */
  async function asked(): Promise<(reply: Reply) => void> {
    while (!answer) await new Promise(setImmediate);
    return answer;
  }
  const onRequest = (): void =>
    at.service.onRequest(() => new Promise<Reply>((resolve) => (answer = resolve)));

  it('ends those who wait for the next try, and tries no more', async () => {
    at.service.onRequest(() => ({ status: 503 }));
    const tokens = at.source({ refreshToken: 'R' });
    const calls = [tokens.get(), tokens.renew('x')].map((call) => rejected(call, 'cancelled'));
    await at.clock.untilSleeping();
    await tokens.close();
    await Promise.all(calls);
    at.clock.sleeping.should.equal(0);
    await at.clock.advance(1e6);
    at.service.requests.length.should.equal(1);
    (await at.service.connections).should.be.belowOrEqual(1);
  });

  it('gives no token and asks for none', async () => {
    const tokens = at.source({ accessToken: 'A', refreshToken: 'R' });
    await tokens.close();
    await rejected(tokens.get(), 'cancelled');
    await rejected(tokens.renew('A'), 'cancelled');
    await tokens.close();
    at.service.requests.should.be.empty();
    at.clock.sleeping.should.equal(0);
  });

  it('ends those who wait for an answer at once, and saves what it brings: the old token may be void', async () => {
    onRequest();
    const tokens = at.source({ refreshToken: 'R' });
    const call = rejected(tokens.get(), 'cancelled');
    const reply = await asked();
    const closed = tokens.close();
    await call;
    at.saved.should.be.empty();
    reply({ body: { access_token: 'A', refresh_token: 'rotated' } });
    await closed;
    at.saved.should.deepEqual([{ accessToken: 'A', refreshToken: 'rotated' }]);
    at.clock.sleeping.should.equal(0);
  });

  it('does the same with a try ahead of the end', async () => {
    onRequest();
    const tokens = at.source({ accessToken: 'old', refreshToken: 'R', expiresAt: at.clock.now() + 100 });
    at.clock.elapse(95);
    (await tokens.get()).should.equal('old');
    const reply = await asked();
    const closed = tokens.close();
    reply({ body: { access_token: 'A', refresh_token: 'rotated' } });
    await closed;
    at.saved.length.should.equal(1);
  });

  it('waits five seconds for an answer and then ends the request', async () => {
    onRequest();
    // More patient than the test: it's not by the line's own time-out that the request ends.
    const http = new HttpClient({ timeout: 60_000 });
    const tokens = at.source({ refreshToken: 'R' }, { http });
    const call = rejected(tokens.get(), 'cancelled');
    await asked();
    let isClosed = false;
    const closed = tokens.close().then(() => (isClosed = true));
    await call;
    await at.clock.advance(4_999);
    isClosed.should.be.false();
    await at.clock.advance(1);
    await closed;
    at.saved.should.be.empty();
    while ((await at.service.connections) > 0) await new Promise(setImmediate);
    http.close();
  });

  it('does not try again after an answer that came to nothing', async () => {
    onRequest();
    const tokens = at.source({ refreshToken: 'R' });
    const call = rejected(tokens.get(), 'cancelled');
    const reply = await asked();
    const closed = tokens.close();
    reply({ status: 503 });
    await Promise.all([call, closed]);
    await at.clock.advance(1e6);
    at.service.requests.length.should.equal(1);
    at.clock.sleeping.should.equal(0);
  });
});
