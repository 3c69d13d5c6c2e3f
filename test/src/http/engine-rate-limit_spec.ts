/** The rate limit that all calls of an account share. */
import { type ErrorCode } from '../../../src/errors';
import { driveError } from '../../support/client/drive-error';
import { createTestEngine } from '../../support/client/test-engine';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';
import { useScriptedService, errorResponse } from '../../support/http/scripted-service';

describe('RequestEngine rate limit', () => {
  const service = useScriptedService();

  beforeEach(() => {
    service.onRequest(() => ({ body: {} }));
  });

  for (const [response, wait] of [
    [errorResponse(403, 'rateLimitExceeded'), 200],
    [errorResponse(403, 'quotaExceeded'), 100],
    [{ status: 503 }, 100],
  ] as const) {
    it(`RequestEngine sends the next request after ${wait} ms if the last response was ${JSON.stringify(response)}`, async () => {
      const { engine, http, clock } = createTestEngine(service.url, { requestsPerSecond: 10, retryFor: 0 });
      const get = () => engine.requestJson({ method: 'GET', url: service.url }, {});
      service.respondInOrder(response, { body: {} });
      await get().catch(() => undefined);
      await get();
      clock.sleeps.should.deepEqual([wait]);
      http.close();
    });
  }

  it('RequestEngine rejects queued requests if the sign-in has ended, but not after temporary token errors', async () => {
    let failure: ErrorCode | undefined;
    const token = (): Promise<string> =>
      failure === undefined ? Promise.resolve('token') : Promise.reject(driveError(failure));
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
    const queued = get();
    await clock.untilSleeping();
    failure = 'network';
    await rejected(get(), 'network');
    clock.sleeping.should.equal(1);
    failure = 'sign_in_required';
    await rejected(get(), 'sign_in_required');
    await rejected(queued, 'sign_in_required');
    service.requests.length.should.equal(1);
    http.close();
  });
});
