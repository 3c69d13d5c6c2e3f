/** Archives that GNU tar, gzip and age have made, and what comes back of them. */
import should from 'should';
import { execFileSync, spawnSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { chmod, link, lstat, mkdir, open, readFile, readlink, utimes } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { restoreFixture } from '../../support/archive/restore-fixture';
import { needsProgram, runWithPassphrase } from '../../support/archive/programs';
import { packed } from '../../support/archive/packed';
import { type TarItem, tar } from '../../support/archive/tar-builder';
import { contentsOf, describeTree, varyAttributes, writeTree } from '../../support/archive/tree';
import { bytes } from '../../support/content';
import { parseIdentities } from '../../../nodes/shared/contract/backup-settings';
import { rejected } from '../../support/client/rejected';

const LONG = 'n'.repeat(200);

/** Names and contents that archives often get wrong. */
const ODD_TREE = {
  'home/plain.txt': 'plain',
  'home/empty': '',
  'home/empty folder/': '',
  'home/ü ä 日本語 😀.txt': 'unicode',
  'home/e\u0301 decomposed': 'nfd',
  'home/new\nline': 'newline',
  'home/quo\'te "s" \\back': 'quotes',
  'home/ spaces ': 'spaces',
  'home/-dash': 'dash',
  'home/.hidden/..dots': 'dots',
  [`home/${LONG}/${LONG}/${LONG}`]: 'long',
  'home/link': '-> plain.txt',
  'home/dangling': '-> ../nowhere/at all',
  'home/absolute': '-> /etc/hostname',
  [`home/long link`]: `-> ${LONG}/${LONG}`,
  'home/large': bytes(300_000).toString('latin1'),
};

describe('restore of archives made elsewhere', () => {
  const fixture = restoreFixture();
  const source = (...names: string[]): string => fixture.path('source', ...names);
  const target = (...names: string[]): string => fixture.path('target', ...names);
  const run = (program: string, ...args: string[]): Buffer =>
    execFileSync(program, args, { maxBuffer: 1e8, stdio: 'pipe' });

  before(function () {
    needsProgram(this, 'tar');
  });

  async function writeSource(): Promise<void> {
    await writeTree(source(), ODD_TREE);
    await link(source('home/plain.txt'), source('home/hard link'));
    await varyAttributes(source());
  }

  for (const format of ['pax', 'gnu']) {
    it(`A ${format} archive of GNU tar comes back with names, contents, modes, times and links`, async () => {
      await writeSource();
      await fixture.addArchive(
        'home.tar.gz',
        run('tar', '-C', source(), `--format=${format}`, '-cz', 'home'),
      );
      const { entries } = await fixture.restore();
      const before = await describeTree(source());
      // Only pax has fractions of a second.
      const comparable = (line: string): string => (format === 'pax' ? line : line.replace(/\.\d+/, ''));
      const lines = (tree: Record<string, string>) =>
        Object.entries(tree)
          .map(([path, line]) => `${path} ${comparable(line)}`)
          .sort();
      lines(await describeTree(target())).should.deepEqual(lines(before));
      entries.should.equal(Object.keys(before).length);
    });
  }

  it('Contiguous files, folders by their slash and values that are no numbers come back as far as possible', async () => {
    await fixture.addArchive(
      'home.tar',
      tar(
        { name: 'home/contiguous', type: '7', content: 'text' },
        { name: 'a', pax: { path: 'home/folder/' } },
        { name: 'home/no-time', pax: { mtime: 'yesterday', uid: 'root' } },
        { name: 'home/late', pax: { mtime: '99999999999999999999' } },
        { name: 'home/link', type: '2', linkName: 'contiguous' },
        { name: 'home/hard', type: '1', linkName: 'home/link' },
      ),
    );
    await fixture.restore();
    (await readFile(target('home/contiguous'), 'utf8')).should.equal('text');
    (await lstat(target('home/folder'))).isDirectory().should.be.true();
    for (const name of ['no-time', 'late']) (await lstat(target('home', name))).mtimeMs.should.equal(0);
    (await readlink(target('home/hard'))).should.equal('contiguous');
  });

  it('A hard link to a file that isn’t in the archive is bad_response, even if the file isn’t selected', async () => {
    await fixture.addArchive('home.tar', tar({ name: 'home/hard', type: '1', linkName: 'home/missing' }));
    for (const include of [[], ['home/hard']]) {
      await rejected(fixture.restore({ include }), 'bad_response', 'bad_response_archive_link');
    }
  });

  for (const format of ['ustar', 'v7']) {
    it(`A ${format} archive of GNU tar comes back with names, contents and links`, async () => {
      await writeTree(source(), { 'home/a.txt': 'a', 'home/sub/b.txt': 'b', 'home/link': '-> a.txt' });
      await fixture.addArchive('home.tar', run('tar', '-C', source(), `--format=${format}`, '-c', 'home'));
      await fixture.restore();
      (await contentsOf(target())).should.deepEqual(await contentsOf(source()));
    });
  }

  it('An archive of . restores the attributes of the folder itself', async () => {
    await writeTree(source(), { 'a.txt': 'a' });
    await chmod(source(), 0o710);
    await utimes(source(), 1_500_000_000.5, 1_500_000_000.5);
    await fixture.addArchive('home.tar', run('tar', '-C', source(), '--format=pax', '-c', '.'));
    await fixture.restore();
    await fixture.restore({ overwrite: 'replace' });
    const { mode, mtimeMs } = await lstat(target());
    (mode & 0o777).should.equal(0o710);
    mtimeMs.should.equal(1_500_000_000_500);
  });

  it('Times before 1970 and files of more than one gzip member come back', async () => {
    await writeTree(source(), { old: 'old' });
    const time = new Date(-1_000_000_500);
    await utimes(source('old'), time, time);
    const archive = run('tar', '-C', source(), '--format=pax', '-c', 'old');
    const members = [archive.subarray(0, 700), archive.subarray(700)].map((part) =>
      execFileSync('gzip', ['-c'], { input: part }),
    );
    await fixture.addArchive('old.tgz', Buffer.concat(members));
    await fixture.restore();
    (await lstat(target('old'))).mtimeMs.should.equal(-1_000_000_500);
  });

  it('Zeros after a gzip file, as on a tape, are ignored', async () => {
    const content = Buffer.concat([gzipSync(tar({ name: 'a', content: 'x' })), Buffer.alloc(200_000)]);
    await fixture.addArchive('tape.tar.gz', content);
    await fixture.restore();
    (await contentsOf(target())).should.deepEqual({ a: 'x' });
  });

  it('An archive encrypted with a passphrase by the age program comes back', async function () {
    needsProgram(this, 'age');
    needsProgram(this, 'script');
    await writeTree(source(), { 'home/a.txt': 'secret' });
    run('tar', '-C', source(), '-czf', fixture.path('home.tar.gz'), 'home');
    const [plain, encrypted] = [fixture.path('home.tar.gz'), fixture.path('home.tar.gz.age')];
    await runWithPassphrase(`age -p -o '${encrypted}' '${plain}'`, 'correct horse');
    await fixture.addArchive('home.tar.gz.age', await readFile(encrypted));
    await fixture.restore({ passphrase: 'correct horse' });
    (await contentsOf(target())).should.deepEqual({ 'home/': '', 'home/a.txt': 'secret' });
  });

  /** As GNU tar unpacks them. */
  const UNUSUAL: [string, TarItem, Record<string, string>, skipped?: object][] = [
    ['a label', { name: 'My backup', type: 'V' }, {}],
    ['a label with content', { name: 'My backup', type: 'V', content: 'x' }, {}],
    [
      'a folder with the list of its files',
      { name: 'odd/', type: 'D', content: 'Ya\0Yb\0\0' },
      { 'odd/': '' },
    ],
    ['an entry of Solaris', { name: 'odd', type: 'A', content: 'acl' }, { odd: 'acl' }],
    ['an unknown type', { name: 'odd', type: '9', content: 'x' }, { odd: 'x' }],
    ['the oldest form of long names', { name: 'odd', type: 'N', content: 'Rename' }, { odd: 'Rename' }],
    [
      'the rest of a file',
      { name: 'odd', type: 'M', content: 'rest' },
      {},
      [{ path: 'odd', reason: 'volume' }],
    ],
  ];
  for (const [title, item, expected, skipped] of UNUSUAL)
    it(`An archive with ${title} is restored as by GNU tar, all of it or a part`, async () => {
      const archive = tar({ name: 'before', content: 'b' }, item, { name: 'z', content: 'after' });
      await fixture.addArchive('x.tar', archive);
      const restored = await fixture.restore();
      const all = { before: 'b', ...expected, z: 'after' };
      (await contentsOf(target())).should.deepEqual(all);
      should(restored.skipped).eql(skipped);
      restored.entries.should.equal(Object.keys(all).length);
      await mkdir(fixture.path('gnu'));
      spawnSync('tar', ['-xf', '-', '-C', fixture.path('gnu')], {
        input: archive,
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      (await contentsOf(fixture.path('gnu'))).should.deepEqual(all);
      const one = await fixture.restore({ include: ['z'], path: fixture.path('one') });
      one.should.containEql({ entries: 1 });
      should(one.skipped).be.undefined();
      const check = { ...fixture.query, maxAge: 0, depth: 'content' } as const;
      if (skipped)
        await rejected(fixture.client.checkArchive(check), 'bad_response', 'bad_response_archive_type');
      else (await fixture.client.checkArchive(check)).should.containEql({ entries: restored.entries });
    });

  for (const format of ['gnu', 'pax'])
    it(`A labelled ${format} archive of an incremental dump is restored, with all or some of its entries`, async () => {
      await writeTree(source(), { 'home/a': 'a', 'home/deep/b': 'b' });
      const dump = ['-g', fixture.path('snar'), '-V', 'My backup'];
      const archive = run('tar', '-C', source(), `--format=${format}`, ...dump, '-c', 'home');
      await fixture.addArchive('x.tar', archive);
      await fixture.restore();
      (await contentsOf(target())).should.deepEqual(await contentsOf(source()));
      should((await fixture.list()).paths.sort()).eql(['home', 'home/a', 'home/deep', 'home/deep/b']);
      await fixture.restore({ include: ['home/deep'], path: fixture.path('some') });
      (await contentsOf(fixture.path('some'))).should.deepEqual({
        'home/': '',
        'home/deep/': '',
        'home/deep/b': 'b',
      });
    });

  for (const format of ['gnu', 'pax'])
    it(`What isn’t a sparse file in a ${format} archive can be selected`, async () => {
      await writeTree(source(), { 'home/a': 'a', 'home/z': 'z' });
      const sparse = await open(source('home/sparse'), 'w');
      for (let part = 0; part < 40; part++) await sparse.write('data', part * 100_000);
      await sparse.close();
      const archive = run('tar', '-C', source(), `--format=${format}`, '-S', '--sort=name', '-c', 'home');
      await fixture.addArchive('x.tar', archive);
      await fixture.restore({ include: ['home/a', 'home/z'] });
      (await contentsOf(target())).should.deepEqual({ 'home/': '', 'home/a': 'a', 'home/z': 'z' });
      await rejected(fixture.restore({ overwrite: 'replace' }), 'bad_response', 'bad_response_archive_type');
    });

  it('Times before 1970 come back to the microsecond, also from archives of this package, which GNU tar reads', async () => {
    await writeTree(source(), { 'home/a': '', 'home/b': '', 'home/c': '', 'home/d/': '', 'home/e': '-> a' });
    const times = {
      a: '-631054555.678901',
      b: '-1033076999.999999999',
      c: '-0.000000001',
      d: '-1.5',
      e: '-631054555.6789011',
    };
    for (const [name, time] of Object.entries(times))
      run('touch', '-h', '-d', `@${time}`, source('home', name));
    const timeOf = (place: typeof source, name: string): bigint =>
      lstatSync(place('home', name), { bigint: true }).mtimeNs;
    const own = await packed(source('home'), { compression: 'none' });
    for (const archive of [run('tar', '-C', source(), '--format=pax', '-c', 'home'), own]) {
      await fixture.addArchive('x.tar', archive);
      await fixture.restore({ overwrite: 'replace' });
      for (const name of Object.keys(times)) {
        const exact = timeOf(source, name);
        const floor = exact - (((exact % 1_000n) + 1_000n) % 1_000n);
        should(timeOf(target, name)).equal(floor, name);
      }
    }
    await mkdir(fixture.path('gnu'));
    execFileSync('tar', ['-xpf', '-', '-C', fixture.path('gnu')], { input: own });
    for (const name of Object.keys(times))
      should(timeOf((...names) => fixture.path('gnu', ...names), name)).equal(timeOf(source, name), name);
  });

  it('Times come back to the microsecond', async () => {
    await writeTree(source(), { a: '', b: '', c: '', 'd/': '', e: '-> a' });
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const time = `2026-11-22T10:00:00.${String(name.charCodeAt(0) * 7_654_321 + 1).padStart(9, '0')}Z`;
      run('touch', '-h', '-d', time, source(name));
    }
    await fixture.addArchive('x.tar', run('tar', '-C', source(), '--format=pax', '-c', '.'));
    await fixture.restore();
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const [before, after] = [source, target].map((place) => lstatSync(place(name), { bigint: true }));
      after?.mtimeNs.should.equal(((before?.mtimeNs ?? 0n) / 1_000n) * 1_000n);
    }
  });

  it('Include patterns select entries, and hard links to entries that are not selected have their content', async () => {
    await writeTree(source(), { 'home/docs/a.txt': 'a', 'home/docs/b.log': 'b', 'home/other': 'other' });
    await mkdir(source('home/links'));
    await link(source('home/other'), source('home/links/one'));
    await link(source('home/other'), source('home/links/two'));
    const archive = run('tar', '-C', source(), '-c', 'home/other', 'home/docs', 'home/links');
    await fixture.addArchive('home.tar', archive);
    const { entries } = await fixture.restore({ include: ['home/docs', '/home/links'] });
    (await contentsOf(target())).should.deepEqual({
      'home/': '',
      'home/docs/': '',
      'home/docs/a.txt': 'a',
      'home/docs/b.log': 'b',
      'home/links/': '',
      'home/links/one': 'other',
      'home/links/two': 'other',
    });
    (await lstat(target('home/links/one'))).nlink.should.equal(2);
    entries.should.equal(6);
  });

  it('Include patterns that match no entry are not_found, naming archive and patterns', async () => {
    await writeTree(source(), { 'home/a.txt': 'a' });
    await fixture.addArchive('home.tar', run('tar', '-C', source(), '-c', 'home'));
    const error = await rejected(
      fixture.restore({ include: ['*.log', 'x'] }),
      'not_found',
      'not_found_entries',
    );
    error.params.should.deepEqual({ name: 'home.tar', pattern: '*.log, x' });
    (await fixture.names()).should.deepEqual(['source']);
  });

  it('An archive encrypted by the age program comes back with the private key', async function () {
    needsProgram(this, 'age');
    await writeSource();
    run('age-keygen', '-o', fixture.path('key'));
    const identities = parseIdentities(await readFile(fixture.path('key'), 'utf8'));
    const archive = run('tar', '-C', source(), '--format=pax', '-cz', 'home');
    const recipient = run('age-keygen', '-y', fixture.path('key')).toString().trim();
    const encrypted = execFileSync('age', ['-r', recipient], { input: archive, maxBuffer: 1e8 });
    await fixture.addArchive('home.tar.gz.age', encrypted);
    const missing = await rejected(fixture.restore(), 'invalid_input', 'invalid_input_archive_identity');
    missing.params.should.deepEqual({ name: 'home.tar.gz.age' });
    run('age-keygen', '-o', fixture.path('other'));
    const wrong = parseIdentities(await readFile(fixture.path('other'), 'utf8'));
    await rejected(fixture.restore({ identities: wrong }), 'invalid_input', 'invalid_input_identity_wrong');
    await rejected(
      fixture.restore({ passphrase: 'not for keys' }),
      'invalid_input',
      'invalid_input_archive_identity',
    );
    (await fixture.names()).sort().should.deepEqual(['key', 'other', 'source']);
    await fixture.restore({ identities });
    (await describeTree(target())).should.deepEqual(await describeTree(source()));
  });

  const armors: [title: string, vary: (armored: string) => string][] = [
    ['as it is', (armored) => armored],
    ['with CRLF', (armored) => armored.replaceAll('\n', '\r\n')],
    ['after an empty line', (armored) => `\n${armored}`],
    ['between empty lines with CRLF', (armored) => `\r\n \r\n${armored.replaceAll('\n', '\r\n')}\r\n\r\n`],
    ['without its last newline', (armored) => armored.trimEnd()],
  ];
  it('An archive in the ASCII armor of the age program is restored, checked and listed', async function () {
    needsProgram(this, 'age');
    needsProgram(this, 'script');
    await writeTree(source(), { 'home/large': bytes(700_000).toString('latin1') });
    const plain = fixture.path('plain');
    run('tar', '-C', source(), '-czf', plain, 'home');
    run('age-keygen', '-o', fixture.path('key'));
    const identities = parseIdentities(await readFile(fixture.path('key'), 'utf8'));
    const recipient = run('age-keygen', '-y', fixture.path('key')).toString().trim();
    const forKey = run('age', '-a', '-r', recipient, plain).toString();
    await runWithPassphrase(`age -a -p -o '${fixture.path('armored')}' '${plain}'`, 'correct horse');
    const forPassphrase = await readFile(fixture.path('armored'), 'utf8');
    const all = armors.map(([title, vary]) => ({ title, content: vary(forKey), secret: { identities } }));
    const secret = { passphrase: 'correct horse' };
    for (const each of [...all, { title: 'passphrase', content: forPassphrase, secret }]) {
      await fixture.addArchive('home.tar.gz.age', Buffer.from(each.content));
      await fixture.restore({ ...each.secret, overwrite: 'replace' });
      (await contentsOf(target())).should.deepEqual(await contentsOf(source()), each.title);
      await fixture.restore({ ...each.secret, overwrite: 'replace', include: ['home/large'] });
      should((await fixture.list(each.secret)).paths).eql(['home', 'home/large']);
      const check = { ...fixture.query, ...each.secret, maxAge: 0, depth: 'content' } as const;
      (await fixture.client.checkArchive(check)).should.containEql({ entries: 2 });
    }
    const cut = forKey.slice(0, -40);
    await fixture.addArchive('home.tar.gz.age', Buffer.from(cut));
    await rejected(fixture.restore({ identities, overwrite: 'replace' }), 'bad_response', 'bad_response_age');
  });

  it('An encrypted archive that was cut or changed is bad_response, and nothing changes', async function () {
    needsProgram(this, 'age');
    await writeTree(source(), { 'home/large': ODD_TREE['home/large'] });
    run('age-keygen', '-o', fixture.path('key'));
    const identities = parseIdentities(await readFile(fixture.path('key'), 'utf8'));
    const recipient = run('age-keygen', '-y', fixture.path('key')).toString().trim();
    const archive = run('tar', '-C', source(), '-c', 'home');
    const encrypted = execFileSync('age', ['-r', recipient], { input: archive, maxBuffer: 1e8 });
    const changed = Buffer.from(encrypted);
    changed[200_000] = (changed[200_000] ?? 0) ^ 1;
    const cut = encrypted.subarray(0, encrypted.length - 70_000);
    for (const content of [changed, cut, encrypted.subarray(0, 50)]) {
      await fixture.addArchive('home.tar.age', content);
      await rejected(fixture.restore({ identities }), 'bad_response');
      (await fixture.names()).sort().should.deepEqual(['key', 'source']);
    }
  });
});
