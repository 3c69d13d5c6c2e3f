/** The queries of a search: https://developers.google.com/workspace/drive/api/guides/search-files */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import { ODD_NAMES, collectFiles, driveFixture } from '../../support/client/drive-fixture';

describe('search', () => {
  const fixture = driveFixture();
  const SEARCH = { text: '', kind: 'files', includeTrashed: false, fields: 'id,name' } as const;
  const lists = () => fixture.drive.requests.to('GET', /\/files$/);

  it('search finds names with quotes, backslashes, newlines and emoji, and only those', async () => {
    const folderId = await fixture.drive.files.addFolder("folder's \\ name");
    const ids = new Map<string, string>();
    for (const name of ODD_NAMES)
      ids.set(name, await fixture.drive.files.add({ name, parent: folderId, content: 'x' }));
    for (const name of ODD_NAMES) {
      const found = await collectFiles(fixture.client.search({ ...SEARCH, folderId, text: name }));
      found.should.containEql({ id: ids.get(name), name });
      for (const file of found) should(file.name).containEql(name);
    }
  });

  it('search encodes spaces in the query as plus signs', async () => {
    await collectFiles(fixture.client.search({ ...SEARCH, text: 'a b' }));
    should(lists()[0]?.query).containEql('name+contains+');
    should(lists()[0]?.query).containEql('a+b');
    should(lists()[0]?.query).not.match(/%20/);
  });

  it('search returns files, folders or both, and trashed ones only with includeTrashed', async () => {
    const folderId = await fixture.drive.files.addFolder('kinds');
    await fixture.drive.files.add({ name: 'file', parent: folderId, content: 'x' });
    await fixture.drive.files.addFolder('folder', folderId);
    await fixture.client.trash(
      await fixture.drive.files.add({ name: 'old', parent: folderId, content: 'x' }),
    );
    const names = async (more: object) =>
      (await collectFiles(fixture.client.search({ ...SEARCH, folderId, ...more })))
        .map(({ name }) => name)
        .sort();
    (await names({})).should.deepEqual(['file']);
    (await names({ kind: 'folders' })).should.deepEqual(['folder']);
    (await names({ kind: 'any' })).should.deepEqual(['file', 'folder']);
    (await names({ kind: 'any', includeTrashed: true })).should.deepEqual(['file', 'folder', 'old']);
    (await names({ orderBy: 'name desc', kind: 'any' })).should.deepEqual(['file', 'folder']);
    should(lists().at(-1)?.params.get('orderBy')).equal('name desc');
  });

  it('search without a folder covers the whole drive', async () => {
    const folderId = await fixture.drive.files.addFolder('deep');
    await fixture.drive.files.add({ name: 'only-one-9137', parent: folderId, content: 'x' });
    (await collectFiles(fixture.client.search({ ...SEARCH, text: '9137' }))).length.should.equal(1);
    should(lists()[0]?.params.get('q')).not.match(/parents/);
  });

  it('search filters by kind and trash itself at a custom service, and returns only the requested fields', async () => {
    const folderId = await fixture.drive.files.addFolder('custom');
    await fixture.drive.files.add({ name: 'file', parent: folderId, content: 'x' });
    await fixture.drive.files.addFolder('folder', folderId);
    await fixture.client.trash(
      await fixture.drive.files.add({ name: 'old', parent: folderId, content: 'x' }),
    );
    fixture.client.service.can = CAPABILITIES.custom;
    fixture.drive.requests.clear();
    const found = await collectFiles(fixture.client.search({ ...SEARCH, folderId, fields: 'name' }));
    found.should.deepEqual([{ name: 'file' }]);
    should(lists()[0]?.params.get('q')).equal(`'${folderId}' in parents`);
  });
});
