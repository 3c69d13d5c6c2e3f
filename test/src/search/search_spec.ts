/** The query that a search sends. https://developers.google.com/workspace/drive/api/guides/search-files */
import should from 'should';
import { ODD_NAMES, collectFiles, driveFixture } from '../../support/client/drive-fixture';

describe('search', () => {
  const at = driveFixture();
  const wanted = { text: '', kind: 'files', includeTrashed: false, fields: 'id,name' } as const;
  const asked = () => at.drive.requests.to('GET', /\/files$/);

  it('finds names that hold quotes, backslashes, newlines, emoji and marks, and nothing else', async () => {
    const folderId = await at.drive.files.addFolder("folder's \\ name");
    const ids = new Map<string, string>();
    for (const name of ODD_NAMES)
      ids.set(name, await at.drive.files.add({ name, parent: folderId, content: 'x' }));
    for (const name of ODD_NAMES) {
      const found = await collectFiles(at.client.search({ ...wanted, folderId, text: name }));
      found.should.containEql({ id: ids.get(name), name });
      for (const file of found) should(file.name).containEql(name);
    }
  });

  it('writes blanks in the query as plus', async () => {
    await collectFiles(at.client.search({ ...wanted, folderId: 'root', text: 'a b' }));
    should(asked()[0]?.query).containEql('%27root%27+in+parents');
    should(asked()[0]?.query).containEql('a+b');
    should(asked()[0]?.query).not.match(/%20/);
  });

  it('tells files, folders and both apart, and leaves the trash out unless it is wanted', async () => {
    const folderId = await at.drive.files.addFolder('kinds');
    await at.drive.files.add({ name: 'file', parent: folderId, content: 'x' });
    await at.drive.files.addFolder('folder', folderId);
    await at.client.trash(await at.drive.files.add({ name: 'old', parent: folderId, content: 'x' }));
    const names = async (more: object) =>
      (await collectFiles(at.client.search({ ...wanted, folderId, ...more }))).map(({ name }) => name).sort();
    (await names({})).should.deepEqual(['file']);
    (await names({ kind: 'folders' })).should.deepEqual(['folder']);
    (await names({ kind: 'any' })).should.deepEqual(['file', 'folder']);
    (await names({ kind: 'any', includeTrashed: true })).should.deepEqual(['file', 'folder', 'old']);
    (await names({ orderBy: 'name desc', kind: 'any' })).should.deepEqual(['file', 'folder']);
    should(asked().at(-1)?.params.get('orderBy')).equal('name desc');
  });

  it('looks everywhere where no folder is named', async () => {
    const folderId = await at.drive.files.addFolder('deep');
    await at.drive.files.add({ name: 'only-one-9137', parent: folderId, content: 'x' });
    (await collectFiles(at.client.search({ ...wanted, text: '9137' }))).length.should.equal(1);
    should(asked()[0]?.params.get('q')).not.match(/parents/);
  });

  it('of a custom service decides about kind and trash here, and gives back what was asked for', async () => {
    const folderId = await at.drive.files.addFolder('custom');
    await at.drive.files.add({ name: 'file', parent: folderId, content: 'x' });
    await at.drive.files.addFolder('folder', folderId);
    await at.client.trash(await at.drive.files.add({ name: 'old', parent: folderId, content: 'x' }));
    at.client.service.kind = 'custom';
    at.drive.requests.clear();
    const found = await collectFiles(at.client.search({ ...wanted, folderId, fields: 'name' }));
    found.should.deepEqual([{ name: 'file' }]);
    should(asked()[0]?.params.get('q')).equal(`'${folderId}' in parents`);
  });
});
