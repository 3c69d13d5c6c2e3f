/** The retry budget that all requests of a call share: docs/errors.md. */
import 'should';
import { createTestEngine } from '../../support/client/test-engine';
import { rejected } from '../../support/client/rejected';
import { ScriptedService } from '../../support/http/scripted-service';

describe('RequestEngine.withRetryBudget', () => {
  it('RequestEngine lets several requests share the retry budget of their call', async () => {
    const service = await ScriptedService.start();
    const { engine, http, clock } = createTestEngine(service.url, { retryFor: 10_000 });
    try {
      const request = { method: 'GET', url: `${service.url}/drive/v3/about` } as const;
      const start = clock.monotonic();
      service.onRequest(() => (clock.monotonic() - start > 5_000 ? { body: {} } : { status: 503 }));
      const call = engine.withRetryBudget({});
      await engine.requestJson(request, call);
      service.onRequest(() => ({ status: 503 }));
      await rejected(engine.requestJson(request, call), 'service_unavailable');
      clock.sleeps.reduce((sum, ms) => sum + ms, 0).should.be.within(9_000, 10_100);
    } finally {
      http.close();
      await service.close();
    }
  });
});
