/** What is known of a file, and of the account. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/get */
import should from 'should';
import { DriveError } from '../../../src/errors';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { rejected } from '../../support/client/rejected';
import { ScriptedService } from '../../support/http/scripted-service';

describe('answers about files and the account', () => {
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

  for (const body of [
    '',
    'null',
    '[]',
    '<html>',
    {},
    { id: '' },
    { id: 5 },
    { id: 'F', name: 5 },
    { id: 'F', mimeType: [] },
    { id: 'F', size: 5 },
    { id: 'F', size: '1e3' },
    { id: 'F', parents: 'P' },
    { id: 'F', trashed: 1 },
    { id: 'F', modifiedTime: 5 },
    { id: 'F', createdTime: {} },
  ]) {
    it(`${JSON.stringify(body)} is rejected as metadata`, async () => {
      wire.on(() => ({ body }));
      await rejected(under.client.getMetadata('F', 'name'), 'bad_response');
    });
  }

  it('null members of metadata count as missing', async () => {
    wire.on(() => ({ body: { id: 'F', name: null, size: null } }));
    should((await under.client.getMetadata('F', 'name'))?.id).equal('F');
  });

  it('an id with special characters is encoded as one path segment', async () => {
    wire.on(() => ({ body: { id: 'x' } }));
    await rejected(under.client.getMetadata('a/../b?c=d#e', 'id'), 'invalid_input', 'invalid_input_id');
    wire.seen.should.be.empty();
    await under.client.getMetadata('a..b?c=d#e', 'id');
    wire.seen[0]?.path.should.equal('/drive/v3/files/a..b%3Fc%3Dd%23e');
  });

  for (const body of ['[]', 'x', { user: 'x' }, { user: [] }, { storageQuota: 5 }]) {
    it(`${JSON.stringify(body)} is rejected as the response of about`, async () => {
      wire.on(() => ({ body }));
      await rejected(under.client.getAbout('user,storageQuota'), 'bad_response');
    });
  }

  for (const refusal of [
    new DriveError('sign_in_required', { text: 'sign_in_required_ended', status: 400 }),
    new DriveError('not_configured', { text: 'not_configured_client_refused', status: 400 }),
    new DriveError('bad_response', {
      text: 'bad_response_address',
      params: { address: 'tokenUrl' },
      status: 404,
    }),
  ]) {
    it(`${refusal.text} from a token endpoint does not mean that the service lacks the request`, async () => {
      const tokens = { get: () => Promise.reject(refusal), renew: () => Promise.reject(refusal) };
      const custom = createTestClient(wire.url, { service: { kind: 'custom' }, tokens });
      await rejected(custom.client.getMetadata('F', 'name'), refusal.code);
      const wanted = { folderId: '', recursive: false, events: ['created'], start: 'now' } as const;
      await rejected(custom.client.watch(wanted, undefined).poll({}).next(), refusal.code, refusal.text);
      custom.close();
      wire.seen.length.should.equal(0);
    });
  }

  it('a custom service may lack metadata requests, but other errors are thrown', async () => {
    under.close();
    under = createTestClient(wire.url, { service: { kind: 'custom' } });
    for (const status of [400, 404, 405, 501]) {
      wire.on(() => ({ status }));
      should(await under.client.getMetadata('F', 'id')).be.undefined();
    }
    wire.on(() => ({ status: 403 }));
    await rejected(under.client.getMetadata('F', 'id'), 'permission_denied');
  });

  for (const id of ['.', '..']) {
    it(`the id ${id} of a hostile list never becomes part of a request's path`, async () => {
      const file = { id, name: 'a', mimeType: 'text/plain' };
      under.close();
      under = createTestClient(wire.url);
      wire.on(() => ({ body: { files: [file] } }));
      const found = await under.client.paths.resolveFile('/a', {});
      found.id.should.equal(id);
      wire.seen.length = 0;
      const { client } = under;
      const copy = { id, folderId: '', name: 'b', ifExists: 'duplicate', fields: 'id' } as const;
      for (const request of [
        () => client.getMetadata(id, 'id'),
        () => client.delete(id),
        () => client.trash(id),
        () => client.copy(copy),
        () => client.move({ ...copy, restore: false }),
      ])
        await (async () => request())().should.be.rejected();
      wire.seen.should.be.empty();
    });
  }

  it('creating a folder at a custom service requires its folder MIME type', async () => {
    under.close();
    under = createTestClient(wire.url, { service: { kind: 'custom', folderMimeType: '' } });
    const folder = { name: 'x', folderId: '', fields: 'id' };
    await rejected(under.client.createFolder(folder), 'not_configured', 'not_configured_folder_type');
    under.client.isFolder({ id: 'x', mimeType: 'application/vnd.any-apps.folder' }).should.be.true();
    wire.seen.should.be.empty();
  });
});
