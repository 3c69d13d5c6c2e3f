/** Deleting and trashing. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/delete */
import { Readable } from 'node:stream';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { rejected } from '../../support/client/rejected';
import { type Reply, ScriptedService, refusal } from '../../support/http/scripted-service';

const MISSING: Reply = { status: 404 };
const GONE = refusal(404, 'notFound');

const endless = (): Readable =>
  new Readable({
    read() {
      this.push(Buffer.alloc(65_536));
    },
  });

describe('taking files away', () => {
  let wire: ScriptedService;
  let under: TestClient;

  beforeEach(async () => {
    wire = await ScriptedService.start();
    under = createTestClient(wire.url);
  });
  afterEach(async () => {
    under.close();
    await wire.close();
  });

  for (const [name, take] of [
    ['delete', () => under.client.delete('F')],
    ['trash', () => under.client.trash('F')],
  ] as const) {
    for (const [what, lost] of [
      ['a lost answer', 'reset'],
      ['503', { status: 503 }],
      ['504', { status: 504 }],
      ['408', { status: 408 }],
    ] as [string, Reply][]) {
      it(`${name}: not found after ${what} is done`, async () => {
        wire.inOrder(lost, GONE);
        await take();
        wire.inOrder(lost, refusal(403, 'rateLimitExceeded'), MISSING);
        await take();
        wire.seen.length.should.equal(5);
      });
    }

    for (const [what, ...before] of [
      ['at once'],
      ['after 429', { status: 429 }],
      ['after a rate limit', refusal(403, 'userRateLimitExceeded')],
    ] as [string, ...Reply[]][]) {
      it(`${name}: not found ${what} is not found`, async () => {
        wire.inOrder(...before, GONE);
        await rejected(take(), 'not_found');
      });
    }

    it(`${name}: a refusal after a lost answer is a refusal`, async () => {
      wire.inOrder('reset', refusal(403, 'insufficientFilePermissions'));
      await rejected(take(), 'permission_denied');
    });
  }

  for (const status of [404, 405, 501]) {
    it(`trash: ${status} without a reason may mean that a custom service has none`, async () => {
      const custom = createTestClient(wire.url, { service: { kind: 'custom' } });
      const { client } = custom;
      wire.on(() => ({ status, body: '<html>' }));
      await rejected(client.trash('F'), 'bad_response', 'bad_response_no_trash');
      wire.inOrder('reset', { status });
      await rejected(client.trash('F'), 'bad_response', 'bad_response_no_trash');
      wire.on(() => GONE);
      await rejected(client.trash('F'), 'not_found');
      custom.close();
    });
  }

  it('needs no body in the answer, and reads no endless one', async () => {
    wire.on((_seen, { response }) => {
      response.writeHead(200);
      endless().pipe(response);
      return 'handled';
    });
    await under.client.delete('F');
    while ((await wire.connections) > 0) await new Promise(setImmediate);
  });
});
