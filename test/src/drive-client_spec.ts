/** The client as a whole, and that redirects never carry a token elsewhere: docs/security.md, "What never leaves". */
import should from 'should';
import { createTestClient } from '../support/client/test-client';
import { bytes } from '../support/content';
import { PLAIN_UPLOAD, driveFixture } from '../support/client/drive-fixture';
import { rejected } from '../support/client/rejected';
import { ScriptedService } from '../support/http/scripted-service';

describe('DriveClient', () => {
  const at = driveFixture({ pathPrefix: '/some/proxy' });
  it('has the account', async () => {
    const answer = await at.client.getAbout('user,storageQuota');
    should(answer['user']).be.an.Object();
    should((answer['storageQuota'] as { usage: unknown }).usage).be.a.String();
    await rejected(at.client.getAbout(''), 'bad_response', 'bad_response_refused');
  });

  it('has the metadata of a file', async () => {
    const id = await at.drive.files.add({ name: 'x', content: 'abc' });
    const file = await at.client.getMetadata(id, 'name,size,md5Checksum');
    should(file).deepEqual({ id, name: 'x', size: '3', md5Checksum: '900150983cd24fb0d6963f7d28e17f72' });
    await rejected(at.client.getMetadata('nothing', 'id'), 'not_found');
  });

  it('deletes for ever: the header, no body; and trashes', async () => {
    const id = await at.drive.files.add({ name: 'x', content: 'abc' });
    await at.client.trash(id);
    should(at.drive.files.find(id)?.trashed).be.true();
    at.drive.requests.clear();
    await at.client.delete(id);
    should(at.drive.files.find(id)).be.undefined();
    const [seen] = at.drive.requests.to('DELETE');
    should(seen?.headers['content-type']).equal('application/json');
    should(seen?.bytes).equal(0);
    should(seen?.headers['transfer-encoding']).be.undefined();
    await rejected(at.client.delete(id), 'not_found');
  });

  it('makes a folder once, and finds it again', async () => {
    const folderId = await at.drive.files.addFolder('parent');
    const wanted = { name: "fold'er \\ 1", folderId, fields: 'id,name,parents' };
    const first = await at.client.createFolder(wanted);
    first.created.should.be.true();
    first.folder.should.containEql({ name: wanted.name, parents: [folderId] });
    (await at.client.createFolder(wanted)).should.deepEqual({ folder: first.folder, created: false });
    await at.drive.files.addFolder(wanted.name, folderId);
    const error = await rejected(at.client.createFolder(wanted), 'conflict', 'conflict_names');
    String(error.params['ids']).should.containEql(first.folder.id);
  });

  it('makes a folder once, too, where the answer was lost', async () => {
    const folderId = await at.drive.files.addFolder('lost');
    at.drive.faults.add({ kind: 'lostResponse', match: { method: 'POST' } });
    const { folder, created } = await at.client.createFolder({
      name: 'once',
      folderId,
      fields: 'id,name',
    });
    created.should.be.true();
    at.drive.files
      .in(folderId)
      .map(({ id }) => id)
      .should.deepEqual([folder.id]);
  });

  it('knows the root by its alias, the id of the shared drive, and its own id', async () => {
    (await at.client.isRoot('root')).should.be.true();
    (await at.client.isRoot(at.drive.files.rootId)).should.be.true();
    (await at.client.isRoot('other')).should.be.false();
    at.drive.requests.to('GET', /root$/).length.should.equal(1);
    at.client.rootId.should.equal('root');
    const shared = createTestClient(at.drive.url, { service: { driveId: 'D' } });
    (await shared.client.isRoot('D')).should.be.true();
    shared.client.rootId.should.equal('D');
    shared.close();
  });

  it('asks for the root again when that failed', async () => {
    at.drive.faults.add({ kind: 'error', reason: 'forbidden' });
    await rejected(at.client.isRoot('x'), 'permission_denied');
    (await at.client.isRoot(at.drive.files.rootId)).should.be.true();
  });

  it('asks for the root once for all: who leaves takes nobody along', async () => {
    const abort = new AbortController();
    at.drive.faults.add({
      kind: 'delay',
      until: () => Promise.resolve(abort.abort()),
      match: { path: /root$/ },
    });
    const leaves = at.client.isRoot('x', { signal: abort.signal });
    const stays = at.client.isRoot(at.drive.files.rootId);
    await rejected(leaves, 'cancelled');
    (await stays).should.be.true();
    (await at.client.isRoot('x')).should.be.false();
    at.drive.requests.to('GET', /root$/).length.should.equal(1);
  });

  it('tells folders', () => {
    at.client.isFolder({ id: 'x', mimeType: 'application/vnd.google-apps.folder' }).should.be.true();
    at.client.isFolder({ id: 'x', mimeType: 'text/plain' }).should.be.false();
    at.client.isFolder({ id: 'x' }).should.be.false();
  });

  it('runs so many transfers at once, and small calls beside them', async () => {
    const service = await ScriptedService.start();
    const testClient = createTestClient(service.url, { maxTransfers: 2 });
    let open = 0;
    let most = 0;
    service.onRequest(async ({ query }) => {
      if (query.get('alt') !== 'media') return { body: { id: 'F', user: {} } };
      most = Math.max(most, ++open);
      await testClient.client.getAbout('user');
      open -= 1;
      return { body: 'x' };
    });
    const request = { id: 'F', fields: 'id', acknowledgeAbuse: false, maxSize: 10 };
    await Promise.all(Array.from({ length: 6 }, () => testClient.client.downloadToMemory(request)));
    most.should.equal(2);
    testClient.close();
    await service.close();
  });

  it('takes bytes up and brings them down', async () => {
    const content = bytes(6_000_000);
    const { file } = await at.client.upload({ ...PLAIN_UPLOAD, content: { data: content } });
    const request = { id: file.id, fields: 'id', acknowledgeAbuse: false, maxSize: 1e8 };
    (await at.client.downloadToMemory(request)).content.equals(content).should.be.true();
  });
});

describe('DriveClient, where downloads are redirected', () => {
  const at = driveFixture({ redirectDownloads: true });

  it('follows to the other origin, without the token', async () => {
    const content = bytes(300_000);
    const id = await at.drive.files.add({ name: 'x', content });
    const request = { id, fields: 'id', acknowledgeAbuse: false, maxSize: 1e8 };
    (await at.client.downloadToMemory(request)).content.equals(content).should.be.true();
    const seen = at.drive.downloadOrigin?.requests.all ?? [];
    seen.length.should.equal(1);
    should(seen[0]?.headers.authorization).be.undefined();
  });
});
