/** The whole client at a service of one's own with nothing more than it needs: docs/signing-in.md, "A service of your own". */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import should from 'should';
import { MINIMAL_FOLDER, type MinimalService, startMinimalService } from '../../local-drive/minimal-service';
import { TOKEN, type TestClient, createTestClient } from '../../support/client/test-client';
import { bytes } from '../../support/content';
import { ODD_NAMES, PLAIN_UPLOAD, collectFiles } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';

/** What that table lists and nothing else: `custom` with default settings gets along with it. */
describe('a service that has only what its specification shows', () => {
  let service: MinimalService;
  let under: TestClient;
  let folder: string;

  beforeEach(async () => {
    service = await startMinimalService({ token: TOKEN });
    under = createTestClient(service.url, { service: { kind: 'custom', folderMimeType: '' } });
    folder = await mkdtemp(join(tmpdir(), 'minimal-'));
  });
  afterEach(async () => {
    under.close();
    await service.close();
    await rm(folder, { recursive: true });
  });

  const wanted = { text: '', kind: 'files', includeTrashed: false, fields: 'id,name,mimeType' } as const;

  it('tells of the account', async () => {
    const about = await under.client.getAbout('user,storageQuota');
    should(about['user']).be.an.Object();
    should(about['storageQuota']).be.an.Object();
  });

  it('lists folders where the account knows their type, and says what it lacks where not', async () => {
    const parent = service.add({ name: 'p', mimeType: MINIMAL_FOLDER });
    const child = service.add({ name: 'c', parent, mimeType: MINIMAL_FOLDER });
    service.add({ name: 'f', parent });
    const folders = { ...wanted, folderId: parent, kind: 'folders' } as const;
    await rejected(
      collectFiles(under.client.search(folders)),
      'not_configured',
      'not_configured_folder_type',
    );
    under.close();
    under = createTestClient(service.url, { service: { kind: 'custom', folderMimeType: MINIMAL_FOLDER } });
    (await collectFiles(under.client.search(folders))).map(({ id }) => id).should.deepEqual([child]);
  });

  it('searches: folders are left out here, even where their type is not known', async () => {
    const parent = service.add({ name: 'p', mimeType: MINIMAL_FOLDER });
    const file = service.add({ name: 'backup-2042.tar', parent });
    service.add({ name: 'dir-2042', parent, mimeType: MINIMAL_FOLDER });
    service.add({ name: 'backup-2041.tar', parent });
    const found = await collectFiles(under.client.search({ ...wanted, folderId: parent, text: '42' }));
    found.should.deepEqual([{ id: file, name: 'backup-2042.tar', mimeType: 'text/plain' }]);
  });

  it('downloads without metadata, and deletes', async () => {
    const content = bytes(300_000);
    const id = service.add({ name: 'x', content });
    const { file, content: came } = await under.client.downloadToMemory({
      id,
      fields: 'id',
      acknowledgeAbuse: false,
      maxSize: 1e6,
    });
    came.equals(content).should.be.true();
    file.should.deepEqual({ id, mimeType: 'application/octet-stream', size: '300000' });
    should(await under.client.getMetadata(id, 'name')).be.undefined();
    await under.client.delete(id);
    service.files.has(id).should.be.false();
    await rejected(under.client.delete(id), 'not_found');
  });

  for (const size of [0, 1_000, 7_000_000]) {
    it(`takes an upload of ${size} bytes as multipart, whatever its size`, async () => {
      const content = bytes(size);
      const path = join(folder, 'source');
      await writeFile(path, content);
      const { file, created } = await under.client.upload({
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

  it('is asked for names only with terms that it knows', async () => {
    const parent = service.add({ name: 'p', mimeType: MINIMAL_FOLDER });
    const upload = (ifExists: 'skip' | 'rename' | 'error', name: string) =>
      under.client.upload({ ...PLAIN_UPLOAD, content: { data: 'x' }, folderId: parent, name, ifExists });
    for (const name of [...ODD_NAMES, 'e\u0301']) {
      (await upload('skip', name)).created.should.be.true();
      (await upload('skip', name)).skipped.should.be.true();
      await rejected(upload('error', name), 'conflict');
    }
    (await upload('rename', "it's")).file.name?.should.equal("it's (1)");
    (await upload('rename', "it's")).file.name?.should.equal("it's (2)");
  });
});
