/** Deleting and trashing. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/delete */
import { Readable } from 'node:stream';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { rejected } from '../../support/client/rejected';
import { type Reply, ScriptedService, errorResponse } from '../../support/http/scripted-service';

const MISSING: Reply = { status: 404 };
const GONE = errorResponse(404, 'notFound');

const endless = (): Readable =>
  new Readable({
    read() {
      this.push(Buffer.alloc(65_536));
    },
  });

describe('taking files away', () => {
  let service: ScriptedService;
  let testClient: TestClient;

  beforeEach(async () => {
    service = await ScriptedService.start();
    testClient = createTestClient(service.url);
  });
  afterEach(async () => {
    testClient.close();
    await service.close();
  });

  for (const [name, take] of [
    ['delete', () => testClient.client.delete('F')],
    ['trash', () => testClient.client.trash('F')],
  ] as const) {
    for (const [what, lost] of [
      ['a lost answer', 'reset'],
      ['503', { status: 503 }],
      ['504', { status: 504 }],
      ['408', { status: 408 }],
    ] as [string, Reply][]) {
      it(`${name}: not found after ${what} is done`, async () => {
        service.respondInOrder(lost, GONE);
        await take();
        service.respondInOrder(lost, errorResponse(403, 'rateLimitExceeded'), MISSING);
        await take();
        service.requests.length.should.equal(5);
      });
    }

    for (const [what, ...before] of [
      ['at once'],
      ['after 429', { status: 429 }],
      ['after a rate limit', errorResponse(403, 'userRateLimitExceeded')],
    ] as [string, ...Reply[]][]) {
      it(`${name}: not found ${what} is not found`, async () => {
        service.respondInOrder(...before, GONE);
        await rejected(take(), 'not_found');
      });
    }

    it(`${name}: a refusal after a lost answer is a refusal`, async () => {
      service.respondInOrder('reset', errorResponse(403, 'insufficientFilePermissions'));
      await rejected(take(), 'permission_denied');
    });
  }

  for (const status of [404, 405, 501]) {
    it(`trash: ${status} without a reason may mean that a custom service has none`, async () => {
      const custom = createTestClient(service.url, { service: { kind: 'custom' } });
      const { client } = custom;
      service.onRequest(() => ({ status, body: '<html>' }));
      await rejected(client.trash('F'), 'bad_response', 'bad_response_no_trash');
      service.respondInOrder('reset', { status });
      await rejected(client.trash('F'), 'bad_response', 'bad_response_no_trash');
      service.onRequest(() => GONE);
      await rejected(client.trash('F'), 'not_found');
      custom.close();
    });
  }

  it('needs no body in the answer, and reads no endless one', async () => {
    service.onRequest((_seen, { response }) => {
      response.writeHead(200);
      endless().pipe(response);
      return 'handled';
    });
    await testClient.client.delete('F');
    while ((await service.connections) > 0) await new Promise(setImmediate);
  });
});
