/** The client with a custom service that implements the required endpoints only: docs/signing-in.md, "A service of your own". */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import { MINIMAL_FOLDER, type MinimalService, startMinimalService } from '../../local-drive/minimal-service';
import { TOKEN, type TestClient, createTestClient } from '../../support/client/test-client';
import { bytes } from '../../support/content';
import { ODD_NAMES, PLAIN_UPLOAD, collectFiles } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';

describe('DriveClient with a minimal custom service', () => {
  let service: MinimalService;
  let current: TestClient;
  let folder: string;

  beforeEach(async () => {
    service = await startMinimalService({ token: TOKEN });
    current = createTestClient(service.url, { service: { can: CAPABILITIES.custom, folderMimeType: '' } });
    folder = await mkdtemp(join(tmpdir(), 'minimal-'));
  });
  afterEach(async () => {
    current.close();
    await service.close();
    await rm(folder, { recursive: true });
  });

  const criteria = { text: '', kind: 'files', includeTrashed: false, fields: 'id,name,mimeType' } as const;

  it('a minimal custom service returns the user and the storage quota', async () => {
    const about = await current.client.getAbout('user,storageQuota');
    should(about['user']).be.an.Object();
    should(about['storageQuota']).be.an.Object();
  });

  it('DriveClient lists folders of a minimal service if the account configures their MIME type, and fails with not_configured otherwise', async () => {
    const parent = service.add({ name: 'p', mimeType: MINIMAL_FOLDER });
    const child = service.add({ name: 'c', parent, mimeType: MINIMAL_FOLDER });
    service.add({ name: 'f', parent });
    const folders = { ...criteria, folderId: parent, kind: 'folders' } as const;
    await rejected(
      collectFiles(current.client.search(folders)),
      'not_configured',
      'not_configured_folder_type',
    );
    current.close();
    current = createTestClient(service.url, {
      service: { can: CAPABILITIES.custom, folderMimeType: MINIMAL_FOLDER },
    });
    (await collectFiles(current.client.search(folders))).map(({ id }) => id).should.deepEqual([child]);
  });

  it('DriveClient leaves folders of a minimal service out of search results even if their MIME type is not configured', async () => {
    const parent = service.add({ name: 'p', mimeType: MINIMAL_FOLDER });
    const file = service.add({ name: 'backup-2042.tar', parent });
    service.add({ name: 'dir-2042', parent, mimeType: MINIMAL_FOLDER });
    service.add({ name: 'backup-2041.tar', parent });
    const found = await collectFiles(current.client.search({ ...criteria, folderId: parent, text: '42' }));
    found.should.deepEqual([{ id: file, name: 'backup-2042.tar', mimeType: 'text/plain' }]);
  });

  it('DriveClient downloads a file without metadata requests and deletes it', async () => {
    const content = bytes(300_000);
    const id = service.add({ name: 'x', content });
    const { file, content: downloaded } = await current.client.downloadToMemory({
      id,
      fields: 'id',
      acknowledgeAbuse: false,
      maxSize: 1e6,
    });
    downloaded.equals(content).should.be.true();
    file.should.deepEqual({ id, mimeType: 'application/octet-stream', size: '300000' });
    should(await current.client.getMetadata(id, 'name')).be.undefined();
    await current.client.delete(id);
    service.files.has(id).should.be.false();
    await rejected(current.client.delete(id), 'not_found');
  });

  for (const size of [0, 1_000, 7_000_000]) {
    it(`DriveClient uploads ${size} bytes to a minimal service as multipart`, async () => {
      const content = bytes(size);
      const path = join(folder, 'source');
      await writeFile(path, content);
      const { file, created } = await current.client.upload({
        ...PLAIN_UPLOAD,
        content: { path },
        name: 'up.bin',
      });
      created.should.be.true();
      should(file.name).equal('up.bin');
      service.files.get(file.id)?.content.equals(content).should.be.true();
      const posts = service.requests.to('POST', 'upload').map(({ query }) => query);
      posts.at(-1)?.should.equal('uploadType=multipart');
    });
  }

  it('DriveClient finds existing names with the supported query terms only', async () => {
    const parent = service.add({ name: 'p', mimeType: MINIMAL_FOLDER });
    const upload = (ifExists: 'skip' | 'rename' | 'error', name: string) =>
      current.client.upload({ ...PLAIN_UPLOAD, content: { data: 'x' }, folderId: parent, name, ifExists });
    for (const name of [...ODD_NAMES, 'e\u0301']) {
      (await upload('skip', name)).created.should.be.true();
      (await upload('skip', name)).skipped.should.be.true();
      await rejected(upload('error', name), 'conflict');
    }
    (await upload('rename', "it's")).file.name?.should.equal("it's (1)");
    (await upload('rename', "it's")).file.name?.should.equal("it's (2)");
  });
});
