/** Restoring archives to a folder. */
import 'should';
import { statSync } from 'node:fs';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { claimOptions } from '../../../src/backup/restore/interrupted-swaps';
import { WorkFolder } from '../../../src/backup/restore/work-folder';
import { restoreFixture } from '../../support/archive/restore-fixture';
import { tar, tarGz } from '../../support/archive/tar-builder';
import { contentsOf, writeTree } from '../../support/archive/tree';
import { rejected } from '../../support/client/rejected';

describe('restore', () => {
  const fixture = restoreFixture();
  const target = (): string => fixture.path('target');

  it('Restoring creates the folder and its parents and leaves nothing else', async () => {
    await fixture.addArchive(
      'home-2026-11-22-0042.tar.gz',
      tarGz(
        { name: 'home/', type: '5', mode: 0o750 },
        { name: 'home/a.txt', content: 'hello' },
        { name: 'home/to-a', type: '2', linkName: 'a.txt' },
      ),
    );
    const result = await fixture.restore({ path: fixture.path('new', 'deep', 'target') });
    (await contentsOf(fixture.path('new', 'deep'))).should.deepEqual({
      'target/': '',
      'target/home/': '',
      'target/home/a.txt': 'hello',
      'target/home/to-a': '-> a.txt',
    });
    (await fixture.names()).should.deepEqual(['new']);
    const { file, ...rest } = result;
    file.name?.should.equal('home-2026-11-22-0042.tar.gz');
    rest.should.deepEqual({
      path: fixture.path('new', 'deep', 'target'),
      number: 42,
      date: '2026-11-22',
      entries: 3,
      bytes: 5,
    });
  });

  it('A part of another archive, left by a process that may be running, does not keep the work folder', async () => {
    const options = claimOptions(fixture, target(), {});
    const work = await WorkFolder.open(target(), () => Promise.resolve(), options);
    const part = '.archive.0123456789abcdef.ffffffff-1-0-ffffffff-0.part';
    await writeFile(work.child(part), 'x');
    await work.close();
    await fixture.addArchive('a.tar.gz', tarGz({ name: 'a', content: 'new' }));
    await fixture.restore();
    (await fixture.names()).should.deepEqual(['target']);
  });

  it('With replace, files that the archive does not contain stay', async () => {
    await writeTree(target(), {
      'home/kept': 'old',
      'home/a': 'old',
      'home/same/b': 'old',
      other: 'old',
      link: '-> a',
    });
    await fixture.addArchive(
      'home.tar',
      tar(
        { name: 'home/a', content: 'new' },
        { name: 'home/same/b', content: 'new' },
        { name: 'home/added/c', content: 'new' },
        { name: 'link', content: 'new' },
      ),
    );
    await fixture.restore({ overwrite: 'replace' });
    (await contentsOf(target())).should.deepEqual({
      'home/': '',
      'home/kept': 'old',
      'home/a': 'new',
      'home/same/': '',
      'home/same/b': 'new',
      'home/added/': '',
      'home/added/c': 'new',
      other: 'old',
      link: 'new',
    });
    (await fixture.names()).should.deepEqual(['target']);
  });

  it('A target that is not empty is a conflict, and nothing is downloaded', async () => {
    await writeTree(target(), { '.hidden': 'old' });
    await fixture.addArchive('home.tar', tar({ name: 'a', content: 'new' }));
    const error = await rejected(fixture.restore(), 'conflict', 'conflict_target_not_empty');
    error.params['path']?.should.equal(target());
    (await contentsOf(target())).should.deepEqual({ '.hidden': 'old' });
    (await fixture.names()).should.deepEqual(['target']);
    fixture.drive.requests.all.filter(({ url }) => url.includes('alt=media')).should.have.length(0);
  });

  it('Without the top folder, its content, links and attributes go into a target that exists or not', async () => {
    const archive = tarGz(
      { name: './', type: '5', mode: 0o700 },
      { name: './home/', type: '5', mode: 0o750, mtime: 1_000 },
      { name: './home/a', content: 'new' },
      { name: './home/b', type: '1', linkName: './home/a' },
      { name: './home/c', type: '2', linkName: 'a' },
      { name: './home/deep/', type: '5', mode: 0o500, mtime: 2_000 },
      { name: './home/deep/d', content: 'new' },
    );
    await fixture.addArchive('home.tar.gz', archive);
    await writeTree(fixture.path('old'), { a: 'old', kept: 'old' });
    for (const [name, kept] of [
      ['old', { kept: 'old' }],
      ['new', {}],
    ] as const) {
      const options = { path: fixture.path(name), stripTop: true, overwrite: 'replace' } as const;
      (await fixture.restore(options)).entries.should.equal(6);
      const expected = { a: 'new', b: 'new', c: '-> a', 'deep/': '', 'deep/d': 'new', ...kept };
      (await contentsOf(fixture.path(name))).should.deepEqual(expected);
      const [top, deep] = [await stat(fixture.path(name)), await stat(fixture.path(name, 'deep'))];
      [top.mode & 0o777, top.mtimeMs, deep.mode & 0o777, deep.mtimeMs].should.deepEqual([
        0o750, 1_000_000, 0o500, 2_000_000,
      ]);
      statSync(fixture.path(name, 'a')).ino.should.equal(statSync(fixture.path(name, 'b')).ino);
    }
    (await fixture.names()).sort().should.deepEqual(['new', 'old']);
  });

  for (const [title, items, include, expected] of [
    ['two folders', [{ name: 'home/a' }, { name: 'more/b' }], [], 'more'],
    ['a file beside the folder', [{ name: 'home/a' }, { name: 'b' }], [], 'b'],
    ['only a file', [{ name: 'b' }], [], 'b'],
    ['a link as its top', [{ name: 'home', type: '2', linkName: 'x' }], [], 'home'],
    [
      'two folders, one of which is selected',
      [{ name: 'home/a' }, { name: 'more/b' }],
      ['home/a'],
      { a: '' },
    ],
  ] as const) {
    it(`Leaving out the top folder of an archive that has ${title}`, async () => {
      await writeTree(target(), { kept: 'old' });
      await fixture.addArchive('home.tar', tar(...items));
      const run = fixture.restore({ stripTop: true, overwrite: 'replace', include });
      if (typeof expected === 'string') {
        const { params } = await rejected(run, 'invalid_input', 'invalid_input_strip_top');
        params.should.deepEqual({ name: 'home.tar', entry: expected });
      } else await run;
      const added = typeof expected === 'string' ? {} : expected;
      (await contentsOf(target())).should.deepEqual({ kept: 'old', ...added });
      (await fixture.names()).should.deepEqual(['target']);
    });
  }

  it('An empty target is filled', async () => {
    await writeTree(target(), { './': '' });
    await fixture.addArchive(
      'home.tar',
      tar({ name: './', type: '5', mode: 0o700 }, { name: './a', content: 'new' }),
    );
    await fixture.restore();
    (await readdir(target())).should.deepEqual(['a']);
  });

  it('A malformed private key is refused before any request', async () => {
    await rejected(
      fixture.restore({ identities: ['AGE-SECRET-KEY-1X'] }),
      'invalid_input',
      'invalid_input_identity',
    );
    fixture.drive.requests.all.should.be.empty();
  });
});
