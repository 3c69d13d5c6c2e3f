/** How the calls of one account wait for each other. */
import { DriveError, type ErrorCode } from '../../../src/errors';
import { createTestEngine } from '../../support/client/test-engine';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';
import { ScriptedService, refusal } from '../../support/http/scripted-service';

describe('the calls of one account', () => {
  let wire: ScriptedService;

  beforeEach(async () => {
    wire = await ScriptedService.start();
    wire.on(() => ({ body: {} }));
  });
  afterEach(() => wire.close());

  for (const [answer, wait] of [
    [refusal(403, 'rateLimitExceeded'), 200],
    [refusal(403, 'quotaExceeded'), 100],
    [{ status: 503 }, 100],
  ] as const) {
    it(`wait ${wait} ms for each other after ${JSON.stringify(answer)}`, async () => {
      const { engine, http, clock } = createTestEngine(wire.url, { requestsPerSecond: 10, retryFor: 0 });
      const get = () => engine.requestJson({ method: 'GET', url: wire.url }, {});
      wire.inOrder(answer, { body: {} });
      await get().catch(() => undefined);
      await get();
      clock.sleeps.should.deepEqual([wait]);
      http.close();
    });
  }

  it('do not wait for their turn where no token is to be had, but do where that may pass', async () => {
    let failure: ErrorCode | undefined;
    const token = (): Promise<string> =>
      failure === undefined ? Promise.resolve('token') : Promise.reject(new DriveError(failure));
    const clock = new FakeClock('manual');
    const tokens = { get: token, renew: token };
    const { engine, http } = createTestEngine(wire.url, {
      clock,
      tokens,
      requestsPerSecond: 0.01,
      retryFor: 0,
    });
    const get = () => engine.requestJson({ method: 'GET', url: wire.url }, {});
    await get();
    const waiting = get();
    await clock.untilSleeping();
    failure = 'network';
    await rejected(get(), 'network');
    clock.sleeping.should.equal(1);
    failure = 'sign_in_required';
    await rejected(get(), 'sign_in_required');
    await rejected(waiting, 'sign_in_required');
    wire.seen.length.should.equal(1);
    http.close();
  });
});
