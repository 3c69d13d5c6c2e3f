/**
 * Tokens are sent to the configured origins only, also after redirects; and no error contains a token, a secret, an
 * upload session's URL, a query or a response body.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import should from 'should';
import { pollForTokens, startDeviceFlow } from '../../../src/auth/device-flow';
import { refreshTokens, revokeToken } from '../../../src/auth/token-endpoint';
import type { DriveClient } from '../../../src/drive-client';
import { isDriveError } from '../../../src/errors';
import { HttpClient } from '../../../src/http/client';
import { CANARY, findCanaries, visibleText } from '../../support/canaries';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { FakeClock } from '../../support/clock';
import { PLAIN_UPLOAD, collectFiles } from '../../support/client/drive-fixture';
import {
  type ScriptedResponse,
  type Reply,
  ScriptedService,
  useScriptedService,
  type ReceivedRequest,
} from '../../support/http/scripted-service';

const tokens = {
  get: () => Promise.resolve(CANARY.access),
  renew: () => Promise.resolve(CANARY.access),
};
const LARGE = Buffer.alloc(5_000_001);
const context = () => ({ http: new HttpClient({ timeout: 2_000 }), clock: new FakeClock() });

interface Operation {
  name: string;
  run: (client: DriveClient, url: string, folder: string) => Promise<unknown>;
  /** Selects the requests that get the fault; by default all. */
  appliesTo?: (seen: ReceivedRequest) => boolean;
}

const download = { id: 'F', fields: 'id', acknowledgeAbuse: false };
const upload = { ...PLAIN_UPLOAD, folderId: CANARY.query };
const isPut = ({ method }: ReceivedRequest): boolean => method === 'PUT';
const isMedia = ({ query }: ReceivedRequest): boolean => query.get('alt') === 'media';
const isUpload = ({ path }: ReceivedRequest): boolean => path.startsWith('/upload');

/** All operations that send a token, a secret or the URL of an upload session. */
const OPERATIONS: Operation[] = [
  { name: 'about', run: (client) => client.getAbout(CANARY.query) },
  {
    name: 'list',
    run: (client) =>
      collectFiles(client.search({ text: CANARY.query, kind: 'any', includeTrashed: true, fields: 'id' })),
  },
  { name: 'get', run: (client) => client.getMetadata('F', CANARY.query) },
  { name: 'delete', run: (client) => client.delete('F') },
  { name: 'patch', run: (client) => client.trash('F') },
  {
    name: 'create',
    appliesTo: ({ method }) => method === 'POST',
    run: (client) => client.createFolder({ name: CANARY.query, folderId: 'P', fields: 'id' }),
  },
  {
    name: 'generateIds',
    appliesTo: ({ path }) => path.endsWith('generateIds'),
    run: (client) => client.upload({ ...upload, content: { data: CANARY.body } }),
  },
  {
    name: 'multipart',
    appliesTo: isUpload,
    run: (client) => client.upload({ ...upload, content: { data: CANARY.body } }),
  },
  {
    name: 'resumable start',
    appliesTo: isUpload,
    run: (client) => client.upload({ ...upload, content: { data: LARGE } }),
  },
  {
    name: 'resumable PUT',
    appliesTo: isPut,
    run: (client) => client.upload({ ...upload, content: { data: LARGE } }),
  },
  {
    name: 'replace',
    appliesTo: ({ method }) => method === 'PATCH',
    run: (client) =>
      client.upload({ ...upload, ifExists: 'replace', name: 'existing', content: { data: 'x' } }),
  },
  {
    name: 'download to memory',
    appliesTo: isMedia,
    run: (client) => client.downloadToMemory({ ...download, maxSize: 100 }),
  },
  {
    name: 'download to disk',
    appliesTo: isMedia,
    run: (client, _url, folder) =>
      client.downloadToDisk({ ...download, path: join(folder, 'x'), overwrite: 'replace' }),
  },
  {
    name: 'token',
    run: (_client, url) =>
      refreshTokens(
        context(),
        { clientId: 'id', clientSecret: CANARY.secret, tokenUrl: `${url}/token` },
        CANARY.refresh,
      ),
  },
  {
    name: 'device code',
    run: (_client, url) =>
      startDeviceFlow(context(), { deviceUrl: `${url}/device`, clientId: 'id', scope: CANARY.query }),
  },
  {
    name: 'device poll',
    run: (_client, url) =>
      pollForTokens(
        context(),
        { clientId: 'id', clientSecret: CANARY.secret, tokenUrl: `${url}/token` },
        {
          deviceCode: CANARY.device,
          userCode: 'U',
          verificationUrl: 'https://x.example',
          expiresIn: 9,
          interval: 5,
        },
      ),
  },
  { name: 'revoke', run: (_client, url) => revokeToken(context(), `${url}/revoke`, CANARY.refresh) },
];

