/** Lists, page by page. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list */
import should from 'should';
import { createTestClient, type TestClient } from '../../support/client/test-client';
import { collectFiles, driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';
import { ScriptedService } from '../../support/http/scripted-service';

const wanted = { text: '', kind: 'any', includeTrashed: false, fields: 'id' } as const;

describe('lists', () => {
  describe('of the local drive', () => {
    const at = driveFixture();

    it('are complete: 2,500 folders, whatever the fields', async () => {
      const folderId = await at.drive.files.addFolder('many');
      for (let index = 0; index < 2_500; index++) await at.drive.files.addFolder(`f${index}`, folderId);
      for (const fields of ['id', 'name', 'id,name,owners(displayName)', '*']) {
        const found = await collectFiles(at.client.search({ ...wanted, folderId, kind: 'folders', fields }));
        found.length.should.equal(2_500);
      }
      at.drive.requests.to('GET', /\/files$/).length.should.equal(12);
    });

    it('are complete: 1,200 hits of a search, through short and empty pages', async () => {
      const folderId = await at.drive.files.addFolder('hits');
      for (let index = 0; index < 1_200; index++) {
        await at.drive.files.add({ name: `hit ${index}`, parent: folderId, content: '' });
        if (index % 4 === 0)
          await at.drive.files.add({ name: `miss ${index}`, parent: folderId, content: '' });
      }
      at.drive.faults.add({ kind: 'shortPage', items: 0 });
      at.drive.faults.add({ kind: 'shortPage', items: 7, match: { nth: 2 } });
      const found = await collectFiles(at.client.search({ ...wanted, folderId, text: 'hit' }));
      new Set(found.map(({ id }) => id)).size.should.equal(1_200);
    });

    it('say that entries may be missing', async () => {
      at.drive.faults.add({ kind: 'incompleteSearch' });
      const first = await at.client.search(wanted).next();
      should(first).containDeep({ value: { incompleteSearch: true } });
    });
  });

  describe('of a service that answers anything', () => {
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
    const list = () => collectFiles(under.client.search(wanted));

    it('end where a page token comes again', async () => {
      wire.on(() => ({ body: { files: [], nextPageToken: 'again' } }));
      await rejected(list(), 'bad_response', 'bad_response_page_token');
      wire.seen.length.should.equal(2);
    });

    for (const body of [
      {},
      { files: {} },
      { files: 'x' },
      { files: [5] },
      { files: [null] },
      { files: [{ id: 5 }] },
      { files: [{ name: [] }] },
      { files: [{ size: 5 }] },
      { files: [{ size: '-1' }] },
      { files: [{ parents: 'x' }] },
      { files: [{ parents: [5] }] },
      { files: [{ trashed: 'no' }] },
      { files: [], nextPageToken: 5 },
      { files: [], nextPageToken: '' },
      { files: [], incompleteSearch: 'no' },
      '',
      '[]',
      '<html>',
    ]) {
      it(`refuse ${JSON.stringify(body)}`, async () => {
        wire.on(() => ({ body }));
        await rejected(list(), 'bad_response');
      });
    }

    it('ask a shared drive for its own', async () => {
      under.close();
      under = createTestClient(wire.url, { service: { driveId: 'D' } });
      wire.on(() => ({ body: { files: [] } }));
      await list();
      const query = Object.fromEntries(wire.seen[0]?.query ?? []);
      should(query).containEql({ corpora: 'drive', driveId: 'D', includeItemsFromAllDrives: 'true' });
    });

    it('ask a custom service for no page size before it has shown that it pages', async () => {
      under.close();
      under = createTestClient(wire.url, { service: { kind: 'custom' } });
      wire.inOrder({ body: { files: [], nextPageToken: 'T' } }, { body: { files: [] } });
      await list();
      wire.seen
        .map(({ query }) => [query.get('pageSize'), query.get('pageToken')])
        .should.deepEqual([
          [null, null],
          ['1000', 'T'],
        ]);
    });
  });
});
