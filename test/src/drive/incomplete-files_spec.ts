/** Moves and copies of files whose parent is unknown, as of files that another user shared, and their refusals. */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import type { DriveFile, Service } from '../../../src/types';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { rejected } from '../../support/client/rejected';
import { useScriptedService } from '../../support/http/scripted-service';

const REQUEST = { id: 'f', folderId: '', name: '', ifExists: 'error', fields: 'id' } as const;
const refusal = (status: number, reason?: string) => ({
  status,
  body: { error: { errors: reason ? [{ reason }] : [] } },
});

describe('a file without parents', () => {
  const service = useScriptedService();
  let testClient: TestClient;

  const start = (source: DriveFile, options: Partial<Service> = {}): void => {
    testClient = createTestClient(service.url, { service: options, retryFor: 0 });
    service.onRequest(({ method, path }) => {
      if (path.endsWith('/generateIds')) return { body: { ids: ['new'] } };
      if (method === 'GET') return { body: path.endsWith('/f') ? source : { id: 'root', files: [] } };
      return { body: { id: 'new' } };
    });
  };
  afterEach(() => testClient.close());

  /** The body of the request that changes something. */
  const sent = (): unknown =>
    JSON.parse(service.requests.find(({ method }) => method !== 'GET')?.body.toString() ?? 'null');
  it('a file without parents is copied without a folder, and no other file conflicts with it', async () => {
    start({ id: 'f', name: 'a.txt', mimeType: 'text/plain' });
    const { created } = await testClient.client.copy(REQUEST);
    created.should.equal(true);
    should(sent()).deepEqual({ id: 'new', name: 'a.txt' });
    const lists = service.requests.filter(({ method, path }) => method === 'GET' && path.endsWith('/files'));
    lists.should.be.empty();
  });

  it('a shortcut to a file without parents and without a name is created in the root', async () => {
    start({ id: 'f', mimeType: 'text/plain' });
    await testClient.client.createShortcut(REQUEST);
    should(sent()).match({ name: '', parents: ['root'], shortcutDetails: { targetId: 'f' } });
  });

  it('a file with an empty list of parents is moved into a folder without removing any', async () => {
    start({ id: 'f', name: 'a.txt', mimeType: 'text/plain', parents: [] });
    await testClient.client.move({ ...REQUEST, folderId: 'to', restore: false });
    const query = service.requests.find(({ method }) => method === 'PATCH')?.query;
    should(query?.get('addParents')).equal('to');
    should(query?.has('removeParents')).equal(false);
  });

  it('a custom service has no shortcuts, and nothing is requested', async () => {
    start({ id: 'f' }, { can: CAPABILITIES.custom });
    await rejected(testClient.client.createShortcut(REQUEST), 'invalid_input', 'invalid_input_google_only');
    service.requests.length.should.equal(0);
  });

  it('a custom service that gives a reason supports moves', async () => {
    start({ id: 'f' }, { can: CAPABILITIES.custom });
    service.onRequest(() => refusal(404, 'notFound'));
    await rejected(testClient.client.copy(REQUEST), 'not_found');
    service.onRequest(() => refusal(404));
    await rejected(testClient.client.copy(REQUEST), 'bad_response', 'bad_response_no_moves');
  });

  for (const [status, code] of [
    [404, undefined],
    [403, 'permission_denied'],
  ] as const) {
    it(`a replaced file that cannot be trashed because of a ${status} ${code ? 'is an error' : 'is ignored'}`, async () => {
      start({ id: 'f', name: 'a.txt', mimeType: 'text/plain', parents: ['p'] });
      const existing = { id: 'old', name: 'a.txt', mimeType: 'text/plain', parents: ['to'] };
      service.onRequest(({ method, path }) => {
        if (path.endsWith('/old')) return refusal(status, status === 404 ? 'notFound' : 'forbidden');
        if (path.endsWith('/f'))
          return { body: { id: 'f', name: 'a.txt', mimeType: 'text/plain', parents: ['p'] } };
        return { body: method === 'GET' ? { id: 'root', files: [existing] } : { id: 'f' } };
      });
      const moved = testClient.client.move({
        ...REQUEST,
        folderId: 'to',
        ifExists: 'replace',
        restore: false,
      });
      if (code) await rejected(moved, code);
      else should((await moved).file).deepEqual({ id: 'f' });
      service.requests.at(-1)?.path.should.endWith('/old');
    });
  }
});

describe('a search query', () => {
  const service = useScriptedService();

  for (const [status, reason, code, params] of [
    [400, 'invalid', 'invalid_input', { query: 'a =', reason: 'invalid' }],
    [400, undefined, 'invalid_input', { query: 'a =', reason: '-' }],
    [403, 'forbidden', 'permission_denied', { status: 403, reason: 'forbidden' }],
  ] as const) {
    it(`a ${status} with the reason ${reason ?? 'none'} for a search query is ${code}`, async () => {
      const testClient = createTestClient(service.url, { retryFor: 0 });
      service.onRequest(() => refusal(status, reason));
      const search = { query: 'a =', text: '', kind: 'any', includeTrashed: false, fields: 'id' } as const;
      const error = await rejected(testClient.client.search(search).next(), code);
      should(error.params).containEql(params);
      testClient.close();
    });
  }
});