describe('tokens and secrets', () => {
  const service = useScriptedService();
  let other: ScriptedService;
  let testClient: TestClient;
  let folder: string;

  beforeEach(async () => {
    other = await ScriptedService.start();
    other.onRequest(() => ({ body: { id: 'F', files: [], ids: ['I'], access_token: 'x', user: {} } }));
    testClient = createTestClient(service.url, { tokens, retryFor: 0 });
    folder = await mkdtemp(join(tmpdir(), 'leaks-'));
  });
  afterEach(async () => {
    testClient.close();
    await other.close();
    await rm(folder, { recursive: true });
  });

  /** Correct responses, so that each operation reaches the request that gets the fault. */
  function respond({ path, query }: ReceivedRequest): ScriptedResponse {
    if (path.endsWith('generateIds')) return { body: { ids: ['I'] } };
    if (query.get('uploadType') === 'resumable') {
      return { headers: { Location: `${service.url}/session?upload_id=${CANARY.session}` } };
    }
    if (path === '/drive/v3/files') {
      const exists = query.get('q')?.includes("name='existing'");
      return { body: { files: exists ? [{ id: 'F', name: 'existing', mimeType: 'text/plain' }] : [] } };
    }
    return { body: { id: 'F', name: 'F', size: '5', user: {} } };
  }

  const addFault = (operation: Operation, fault: Reply): void =>
    service.onRequest((seen) => ((operation.appliesTo ?? (() => true))(seen) ? fault : respond(seen)));

  const outcome = (operation: Operation): Promise<unknown> =>
    operation.run(testClient.client, service.url, folder).then(
      () => undefined,
      (error: unknown) => error,
    );

  for (const operation of OPERATIONS) {
    it(`${operation.name} sends no token or secret to another origin after a redirect`, async () => {
      for (const status of [301, 302, 303, 307, 308]) {
        addFault(operation, { status, headers: { Location: `${other.url}/there` } });
        const error = await outcome(operation);
        if (error !== undefined) isDriveError(error).should.be.true();
        findCanaries(visibleText(error)).should.be.empty();
      }
      const received = other.requests.map(
        ({ url, rawHeaders, body }) => `${url} ${rawHeaders.join()} ${body.toString('latin1')}`,
      );
      findCanaries(received.join('\n')).should.be.empty();
      // Only downloads follow redirects. They are fetched twice because that content has the wrong size.
      other.requests.length.should.equal(operation.appliesTo === isMedia ? 10 : 0);
    });

    it(`${operation.name} throws no error that contains a token, a secret, the query or the response body`, async () => {
      const html = { body: `<html>${CANARY.body}</html>` };
      const leak = `${CANARY.body} https://x.example/?q=${CANARY.query}`;
      const faults: Reply[] = [
        'reset',
        { status: 200, ...html },
        ...[301, 304, 400, 401, 403, 404, 408, 409, 410, 416, 418, 429, 500, 503].map((status) => ({
          status,
          ...html,
        })),
        { status: 403, body: { error: { message: leak, status: leak, errors: [{ reason: leak }] } } },
        { status: 400, body: { error: leak, error_description: leak } },
        { status: 302, headers: { Location: `http://example.com/?${CANARY.session}` } },
        { body: { id: 5, files: leak, ids: leak, user: leak, access_token: 5, size: leak } },
        { headers: { 'X-Large': 'x'.repeat(20_000) } },
        { body: `{"id":"${CANARY.body}"`, cutAfter: 10 },
      ];
      for (const fault of faults) {
        addFault(operation, fault);
        const error = await outcome(operation);
        if (error === undefined) continue;
        should(isDriveError(error)).equal(true, visibleText(error));
        findCanaries(visibleText(error)).should.deepEqual([], JSON.stringify(fault));
      }
    });
  }

  it('an upload sends no token to another origin of its session URL', async () => {
    service.onRequest((seen) =>
      seen.query.get('uploadType') === 'resumable'
        ? { headers: { Location: `${other.url}/session` } }
        : respond(seen),
    );
    await testClient.client.upload({ ...upload, content: { data: LARGE } });
    other.requests.map(({ method }) => method).should.deepEqual(['PUT']);
    findCanaries(
      other.requests.map(({ url, rawHeaders }) => `${url} ${rawHeaders.join()}`).join(),
    ).should.be.empty();
  });
});
