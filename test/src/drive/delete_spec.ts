/** Deleting permanently and trashing: https://developers.google.com/workspace/drive/api/reference/rest/v3/files/delete */
import { Readable } from 'node:stream';
import { CAPABILITIES } from '../../../src/capabilities';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { rejected } from '../../support/client/rejected';
import { type Reply, useScriptedService, errorResponse } from '../../support/http/scripted-service';

const NOT_FOUND_WITHOUT_REASON: Reply = { status: 404 };
const NOT_FOUND = errorResponse(404, 'notFound');

const endless = (): Readable =>
  new Readable({
    read() {
      this.push(Buffer.alloc(65_536));
    },
  });

describe('delete and trash', () => {
  const service = useScriptedService();
  let testClient: TestClient;

  beforeEach(() => (testClient = createTestClient(service.url)));

  for (const [name, remove] of [
    ['delete', () => testClient.client.delete('F')],
    ['trash', () => testClient.client.trash('F')],
  ] as const) {
    for (const [failure, failed] of [
      ['a lost response', 'reset'],
      ['503', { status: 503 }],
      ['504', { status: 504 }],
      ['408', { status: 408 }],
    ] as [string, Reply][]) {
      it(`${name} succeeds if it gets not_found after ${failure}`, async () => {
        service.respondInOrder(failed, NOT_FOUND);
        await remove();
        service.respondInOrder(failed, errorResponse(403, 'rateLimitExceeded'), NOT_FOUND_WITHOUT_REASON);
        await remove();
        service.requests.length.should.equal(5);
      });
    }

    for (const [when, ...before] of [
      ['on the first attempt'],
      ['after 429', { status: 429 }],
      ['after a rate limit', errorResponse(403, 'userRateLimitExceeded')],
    ] as [string, ...Reply[]][]) {
      it(`${name} fails with not_found ${when}`, async () => {
        service.respondInOrder(...before, NOT_FOUND);
        await rejected(remove(), 'not_found');
      });
    }

    it(`${name} fails with permission_denied after a lost response`, async () => {
      service.respondInOrder('reset', errorResponse(403, 'insufficientFilePermissions'));
      await rejected(remove(), 'permission_denied');
    });
  }

  for (const status of [404, 405, 501]) {
    it(`trash reports that a custom service may have no trash after ${status} without a reason`, async () => {
      const custom = createTestClient(service.url, { service: { can: CAPABILITIES.custom } });
      const { client } = custom;
      service.onRequest(() => ({ status, body: '<html>' }));
      await rejected(client.trash('F'), 'bad_response', 'bad_response_no_trash');
      service.respondInOrder('reset', { status });
      await rejected(client.trash('F'), 'bad_response', 'bad_response_no_trash');
      service.onRequest(() => NOT_FOUND);
      await rejected(client.trash('F'), 'not_found');
      custom.close();
    });
  }

  it('trash reports that a custom service may have no trash if it finds the URL of no file', async () => {
    const custom = createTestClient(service.url, { service: { can: CAPABILITIES.custom } });
    const { client } = custom;
    for (const metadata of [{ status: 405 }, { status: 404 }, { body: { id: 'F' } }] as Reply[]) {
      service.respondInOrder(NOT_FOUND, metadata);
      await rejected(client.trash('F'), 'bad_response', 'bad_response_no_trash');
    }
    service.respondInOrder(NOT_FOUND, { status: 403 });
    await rejected(client.trash('F'), 'not_found');
    custom.close();
  });

  it('delete succeeds without reading an endless response body', async () => {
    service.onRequest((_seen, { response }) => {
      response.writeHead(200);
      endless().pipe(response);
      return 'handled';
    });
    await testClient.client.delete('F');
    while ((await service.connections) > 0) await new Promise(setImmediate);
  });
});
