/** Paths, and where they lead: docs/nodes.md, "What goes in". */
import 'should';
import fc from 'fast-check';
import { splitPath } from '../../../src/paths/resolver';
import { createTestClient } from '../../support/client/test-client';
import { driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';
import { checkProperty } from '../../support/property';

describe('pathNames', () => {
  const cases: [string, string[]][] = [
    ['/', []],
    ['/a', ['a']],
    ['/a/b c/d.tar', ['a', 'b c', 'd.tar']],
    ['//a///b/', ['a', 'b']],
    ['/a\\/b/c', ['a/b', 'c']],
    ['/back\\slash', ['back\\slash']],
    ['/../.', ['..', '.']],
  ];
  for (const [path, names] of cases) {
    it(`reads ${path}`, () => {
      splitPath(path).should.eql(names);
    });
  }

  it('gives back any names that were put together', () => {
    const name = fc.string({ minLength: 1 }).filter((each) => !each.includes('\\'));
    checkProperty(
      fc.property(fc.array(name), (names) => {
        const path = names.map((each) => `/${each.replaceAll('/', '\\/')}`).join('');
        return JSON.stringify(splitPath(path)) === JSON.stringify(names);
      }),
    );
  });
});

describe('paths', () => {
  const at = driveFixture();
  let unique = 0;
  /** A folder that no other test knows, with `inner/file.txt` in it. */
  async function seed(): Promise<{ top: string; folder: string; inner: string; file: string }> {
    const top = `top ${++unique}`;
    const folder = await at.drive.files.addFolder(top);
    const inner = await at.drive.files.addFolder('inner', folder);
    const file = await at.drive.files.add({ name: 'file.txt', parent: inner, content: 'x' });
    return { top, folder, inner, file };
  }
  const paths = () => at.client.paths;
  const asked = (): number => at.drive.requests.all.length;

  it('finds a folder and a file with a request a name, and then from memory', async () => {
    const { top, inner, file } = await seed();
    (await paths().resolveFolder({ path: `/${top}/inner`, createMissing: false }, {})).should.equal(inner);
    asked().should.equal(2);
    (await paths().resolveFolder({ path: `/${top}/inner/`, createMissing: false }, {})).should.equal(inner);
    asked().should.equal(2);
    (await paths().resolveFile(`/${top}/inner/file.txt`, {})).should.containEql({ id: file });
    asked().should.equal(3);
  });

  async function renamedByAnother(id: string): Promise<void> {
    const other = createTestClient(at.drive.url);
    const move = {
      id,
      name: 'as it was',
      folderId: '',
      ifExists: 'duplicate',
      fields: 'id',
      restore: false,
    } as const;
    await other.client.move(move);
    other.close();
  }

  it('knows the root without asking', async () => {
    (await paths().resolveFolder({ path: '/', createMissing: false }, {})).should.equal('root');
    (await paths().resolveFile('/', {})).should.eql({ id: 'root' });
    asked().should.equal(0);
  });

  it('asks once for a hundred at once', async () => {
    const { top, inner } = await seed();
    const all = Array.from({ length: 100 }, () =>
      paths().resolveFolder({ path: `/${top}/inner`, createMissing: false }, {}),
    );
    new Set(await Promise.all(all)).should.eql(new Set([inner]));
    asked().should.equal(2);
  });

  it('makes what is missing once, for a hundred at once', async () => {
    const { top, folder } = await seed();
    const path = `/${top}/2026/11`;
    const all = Array.from({ length: 100 }, () => paths().resolveFolder({ path, createMissing: true }, {}));
    new Set(await Promise.all(all)).size.should.equal(1);
    at.drive.files
      .in(folder)
      .map(({ name }) => name)
      .should.eql(['inner', '2026']);
    at.drive.requests.to('POST').length.should.equal(2);
  });

  it('says which part is not there', async () => {
    const { top } = await seed();
    const error = await rejected(
      paths().resolveFolder({ path: `/${top}/Inner/deep`, createMissing: false }, {}),
      'not_found',
      'not_found_path',
    );
    error.params.should.eql({ path: `/${top}/Inner/deep`, name: 'Inner' });
    await rejected(paths().resolveFile(`/${top}/inner/none`, {}), 'not_found', 'not_found_path_end');
    await rejected(paths().resolveFile(`/${top}/none/a.tar`, {}), 'not_found', 'not_found_path');
  });

  it('never guesses between two of a name', async () => {
    const { top, folder, inner } = await seed();
    const second = await at.drive.files.addFolder('inner', folder);
    const error = await rejected(
      paths().resolveFolder({ path: `/${top}/inner`, createMissing: true }, {}),
      'conflict',
    );
    String(error.params['ids']).should.containEql(inner).and.containEql(second);
  });

  it('passes a file of the name by on its way to a folder, and takes both kinds at its end', async () => {
    const { top, folder, inner } = await seed();
    const twin = await at.drive.files.add({ name: 'inner', parent: folder, content: 'x' });
    (await paths().resolveFolder({ path: `/${top}/inner`, createMissing: false }, {})).should.equal(inner);
    const error = await rejected(paths().resolveFile(`/${top}/inner`, {}), 'conflict');
    String(error.params['ids']).should.containEql(twin);
  });

  it('finds names with slashes, quotes and both spellings of an accent', async () => {
    const folder = await at.drive.files.addFolder("a/b's Cafe\u0301");
    (await paths().resolveFolder({ path: "/a\\/b's Caf\u00e9", createMissing: false }, {})).should.equal(
      folder,
    );
  });

  it('looks anew where what it remembers is gone', async () => {
    const { top, folder, inner } = await seed();
    (await paths().resolveFolder({ path: `/${top}/inner`, createMissing: false }, {})).should.equal(inner);
    await at.client.delete(folder);
    const again = await at.drive.files.addFolder(top);
    const file = await at.drive.files.add({ name: 'file.txt', parent: again, content: 'x' });
    (await paths().resolveFile(`/${top}/file.txt`, {})).should.containEql({ id: file });
  });

  it('looks anew after a minute, since a folder may be renamed', async () => {
    const { top } = await seed();
    const path = `/${top}/inner`;
    await paths().resolveFolder({ path, createMissing: false }, {});
    at.drive.requests.clear();
    await at.clock.sleep(60_000);
    await paths().resolveFolder({ path, createMissing: false }, {});
    asked().should.equal(2);
  });

  it('looks anew for who must not trust what another one found', async () => {
    const { top, folder, inner, file } = await seed();
    const path = `/${top}/inner`;
    await paths().resolveFolder({ path, createMissing: false }, {});
    await renamedByAnother(inner);
    const second = await at.drive.files.addFolder('inner', folder);
    const twin = await at.drive.files.add({ name: 'file.txt', parent: second, content: 'y' });
    (await paths().resolveFile(`${path}/file.txt`, {})).should.containEql({ id: file });
    const cacheEpoch = paths().cacheEpoch();
    (await paths().resolveFile(`${path}/file.txt`, {}, { cacheEpoch })).should.containEql({ id: twin });
    at.drive.requests.clear();
    (await paths().resolveFolder({ path, createMissing: false, cacheEpoch }, {})).should.equal(second);
    asked().should.equal(0);
  });

  it('leaves the others to their search where one is cancelled', async () => {
    const { top, inner } = await seed();
    const leaving = new AbortController();
    const wanted = { path: `/${top}/inner`, createMissing: false };
    const left = paths().resolveFolder(wanted, { signal: leaving.signal });
    const stays = paths().resolveFolder(wanted, {});
    leaving.abort();
    await rejected(left, 'cancelled');
    (await stays).should.equal(inner);
  });

  it('works for a custom service, which knows only the beginning of the language', async () => {
    const { top, inner, file } = await seed();
    at.client.service.kind = 'custom';
    (await paths().resolveFolder({ path: `/${top}/inner`, createMissing: false }, {})).should.equal(inner);
    (await paths().resolveFile(`/${top}/inner/file.txt`, {})).should.containEql({ id: file });
    for (const { query } of at.drive.requests.all) query.should.not.match(/createdTime/);
  });
});
