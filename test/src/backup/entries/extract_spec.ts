/** What archives with unusual entries contain, as GNU tar, bsdtar and Python read them. */
import should from 'should';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { chmod, chown, link, lstat, mkdir, readdir, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Extraction } from '../../../../src/backup/entries/extract';
import { type Program, needsProgram } from '../../../support/archive/programs';
import { restoreFixture } from '../../../support/archive/restore-fixture';
import { type TarItem, tar } from '../../../support/archive/tar-builder';
import { contentsOf, describeTree, writeTree } from '../../../support/archive/tree';
import { rejected } from '../../../support/client/rejected';
import { type MountedDiskKind, useMountedDisk } from '../../../support/mounted-disk';
import { NO_ID } from '../../../../src/backup/entries/entry';

const ignore = (): void => undefined;
const file = (name: string, content = name): TarItem => ({ name, content });
const symlink = (name: string, linkName: string): TarItem => ({ name, type: '2', linkName });
const hardLink = (name: string, linkName: string): TarItem => ({ name, type: '1', linkName });
const folder = (name: string): TarItem => ({ name, type: '5' });

describe('the content of an archive', () => {
  const fixture = restoreFixture();
  const target = (...names: string[]): string => fixture.path('target', ...names);

  type Tree = Record<string, string>;
  const repeated: [title: string, items: TarItem[], expected: Tree][] = [
    ['a file', [file('a', '1'), file('a', '2'), file('a', '3')], { a: '3' }],
    ['a symbolic link', [symlink('a', 'x'), symlink('a', 'y')], { a: '-> y' }],
    ['a hard link', [file('a'), hardLink('l', 'a'), hardLink('l', 'a')], { a: 'a', l: 'a' }],
    [
      'hard links in both directions',
      [file('a', '1'), hardLink('l', 'a'), hardLink('a', 'l')],
      { a: '1', l: '1' },
    ],
    ['a link, then a file', [symlink('a', '../outside/secret'), file('a', 'new')], { a: 'new' }],
    [
      'a link, then a folder',
      [symlink('a', '../outside'), folder('a'), file('a/secret', 'new')],
      { 'a/': '', 'a/secret': 'new' },
    ],
    ['a file, then a folder', [file('a'), folder('a'), file('a/b', 'b')], { 'a/': '', 'a/b': 'b' }],
    ['an empty folder, then a file', [folder('a'), file('a', 'new')], { a: 'new' }],
    ['an empty folder, then a link', [folder('a'), symlink('a', '../outside')], { a: '-> ../outside' }],
    [
      'a file after a hard link to it',
      [file('a', '1'), hardLink('l', 'a'), file('a', '2')],
      { a: '2', l: '1' },
    ],
    [
      'a link after a hard link to it',
      [symlink('a', 'x'), hardLink('l', 'a'), symlink('a', 'y')],
      { a: '-> y', l: '-> x' },
    ],
    [
      'a file after a hard link to a link',
      [symlink('a', 'x'), hardLink('l', 'a'), file('a', '2')],
      { a: '2', l: '-> x' },
    ],
  ];
  for (const [title, items, expected] of repeated) {
    it(`The last of several entries counts: ${title}`, async () => {
      await writeTree(fixture.path(), { 'outside/secret': 'secret' });
      const outside = await describeTree(fixture.path('outside'));
      await fixture.addArchive('x.tar', tar(...items));
      await fixture.restore();
      (await contentsOf(target())).should.deepEqual(expected);
      (await describeTree(fixture.path('outside'))).should.deepEqual(outside);
    });
  }

  const o = file('o', '1');
  const l = hardLink('l', 'o');
  const selected: [title: string, items: TarItem[], expected: Tree][] = [
    ['a file that is there twice', [o, file('o', '2'), l], { l: '2' }],
    ['a file that is there again after it', [o, l, file('o', '2')], { l: '1' }],
    ['a file, but is a file of its own after that', [o, l, file('l', '2')], { l: '2' }],
    [
      'a file, and so do others',
      [o, l, hardLink('l2', 'o'), hardLink('l3', 'l')],
      { l: '1', l2: '1', l3: '1' },
    ],
    ['a hard link', [o, hardLink('p', 'o'), hardLink('l', 'p')], { l: '1' }],
    ['a symbolic link', [symlink('o', 'x'), l], { l: '-> x' }],
    ['a file in the place of a symbolic link', [symlink('o', 'x'), o, l], { l: '1' }],
  ];
  for (const [title, items, expected] of selected) {
    it(`A selected hard link refers to ${title}, which isn’t selected`, async () => {
      await fixture.addArchive('x.tar', tar(folder('more'), file('more/l4', 'more'), ...items));
      const { entries } = await fixture.restore({ include: ['l*'] });
      (await contentsOf(target())).should.deepEqual({ 'more/': '', 'more/l4': 'more', ...expected });
      entries.should.be.within(2, 5);
      const names = Object.keys(expected);
      if (names.length > 1) (await lstat(target('l'))).nlink.should.equal(names.length);
    });
  }

  const device = (name: string, type = '3'): TarItem => ({ name, type });
  const devices: [title: string, items: TarItem[], include: string[], expected: Tree, skipped: string[]][] = [
    [
      'of each kind',
      [file('a'), device('c'), device('b', '4'), device('p', '6')],
      [],
      { a: 'a' },
      ['c', 'b', 'p'],
    ],
    ['with a hard link to it', [device('c'), hardLink('l', 'c'), file('a')], [], { a: 'a' }, ['c', 'l']],
    [
      'that is not selected, but a hard link is',
      [device('c'), hardLink('l', 'c'), file('a')],
      ['l'],
      {},
      ['l'],
    ],
    ['that a file replaces', [device('c'), file('c'), hardLink('l', 'c')], [], { c: 'c', l: 'c' }, ['c']],
  ];
  for (const [title, items, include, expected, skipped] of devices) {
    it(`A device or named pipe ${title} is skipped, and everything else is restored`, async () => {
      await fixture.addArchive('x.tar', tar(...items));
      const restored = await fixture.restore({ include });
      (await contentsOf(target())).should.deepEqual(expected);
      should(restored.skipped).deepEqual(skipped.map((path) => ({ path, reason: 'device' })));
      (
        await fixture.client.checkArchive({
          ...{ choice: { which: 'newest' }, folderId: fixture.folderId, folderName: '', pattern: '*' },
          ...{ include: [], fields: 'id,name', maxAge: 0, depth: 'content' },
        })
      ).entries!.should.equal(items.length);
    });
  }

  it('A pattern for what is in a folder selects the folder, but no file of its name', async () => {
    await fixture.addArchive('x.tar', tar(folder('d'), file('d/a'), file('e')));
    await fixture.restore({ include: ['d/**', 'e/**'] });
    (await contentsOf(target())).should.deepEqual({ 'd/': '', 'd/a': 'd/a' });
  });

  it('Hard links that refer to each other, or through too many others, are bad_response', async () => {
    const chain = Array.from({ length: 20 }, (_, index) => hardLink(`c${index + 1}`, `c${index}`));
    for (const items of [
      [hardLink('o', 'l'), l],
      [file('c0'), ...chain, hardLink('l', 'c20')],
    ]) {
      await fixture.addArchive('x.tar', tar(...items));
      await rejected(fixture.restore({ include: ['l'] }), 'bad_response', 'bad_response_archive_link');
    }
  });

  it('A file that GNU tar has appended with a hard link to it has its last content', async function () {
    needsProgram(this, 'tar');
    await writeTree(fixture.path('s'), { 'home/o': '1', 'links/': '' });
    await link(fixture.path('s/home/o'), fixture.path('s/links/l'));
    const run = (...args: string[]): Buffer =>
      execFileSync('tar', ['-C', fixture.path('s'), '-f', fixture.path('x.tar'), ...args]);
    run('-c', 'home', 'links');
    await writeTree(fixture.path('s'), { 'home/o': '2' });
    run('-r', 'home', 'links');
    await fixture.addArchive('x.tar', execFileSync('cat', [fixture.path('x.tar')]));
    await fixture.restore({ include: ['links'] });
    (await contentsOf(target())).should.deepEqual({ 'links/': '', 'links/l': '2' });
  });

  const writers: [name: string, program: Program, args: string[]][] = [
    ['GNU tar in its own format', 'tar', ['-c', '--format=gnu', 'home']],
    ['GNU tar in the pax format', 'tar', ['-c', '--format=pax', 'home']],
    ['bsdtar', 'bsdtar', ['-c', '--format=pax', '-f', '-', 'home']],
    [
      'Python',
      'python3',
      [
        '-c',
        'import sys, tarfile\nwith tarfile.open(mode="w|", fileobj=sys.stdout.buffer, format=tarfile.PAX_FORMAT) as t: t.add("home")',
      ],
    ],
  ];
  for (const [name, program, args] of writers) {
    it(`Names and links that aren’t valid UTF-8 come back from an archive of ${name}`, async function () {
      if (process.platform !== 'linux') this.skip('needs Linux');
      needsProgram(this, program);
      const long = `${'n\udcff'.repeat(70)}/${'m\udcfe'.repeat(90)}`;
      await writeTree(fixture.path('s/home'), {
        ...{
          'caf\udce9': 'é',
          'caf\udce8': 'è',
          'ü\udce9/in': 'in a folder',
          [long]: 'long',
          'empty \udce9/': '',
        },
        ...{ link: '-> \udce9', 'long link': `-> ${'\udce9'.repeat(200)}`, 'both \udce9': `-> ${long}` },
      });
      await link(
        Buffer.from(fixture.path('s/home/caf\xe9'), 'latin1'),
        Buffer.from(fixture.path('s/home/hard \xe9'), 'latin1'),
      );
      const env = { ...process.env, LC_ALL: 'C.UTF-8' };
      const options = { cwd: fixture.path('s'), env, maxBuffer: 1e8 };
      await fixture.addArchive('x.tar', execFileSync(program, args, options));
      await fixture.restore();
      await fixture.restore({ overwrite: 'replace' });
      (await contentsOf(target())).should.deepEqual(await contentsOf(fixture.path('s')));
      await fixture.restore({ path: fixture.path('part'), include: ['caf?', 'hard*'] });
      Object.keys(await contentsOf(fixture.path('part/home')))
        .sort()
        .should.deepEqual(['caf\udce8', 'caf\udce9', 'hard \udce9']);
    });
  }

  it('Entries with names that aren’t valid UTF-8 replace those with the same bytes, and no others', async function () {
    if (process.platform !== 'linux') this.skip('needs Linux');
    await writeTree(target(), {
      'd\udce9/a\udce9': 'old',
      'd\udce9/kept\udce8': 'kept',
      'd\udce8/a': 'kept',
      'a\ufffd': 'kept',
    });
    await fixture.addArchive('x.tar', tar(file('d\udce9/a\udce9', 'new'), file('a\udcff', 'new')));
    await fixture.restore({ overwrite: 'replace' });
    (await contentsOf(target())).should.deepEqual({
      ...{ 'd\udce9/': '', 'd\udce9/a\udce9': 'new', 'd\udce9/kept\udce8': 'kept' },
      ...{ 'd\udce8/': '', 'd\udce8/a': 'kept', 'a\ufffd': 'kept', 'a\udcff': 'new' },
    });
    (await fixture.names()).should.deepEqual(['target']);
  });

  it('Of two archives in a row, only the first counts', async () => {
    await fixture.addArchive('x.tar', Buffer.concat([tar(file('a', '1')), tar(file('a', '2'), file('b'))]));
    await fixture.restore();
    (await contentsOf(target())).should.deepEqual({ a: '1' });
  });

  it('Values of an extended header count, and those of a global one for all entries without their own', async () => {
    const records = { name: 'g', type: 'g', content: '19 mtime=1000000.5\n' };
    await fixture.addArchive(
      'x.tar',
      tar(
        records,
        file('a'),
        { name: 'b', pax: { mtime: '2000000' } },
        { name: 'c', pax: { mtime: '' }, mtime: 3 },
      ),
    );
    await fixture.restore();
    const times = await Promise.all(['a', 'b', 'c'].map(async (name) => (await lstat(target(name))).mtimeMs));
    times.should.deepEqual([1_000_000_500, 2_000_000_000, 3_000]);
  });

  it('Owners that no system has are ignored', async () => {
    const uids = ['549755813888', '1.5', '-1', '4294967295', '1e3', 'root'];
    await fixture.addArchive(
      'x.tar',
      tar(...uids.map((uid, index) => ({ name: `f${index}`, uid: 7, pax: { uid, gid: uid } }))),
    );
    await fixture.restore();
    const isRoot = process.geteuid?.() === 0;
    for (const index of uids.keys()) {
      const { uid, gid } = await lstat(target(`f${index}`));
      if (isRoot) [uid, gid].should.eql([0, 0]);
    }
  });

  it('A user who isn’t root gets files and folders without setuid and setgid bits, as from GNU tar', async function () {
    const { seteuid, geteuid } = process;
    if (!seteuid || !geteuid) return this.skip('not on Windows');
    const staged = fixture.path('staged');
    await mkdir(staged);
    for (const path of [fixture.path(), staged]) await chown(path, 65_534, 65_534);
    const isRoot = geteuid() === 0;
    if (isRoot) seteuid(65_534);
    try {
      const places = {
        staged,
        folders: fixture.path('f'),
        links: fixture.path('l'),
        unselected: fixture.path('u'),
      };
      const options = { archive: 'x', include: undefined, isCaseSensitive: true, creationMode: 0o755 };
      const extraction = await Extraction.create(places, options);
      const common = { linkName: '', size: 0, mtime: 1, uid: 0, gid: 0 };
      for (const [name, type, mode] of [
        ['f', 'file', 0o6755],
        ['d', 'folder', 0o7775],
        ['r', 'file', 0o640],
      ] as const)
        await extraction.add({ ...common, name, type, mode }, Readable.from([]));
      await extraction.finish();
    } finally {
      if (isRoot) seteuid(0);
    }
    const modes = await Promise.all(
      ['f', 'd', 'r'].map(async (name) => (await stat(`${staged}/${name}`)).mode & 0o7777),
    );
    modes.should.deepEqual([0o755, 0o1775, 0o640]);
  });

  it('An owner’s setuid and setgid bits come back if root restores the owner', async function () {
    if (process.geteuid?.() !== 0) return this.skip('needs root');
    await fixture.addArchive('x.tar', tar({ name: 'f', mode: 0o6755, uid: 7 }));
    await fixture.restore();
    const { mode, uid } = await lstat(target('f'));
    should([mode & 0o7777, uid]).eql([0o6755, 7]);
  });

  /** Modes that are left of 6755. */
  const owners: [
    title: string,
    uid: number,
    gid: number,
    modes: { file: number; folder: number },
    patch?: object,
  ][] = [
    ['the owner that is restored', 7, 8, { file: 0o6755, folder: 0o6755 }],
    ['a user that no system has', NO_ID, 8, { file: 0o2755, folder: 0o2755 }],
    ['a group that no system has', 7, NO_ID, { file: 0o4755, folder: 0o4755 }],
    ['neither', NO_ID, NO_ID, { file: 0o755, folder: 0o755 }],
    [
      'an owner that the disk ignores',
      7,
      8,
      { file: 0o755, folder: 0o755 },
      { fchownSync: ignore, chownSync: ignore },
    ],
  ];
  for (const [title, uid, gid, modes, patch = {}] of owners)
    it(`Setuid and setgid bits need an owner: ${title}`, async function () {
      if (process.geteuid?.() !== 0) return this.skip('needs root');
      const { fchownSync, chownSync } = fs;
      Object.assign(fs, patch);
      try {
        const extraction = await extractionIn('staged');
        const entry = { linkName: '', size: 0, mtime: 1, uid, gid, mode: 0o6755 };
        for (const [name, type] of Object.entries({ f: 'file', d: 'folder' } as const))
          await extraction.add({ ...entry, name, type }, Readable.from([]));
        await extraction.finish();
      } finally {
        Object.assign(fs, { fchownSync, chownSync });
      }
      const modeOf = async (name: string): Promise<number> =>
        (await stat(fixture.path('staged', name))).mode & 0o7777;
      should({ file: await modeOf('f'), folder: await modeOf('d') }).eql(modes);
    });

  it('An owner of 2^32 - 1 in an archive doesn’t make a file one of root that anyone may run as root', async function () {
    if (process.geteuid?.() !== 0) return this.skip('needs root');
    const none = { uid: '4294967295', gid: '4294967295' };
    await fixture.addArchive(
      'x.tar',
      tar({ name: 'f', mode: 0o6755, pax: none }, { name: 'g', mode: 0o6755, uid: NaN }),
    );
    await fixture.restore();
    for (const [name, mode] of Object.entries({ f: 0o755, g: 0o2755 }))
      should((await lstat(target(name))).mode & 0o7777).equal(mode);
  });

  it('A copy in place of a hard link has the owner of its file, so that its setuid bit isn’t one of root', async function () {
    if (process.geteuid?.() !== 0) return this.skip('needs root');
    const { linkSync } = fs;
    const refuse = (): void => {
      throw Object.assign(new Error(), { code: 'EMLINK' });
    };
    Object.assign(fs, { linkSync: refuse });
    try {
      const extraction = await extractionIn('staged');
      const entry = { size: 0, mtime: 5, uid: 7, gid: 8, mode: 0o6755 };
      await extraction.add({ ...entry, name: 'f', type: 'file', linkName: '' }, Readable.from([]));
      await extraction.add({ ...entry, name: 'l', type: 'link', linkName: 'f' }, Readable.from([]));
      await extraction.finish();
    } finally {
      Object.assign(fs, { linkSync });
    }
    const { uid, gid, mode, nlink, mtimeMs } = await lstat(fixture.path('staged/l'));
    should({ uid, gid, mode: mode & 0o7777, nlink, mtimeMs }).eql({
      uid: 7,
      gid: 8,
      mode: 0o6755,
      nlink: 1,
      mtimeMs: 5_000,
    });
  });

  it('Files of root get the group of the archive below a folder whose group new files have', async function () {
    if (process.geteuid?.() !== 0) return this.skip('needs root');
    await mkdir(fixture.path('shared'));
    await chown(fixture.path('shared'), 0, 8);
    await chmod(fixture.path('shared'), 0o2755);
    const extraction = await extractionIn('shared/staged');
    const entry = { linkName: '', size: 0, mtime: 1, uid: 0, gid: 0, mode: 0o644 };
    await extraction.add({ ...entry, name: 'd/f', type: 'file' }, Readable.from([]));
    await extraction.finish();
    should((await lstat(fixture.path('shared/staged/d/f'))).gid).equal(0);
  });

  async function extractionIn(folder: string): Promise<Extraction> {
    const staged = fixture.path(folder);
    await mkdir(staged);
    const path = (name: string): string => fixture.path(name);
    const places = { staged, folders: path('f'), links: path('l'), unselected: path('u') };
    const options = { archive: 'x', include: undefined, isCaseSensitive: true, creationMode: 0o755 };
    return Extraction.create(places, options);
  }

  const disks: [kind: MountedDiskKind, accepted: TarItem[], refused: [TarItem, string, string][]][] = [
    [
      'exfat',
      [o, l],
      [
        [symlink('d/s', 'o'), 'local_file_entry_link', 'ENOSYS'],
        [file('d/a:b'), 'local_file_entry_name', 'ENOENT'],
        [file('a:b'), 'local_file_entry_name', 'ENOENT'],
        [folder('a:b'), 'local_file_entry_name', 'ENOENT'],
        [{ name: 'n', pax: { path: 'n'.repeat(256) } }, 'local_file_entry_name', 'ENAMETOOLONG'],
      ],
    ],
    [
      'ntfs-windows-names',
      [o, l, symlink('s', 'o')],
      [
        [file('d/a:b'), 'local_file_entry_name', 'EINVAL'],
        [file('\udce9'), 'local_file_entry_name', 'EILSEQ'],
      ],
    ],
  ];
  for (const [kind, accepted, refused] of disks) {
    describe(`on a disk with ${kind}`, () => {
      const disk = useMountedDisk(kind);

      it(`What ${kind} can’t store is local_file with the entry and the reason, and nothing changes`, async () => {
        await fixture.addArchive('x.tar', tar(...accepted));
        await fixture.restore({ path: disk('target') });
        const contents = await contentsOf(disk('target'));
        contents.should.containEql({ o: '1', l: '1' });
        for (const [index, [item, text, reason]] of refused.entries()) {
          await fixture.addArchive(`${index}.tar`, tar(file('new'), item));
          const restoring = fixture.restore({
            path: disk('target'),
            overwrite: 'replace',
            pattern: `${index}.tar`,
          });
          const { params } = await rejected(restoring, 'local_file', text);
          const { entry, reason: code } = params;
          should({ entry, code }).eql({
            entry: (item.pax?.['path'] ?? item.name).slice(0, 200).replace('\udce9', '\ufffd'),
            code: reason,
          });
          (await contentsOf(disk('target'))).should.eql(contents);
          (await readdir(disk())).filter((name) => name.includes('.restore-')).should.be.empty();
        }
      });
    });
  }
});
