/** Metadata of files and of the account: https://developers.google.com/workspace/drive/api/reference/rest/v3/files/get */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import { driveError } from '../../support/client/drive-error';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { rejected } from '../../support/client/rejected';
import { useScriptedService } from '../../support/http/scripted-service';
import { createIdempotently } from '../../../src/drive/idempotent-create';
import { setModifiedTime } from '../../../src/drive/metadata';
import { DriveError } from '../../../src/errors';
import { createDriveContext } from '../../support/client/drive-context';

describe('getMetadata and getAbout', () => {
  const service = useScriptedService();
  let testClient: TestClient;

  beforeEach(() => (testClient = createTestClient(service.url)));

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
    it(`getMetadata rejects the response ${JSON.stringify(body)}`, async () => {
      service.onRequest(() => ({ body }));
      await rejected(testClient.client.getMetadata('F', 'name'), 'bad_response');
    });
  }

  it('getMetadata treats null members as missing', async () => {
    service.onRequest(() => ({ body: { id: 'F', name: null, size: null } }));
    should((await testClient.client.getMetadata('F', 'name'))?.id).equal('F');
  });

  it('getMetadata encodes an id as one path segment', async () => {
    service.onRequest(() => ({ body: { id: 'x' } }));
    await rejected(testClient.client.getMetadata('a/../b?c=d#e', 'id'), 'invalid_input', 'invalid_input_id');
    service.requests.should.be.empty();
    await testClient.client.getMetadata('a..b?c=d#e', 'id');
    service.requests[0]?.path.should.equal('/drive/v3/files/a..b%3Fc%3Dd%23e');
  });

  for (const body of ['[]', 'x', { user: 'x' }, { user: [] }, { storageQuota: 5 }]) {
    it(`getAbout rejects the response ${JSON.stringify(body)}`, async () => {
      service.onRequest(() => ({ body }));
      await rejected(testClient.client.getAbout('user,storageQuota'), 'bad_response');
    });
  }

  for (const refusal of [
    driveError('sign_in_required', { text: 'sign_in_required_ended', status: 400 }),
    driveError('not_configured', { text: 'not_configured_client_refused', status: 400 }),
    driveError('bad_response', {
      text: 'bad_response_address',
      params: { address: 'tokenUrl' },
      status: 404,
    }),
  ]) {
    it(`${refusal.text} from a token endpoint does not mean that the service lacks the request`, async () => {
      const tokens = { get: () => Promise.reject(refusal), renew: () => Promise.reject(refusal) };
      const custom = createTestClient(service.url, { service: { can: CAPABILITIES.custom }, tokens });
      await rejected(custom.client.getMetadata('F', 'name'), refusal.code);
      const options = { folderId: '', recursive: false, events: ['created'], start: 'now' } as const;
      await rejected(custom.client.watch(options, undefined).poll({}).next(), refusal.code, refusal.text);
      custom.close();
      service.requests.length.should.equal(0);
    });
  }

  it('a custom service may lack metadata requests, but other errors are thrown', async () => {
    testClient = createTestClient(service.url, { service: { can: CAPABILITIES.custom } });
    for (const status of [400, 404, 405, 501]) {
      service.onRequest(() => ({ status }));
      should(await testClient.client.getMetadata('F', 'id')).be.undefined();
    }
    service.onRequest(() => ({ status: 403 }));
    await rejected(testClient.client.getMetadata('F', 'id'), 'permission_denied');
  });

  for (const id of ['.', '..']) {
    it(`the id ${id} of a hostile list never becomes part of a request's path`, async () => {
      const file = { id, name: 'a', mimeType: 'text/plain' };
      testClient = createTestClient(service.url);
      service.onRequest(() => ({ body: { files: [file] } }));
      const found = await testClient.client.paths.resolveFile('/a', {});
      found.id.should.equal(id);
      service.requests.length = 0;
      const { client } = testClient;
      const copy = { id, folderId: '', name: 'b', ifExists: 'duplicate', fields: 'id' } as const;
      for (const request of [
        () => client.getMetadata(id, 'id'),
        () => client.delete(id),
        () => client.trash(id),
        () => client.copy(copy),
        () => client.move({ ...copy, restore: false }),
      ])
        await (async () => request())().should.be.rejected();
      service.requests.should.be.empty();
    });
  }

  it('creating a folder at a custom service requires its folder MIME type', async () => {
    testClient = createTestClient(service.url, { service: { can: CAPABILITIES.custom, folderMimeType: '' } });
    const folder = { name: 'x', folderId: '', fields: 'id' };
    await rejected(testClient.client.createFolder(folder), 'not_configured', 'not_configured_folder_type');
    testClient.client.isFolder({ id: 'x', mimeType: 'application/vnd.any-apps.folder' }).should.be.true();
    service.requests.should.be.empty();
  });
});

describe('setModifiedTime', () => {
  const service = useScriptedService();
  const touch = (kind: keyof typeof CAPABILITIES, status: number): Promise<object | undefined> => {
    service.onRequest(() => ({ status, body: { id: 'f' } }));
    const request = { id: 'f', time: new Date(0), fields: 'id' };
    return setModifiedTime(createDriveContext(service.url, { can: CAPABILITIES[kind] }), request, {});
  };

  it('setModifiedTime sends the time as an ISO 8601 date', async () => {
    should(await touch('google', 200)).deepEqual({ id: 'f' });
    should(service.requests[0]?.body.toString()).equal('{"modifiedTime":"1970-01-01T00:00:00.000Z"}');
  });

  it('setModifiedTime returns no file only for a custom service that lacks the request', async () => {
    for (const status of [400, 404, 405, 501]) should(await touch('custom', status)).be.undefined();
    await rejected(touch('custom', 403), 'permission_denied');
    await rejected(touch('google', 404), 'not_found');
  });
});

describe('createIdempotently', () => {
  const service = useScriptedService();
  const create = (error: Error, id: string | undefined = 'f'): Promise<unknown> =>
    createIdempotently(
      createDriveContext(service.url),
      { id, fields: 'id' },
      () => Promise.reject(error),
      {},
    );
  const conflict = new DriveError('conflict');

  it('a creation that may have succeeded returns the file of its id', async () => {
    service.onRequest(() => ({ body: { id: 'f' } }));
    should(await create(conflict)).deepEqual({ id: 'f' });
    for (const error of [new DriveError('not_found'), new TypeError('bug')])
      await create(error).should.be.rejectedWith(error);
    service.requests.length.should.equal(1);
  });

  it('a creation fails with its own error if the file does not exist, else with the error of the lookup', async () => {
    service.onRequest(() => ({ status: 404 }));
    await rejected(create(conflict), 'conflict');
    service.onRequest(() => ({ status: 403 }));
    await rejected(create(conflict), 'permission_denied');
  });
});
