/** The operations of the client, and redirects without the token: docs/security.md, "What never leaves". */
import should from 'should';
import { createTestClient } from '../support/client/test-client';
import { bytes } from '../support/content';
import { PLAIN_UPLOAD, driveFixture } from '../support/client/drive-fixture';
import { rejected } from '../support/client/rejected';
import { ScriptedService } from '../support/http/scripted-service';

describe('DriveClient', () => {
  const fixture = driveFixture({ pathPrefix: '/some/proxy' });
  it('DriveClient.getAbout returns the requested fields of the account', async () => {
    const about = await fixture.client.getAbout('user,storageQuota');
    should(about['user']).be.an.Object();
    should((about['storageQuota'] as { usage: unknown }).usage).be.a.String();
    await rejected(fixture.client.getAbout(''), 'bad_response', 'bad_response_refused');
  });

  it('DriveClient.getMetadata returns the requested fields and the id of a file', async () => {
    const id = await fixture.drive.files.add({ name: 'x', content: 'abc' });
    const file = await fixture.client.getMetadata(id, 'name,size,md5Checksum');
    should(file).deepEqual({ id, name: 'x', size: '3', md5Checksum: '900150983cd24fb0d6963f7d28e17f72' });
    await rejected(fixture.client.getMetadata('nothing', 'id'), 'not_found');
  });

  it('DriveClient trashes a file, and deletes it permanently with a DELETE without a body', async () => {
    const id = await fixture.drive.files.add({ name: 'x', content: 'abc' });
    await fixture.client.trash(id);
    should(fixture.drive.files.find(id)?.trashed).be.true();
    fixture.drive.requests.clear();
    await fixture.client.delete(id);
    should(fixture.drive.files.find(id)).be.undefined();
    const [seen] = fixture.drive.requests.to('DELETE');
    should(seen?.headers['content-type']).equal('application/json');
    should(seen?.bytes).equal(0);
    should(seen?.headers['transfer-encoding']).be.undefined();
    await rejected(fixture.client.delete(id), 'not_found');
  });

  it('DriveClient.createFolder creates a folder once and finds it afterwards', async () => {
    const folderId = await fixture.drive.files.addFolder('parent');
    const request = { name: "fold'er \\ 1", folderId, fields: 'id,name,parents' };
    const first = await fixture.client.createFolder(request);
    first.created.should.be.true();
    first.folder.should.containEql({ name: request.name, parents: [folderId] });
    (await fixture.client.createFolder(request)).should.deepEqual({ folder: first.folder, created: false });
    await fixture.drive.files.addFolder(request.name, folderId);
    const error = await rejected(fixture.client.createFolder(request), 'conflict', 'conflict_names');
    String(error.params['ids']).should.containEql(first.folder.id);
  });

  it('DriveClient.createFolder creates only one folder if the response is lost', async () => {
    const folderId = await fixture.drive.files.addFolder('lost');
    fixture.drive.faults.add({ kind: 'lostResponse', match: { method: 'POST' } });
    const { folder, created } = await fixture.client.createFolder({
      name: 'once',
      folderId,
      fields: 'id,name',
    });
    created.should.be.true();
    fixture.drive.files
      .in(folderId)
      .map(({ id }) => id)
      .should.deepEqual([folder.id]);
  });

  it('DriveClient.isRoot recognizes the alias, the id of the shared drive and the root’s own id', async () => {
    (await fixture.client.isRoot('root')).should.be.true();
    (await fixture.client.isRoot(fixture.drive.files.rootId)).should.be.true();
    (await fixture.client.isRoot('other')).should.be.false();
    fixture.drive.requests.to('GET', /root$/).length.should.equal(1);
    fixture.client.rootId.should.equal('root');
    const shared = createTestClient(fixture.drive.url, { service: { driveId: 'D' } });
    (await shared.client.isRoot('D')).should.be.true();
    shared.client.rootId.should.equal('D');
    shared.close();
  });

  it('DriveClient.isRoot requests the root again after an error', async () => {
    fixture.drive.faults.add({ kind: 'error', reason: 'forbidden' });
    await rejected(fixture.client.isRoot('x'), 'permission_denied');
    (await fixture.client.isRoot(fixture.drive.files.rootId)).should.be.true();
  });

  it('DriveClient.isRoot requests the root once for concurrent calls, even if one is cancelled', async () => {
    const abort = new AbortController();
    fixture.drive.faults.add({
      kind: 'delay',
      until: () => Promise.resolve(abort.abort()),
      match: { path: /root$/ },
    });
    const cancelledCall = fixture.client.isRoot('x', { signal: abort.signal });
    const otherCall = fixture.client.isRoot(fixture.drive.files.rootId);
    await rejected(cancelledCall, 'cancelled');
    (await otherCall).should.be.true();
    (await fixture.client.isRoot('x')).should.be.false();
    fixture.drive.requests.to('GET', /root$/).length.should.equal(1);
  });

  it('DriveClient.isFolder recognizes folders by their MIME type', () => {
    fixture.client.isFolder({ id: 'x', mimeType: 'application/vnd.google-apps.folder' }).should.be.true();
    fixture.client.isFolder({ id: 'x', mimeType: 'text/plain' }).should.be.false();
    fixture.client.isFolder({ id: 'x' }).should.be.false();
  });

  it('DriveClient limits parallel transfers but not other requests', async () => {
    const service = await ScriptedService.start();
    const testClient = createTestClient(service.url, { maxTransfers: 2 });
    let open = 0;
    let peak = 0;
    service.onRequest(async ({ query }) => {
      if (query.get('alt') !== 'media') return { body: { id: 'F', user: {} } };
      peak = Math.max(peak, ++open);
      await testClient.client.getAbout('user');
      open -= 1;
      return { body: 'x' };
    });
    const request = { id: 'F', fields: 'id', acknowledgeAbuse: false, maxSize: 10 };
    await Promise.all(Array.from({ length: 6 }, () => testClient.client.downloadToMemory(request)));
    peak.should.equal(2);
    testClient.close();
    await service.close();
  });

  it('DriveClient downloads the content that it uploaded', async () => {
    const content = bytes(6_000_000);
    const { file } = await fixture.client.upload({ ...PLAIN_UPLOAD, content: { data: content } });
    const request = { id: file.id, fields: 'id', acknowledgeAbuse: false, maxSize: 1e8 };
    (await fixture.client.downloadToMemory(request)).content.equals(content).should.be.true();
  });
});

describe('DriveClient with redirected downloads', () => {
  const fixture = driveFixture({ redirectDownloads: true });

  it('DriveClient follows a redirected download to another origin without the token', async () => {
    const content = bytes(300_000);
    const id = await fixture.drive.files.add({ name: 'x', content });
    const request = { id, fields: 'id', acknowledgeAbuse: false, maxSize: 1e8 };
    (await fixture.client.downloadToMemory(request)).content.equals(content).should.be.true();
    const seen = fixture.drive.downloadOrigin?.requests.all ?? [];
    seen.length.should.equal(1);
    should(seen[0]?.headers.authorization).be.undefined();
  });
});
