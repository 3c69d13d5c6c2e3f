/** How the calls of one account wait for each other. */
import { DriveError, type ErrorCode } from '../../../src/errors';
import { createTestEngine } from '../../support/client/test-engine';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';
import { ScriptedService, errorResponse } from '../../support/http/scripted-service';

describe('the calls of one account', () => {
  let service: ScriptedService;

  beforeEach(async () => {
    service = await ScriptedService.start();
    service.onRequest(() => ({ body: {} }));
  });
  afterEach(() => service.close());

  for (const [answer, wait] of [
    [errorResponse(403, 'rateLimitExceeded'), 200],
    [errorResponse(403, 'quotaExceeded'), 100],
    [{ status: 503 }, 100],
  ] as const) {
    it(`wait ${wait} ms for each other after ${JSON.stringify(answer)}`, async () => {
      const { engine, http, clock } = createTestEngine(service.url, { requestsPerSecond: 10, retryFor: 0 });
      const get = () => engine.requestJson({ method: 'GET', url: service.url }, {});
      service.respondInOrder(answer, { body: {} });
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
    const { engine, http } = createTestEngine(service.url, {
      clock,
      tokens,
      requestsPerSecond: 0.01,
      retryFor: 0,
    });
    const get = () => engine.requestJson({ method: 'GET', url: service.url }, {});
    await get();
    const waiting = get();
    await clock.untilSleeping();
    failure = 'network';
    await rejected(get(), 'network');
    clock.sleeping.should.equal(1);
    failure = 'sign_in_required';
    await rejected(get(), 'sign_in_required');
    await rejected(waiting, 'sign_in_required');
    service.requests.length.should.equal(1);
    http.close();
  });
});
