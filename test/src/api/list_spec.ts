/** Lists of files: https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import { createTestClient, type TestClient } from '../../support/client/test-client';
import { collectFiles, driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';
import { useScriptedService } from '../../support/http/scripted-service';

const SEARCH = { text: '', kind: 'any', includeTrashed: false, fields: 'id' } as const;

describe('listPages', () => {
  describe('listPages with the local drive', () => {
    const fixture = driveFixture();

    it('a list of 2,500 folders is complete with any fields', async () => {
      const folderId = await fixture.drive.files.addFolder('many');
      for (let index = 0; index < 2_500; index++) await fixture.drive.files.addFolder(`f${index}`, folderId);
      for (const fields of ['id', 'name', 'id,name,owners(displayName)', '*']) {
        const found = await collectFiles(
          fixture.client.search({ ...SEARCH, folderId, kind: 'folders', fields }),
        );
        found.length.should.equal(2_500);
      }
      fixture.drive.requests.to('GET', /\/files$/).length.should.equal(12);
    });

    it('a search with 1,200 matches is complete through short and empty pages', async () => {
      const folderId = await fixture.drive.files.addFolder('hits');
      for (let index = 0; index < 1_200; index++) {
        await fixture.drive.files.add({ name: `hit ${index}`, parent: folderId, content: '' });
        if (index % 4 === 0)
          await fixture.drive.files.add({ name: `miss ${index}`, parent: folderId, content: '' });
      }
      fixture.drive.faults.add({ kind: 'shortPage', items: 0 });
      fixture.drive.faults.add({ kind: 'shortPage', items: 7, match: { nth: 2 } });
      const found = await collectFiles(fixture.client.search({ ...SEARCH, folderId, text: 'hit' }));
      new Set(found.map(({ id }) => id)).size.should.equal(1_200);
    });

    it('a list reports that files may be missing', async () => {
      fixture.drive.faults.add({ kind: 'incompleteSearch' });
      const first = await fixture.client.search(SEARCH).next();
      should(first).containDeep({ value: { incompleteSearch: true } });
    });
  });

  describe('listPages with arbitrary responses', () => {
    const service = useScriptedService();
    let testClient: TestClient;

    beforeEach(() => (testClient = createTestClient(service.url)));
    const list = () => collectFiles(testClient.client.search(SEARCH));

    it('a list ends with bad_response when a page token repeats', async () => {
      service.onRequest(() => ({ body: { files: [], nextPageToken: 'again' } }));
      await rejected(list(), 'bad_response', 'bad_response_page_token');
      service.requests.length.should.equal(2);
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
      it(`a list rejects the response ${JSON.stringify(body)}`, async () => {
        service.onRequest(() => ({ body }));
        await rejected(list(), 'bad_response');
      });
    }

    it('a list of a shared drive is limited to that drive', async () => {
      testClient = createTestClient(service.url, { service: { driveId: 'D' } });
      service.onRequest(() => ({ body: { files: [] } }));
      await list();
      const query = Object.fromEntries(service.requests[0]?.query ?? []);
      should(query).containEql({ corpora: 'drive', driveId: 'D', includeItemsFromAllDrives: 'true' });
    });

    it('a list of a custom service has no page size until the service returns a page token', async () => {
      testClient = createTestClient(service.url, { service: { can: CAPABILITIES.custom } });
      service.respondInOrder({ body: { files: [], nextPageToken: 'T' } }, { body: { files: [] } });
      await list();
      service.requests
        .map(({ query }) => [query.get('pageSize'), query.get('pageToken')])
        .should.deepEqual([
          [null, null],
          ['1000', 'T'],
        ]);
    });
  });
});
