/** The index of archives: other programs don't notice it, and lists and parts of an archive need only a few ranges. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { link, mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { deflateRawSync, gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import should from 'should';
import { generateAgeKeys } from '../../../src/backup/archive/age';
import {
  FOOTER_LENGTH,
  type IndexedEntry,
  readFooter,
  readMembers,
} from '../../../src/backup/archive/index-format';
import type { CheckRequest } from '../../../src/backup/check';
import type { ArchiveListRequest } from '../../../src/backup/list-archive';
import { type ForgedIndex, indexed, indexedArchive } from '../../support/archive/indexed-archive';
import { packed } from '../../support/archive/packed';
import { type Program, needsProgram } from '../../support/archive/programs';
import { restoreFixture } from '../../support/archive/restore-fixture';
import { type TarItem, tar, tarItem } from '../../support/archive/tar-builder';
import { contentsOf, describeTree, writeTree } from '../../support/archive/tree';
import { rejected } from '../../support/client/rejected';
import { bytes } from '../../support/content';
import { useDisk } from '../../support/disk';

describe('index of an archive', () => {
  const fixture = restoreFixture();
  let ignored: string[];

  beforeEach(() => (ignored = []));

  const home = (...names: string[]): string => fixture.path('home', ...names);
  const onIndexIgnored = (reason: string): void => void ignored.push(reason);

  const list = (more: Partial<ArchiveListRequest> = {}) => fixture.list({ onIndexIgnored, ...more });
  const restore = (more: object = {}) => fixture.restore({ onIndexIgnored, ...more });
  const reads = () => fixture.drive.requests.to('GET').filter(({ query }) => /alt=media/.test(query));
  const check = (more: Partial<CheckRequest> = {}) =>
    fixture.client.checkArchive({ ...fixture.query, maxAge: 0, depth: 'content', ...more });
  const received = (): number => fixture.drive.traffic.sent;

  /** A folder with many entries, and its archives: plain, and encrypted for a key. */
  const many = useDisk('suite');
  let plain: Buffer;
  let forKey: Buffer;
  let keys: { identity: string; recipient: string };
  before(async () => {
    const file = (...names: string[]): string => many('home', ...names);
    const names = ['ä/ü', 'ä/deep/er', 'b'];
    for (const name of names) await mkdir(file(name), { recursive: true });
    for (let index = 0; index < 300; index++)
      await writeFile(file(names[index % 3]!, `file ${index} é`), bytes(9_000));
    await writeFile(file('b', 'large'), bytes(3_000_000));
    await writeFile(file('b', 'empty'), '');
    await writeFile(file('n'.repeat(120)), 'long');
    await link(file('n'.repeat(120)), file('same'));
    await symlink('b/large', file('link'));
    await utimes(file('ä/deep/er/file 1 é'), 0, 1_700_000_000.123456);
    await utimes(file('b', 'empty'), 0, -1.5);
    keys = await generateAgeKeys();
    plain = await packed(file());
    forKey = await packed(file(), { encryption: { recipients: [keys.recipient] } });
  });

  const PROGRAMS: [Program, string[]][] = [
    ['tar', ['-tzf', '-']],
    ['bsdtar', ['-tf', '-']],
    ['gzip', ['-t']],
    [
      'python3',
      [
        '-W',
        'error',
        '-c',
        'import io, sys, tarfile; tarfile.open(fileobj=io.BytesIO(sys.stdin.buffer.read())).getnames()',
      ],
    ],
  ];
  for (const [program, args] of PROGRAMS)
    it(`${program} reads the archive without a warning: ${args[0]}`, function () {
      needsProgram(this, program);
      const { status, stderr } = spawnSync(program, args, { input: plain });
      should({ status, stderr: stderr.toString() }).eql({ status: 0, stderr: '' });
      // Garbage in the same place would be noticed.
      const garbage = Buffer.concat([plain, Buffer.from('garbage'.repeat(100))]);
      if (program === 'gzip') should(spawnSync(program, args, { input: garbage }).status).not.equal(0);
    });

  it('age decrypts it, and tar unpacks what it says', async function () {
    needsProgram(this, 'age');
    await writeFile(fixture.path('key'), keys.identity);
    await writeFile(fixture.path('x.age'), forKey);
    const age = spawnSync('age', ['-d', '-i', fixture.path('key'), fixture.path('x.age')], {
      maxBuffer: 2 ** 26,
    });
    should(age.stderr.toString()).equal('');
    await mkdir(fixture.path('unpacked'));
    execFileSync('tar', ['-xpzf', '-', '-C', fixture.path('unpacked')], { input: age.stdout });
    (await describeTree(fixture.path('unpacked'))).should.eql(await describeTree(many()));
  });

  it('takes at most 1 % of the archive, and at most 100 bytes for each entry', () => {
    const size = plain.length - withoutIndex(plain).length;
    size.should.be.within(1, plain.length / 100);
    const pages = [...readMembers(plain.subarray(-size))].filter(({ kind }) => kind === 'P');
    const unpacked = pages.reduce((sum, { content }) => sum + inflateRawSync(content).length, 0);
    unpacked.should.be.within(1, 100 * 309);
  });

  for (const isEncrypted of [false, true]) {
    const kind = isEncrypted ? 'an encrypted' : 'a plain';
    const addOne = async (): Promise<{ identities: string[]; size: number }> => {
      const content = isEncrypted ? forKey : plain;
      await fixture.addArchive(`home-0001.tar.gz${isEncrypted ? '.age' : ''}`, content);
      fixture.drive.requests.clear();
      return { identities: [keys.identity], size: content.length };
    };

    it(`The list of ${kind} archive is the same as from reading all of it`, async () => {
      const { identities } = await addOne();
      const { archive, entries } = await list({ identities });
      archive.should.containEql({ indexed: true, number: 1, complete: true });
      for (const { headers } of reads()) should(headers['range']).match(/^bytes=\d+-\d+$/);
      // Without the extension of gzip, no index is expected.
      const content = await fixture.drive.files.contentOf(archive.id);
      await fixture.addArchive(`home-0002.tar${isEncrypted ? '.age' : ''}`, content);
      const all = await list({ identities });
      all.archive.should.containEql({ indexed: false, entries: archive.entries, bytes: archive.bytes });
      entries.should.eql(all.entries);
      ignored.should.be.empty();
    });

    it(`A file of ${kind} archive takes few requests, and the same attributes as from all of it`, async () => {
      const { identities, size } = await addOne();
      const include = ['home/ä/deep/er/file 1 é'];
      const before = received();
      const result = await restore({ identities, include });
      result.should.containEql({ entries: 1, bytes: 9_000 });
      fixture.drive.requests.all.length.should.be.belowOrEqual(6);
      (received() - before).should.be.below(size / 2);
      const restored = await describeTree(fixture.path('target'));
      const path = include[0]!;
      should(restored[path]).equal((await describeTree(many()))[path]);
      ignored.should.be.empty();
      (await fixture.names()).should.eql(['target']);
    });

    it(`Folders, links and names of any kind of ${kind} archive are restored from ranges`, async () => {
      const { identities } = await addOne();
      const include = ['home/ä/deep', 'home/same', 'home/link', 'home/n*', 'home/b/empty'];
      await restore({ identities, include });
      const [restored, source] = [await contentsOf(fixture.path('target')), await contentsOf(many())];
      Object.keys(restored).length.should.equal(109);
      for (const [path, content] of Object.entries(restored)) content.should.equal(source[path], path);
      ignored.should.be.empty();
    });
  }

  it('The list of many entries has a hundred of them in memory, and waits until they are taken', async () => {
    const items = Array.from({ length: 5_000 }, (_, index): TarItem => ({ name: `file ${index}` }));
    await fixture.addArchive('x.tar.gz', indexedArchive(items));
    const names: string[] = [];
    let isTaking = false;
    const { archive } = await list({
      onEntries: async (batch) => {
        isTaking.should.be.false();
        batch.length.should.be.belowOrEqual(100);
        isTaking = true;
        await new Promise(setImmediate);
        isTaking = false;
        for (const { path } of batch) names.push(path);
      },
    });
    archive.should.containEql({ indexed: true, entries: 5_000 });
    names.should.eql(items.map(({ name }) => name));
  });

  it('A hard link brings the file that it refers to, although that is not selected', async () => {
    await writeTree(home(), { 'a/one': 'content', 'a/large': bytes(2_000_000).toString('latin1') });
    await link(home('a/one'), home('two'));
    await fixture.addArchive('x.tar.gz', await packed(home()));
    for (const include of [['home/two'], ['home/a/one']]) {
      await restore({ include, overwrite: 'replace' });
      ignored.should.be.empty();
    }
    (await contentsOf(fixture.path('target'))).should.eql({
      'home/': '',
      'home/a/': '',
      'home/a/one': 'content',
      'home/two': 'content',
    });
  });

  it('A selection of nothing is an error, and most of an archive is read as a whole', async () => {
    await fixture.addArchive('x.tar.gz', plain);
    await rejected(restore({ include: ['nothing'] }), 'not_found', 'not_found_entries');
    fixture.drive.requests.clear();
    await restore({ include: ['home/b'] });
    const ranges = reads().filter(({ headers }) => headers['range'] !== undefined);
    ranges.length.should.equal(reads().length - 1);
  });

  it('A wrong key is noticed before anything but the header is read', async () => {
    await fixture.addArchive('x.tar.gz.age', forKey);
    fixture.drive.requests.clear();
    const { identity } = await generateAgeKeys();
    await rejected(restore({ include: ['home/b/empty'], identities: [identity] }), 'invalid_input');
    reads().length.should.equal(1);
  });

  describe('that was changed', () => {
    const ITEMS: TarItem[] = [
      { name: 'home/', type: '5', mode: 0o755 },
      { name: 'home/a', content: bytes(100_000) },
      { name: 'home/b', content: 'b' },
      { name: 'home/c', content: bytes(1_100_000) },
    ];
    const TRUE = ITEMS.map(indexed);
    const forge = (forged: ForgedIndex): Buffer => indexedArchive(ITEMS, forged);
    const withEntry = (index: number, more: Partial<IndexedEntry>): ForgedIndex => ({
      entries: TRUE.map((entry, at) => (at === index ? { ...entry, ...more } : entry)),
    });

    const HOSTILE: [string, string, ForgedIndex][] = [
      ['another path', 'header', withEntry(3, { path: 'home/x' })],
      [
        'another type',
        'header',
        withEntry(3, { type: 'folder', headers: 1 + tarItem(ITEMS[3]!).length / 512 - 1 }),
      ],
      ['another mode', 'header', withEntry(3, { mode: 0o4755 })],
      ['another link target', 'header', withEntry(3, { target: 'elsewhere' })],
      ['another size', 'header', withEntry(3, { size: 1_100_001 })],
      ['a path that escapes', 'entry', withEntry(2, { path: '../../evil' })],
      ['an absolute path', 'entry', withEntry(2, { path: '/evil' })],
      [
        'an entry without a header, which would be the same as the next one',
        'entry',
        withEntry(0, { headers: 0 }),
      ],
      ['overlapping entries', 'length of the tar', { entries: [...TRUE, TRUE[3]!] }],
      ['too few entries', 'length of the tar', { entries: TRUE.slice(0, 2) }],
      ['an entry beyond the end', 'length of the tar', withEntry(3, { size: 2 ** 40 })],
      ['an entry of no size that exists', 'entry', withEntry(3, { size: Number.MAX_SAFE_INTEGER })],
      ['a time that does not exist', 'entry', withEntry(2, { time: 2 ** 53 - 1 })],
      ['a huge header', 'entry', withEntry(3, { headers: 2 ** 40 })],
      ['blocks of other sizes', 'table', { sizes: ([first = 0, ...rest]) => [first + 1, ...rest] }],
      ['too many blocks', 'block', { sizes: (sizes) => [...sizes, 100] }],
      ['blocks that form a loop', 'block', { sizes: (sizes) => sizes.map(() => 0) }],
      ['a huge tar', 'block count', { footer: ({ start }) => ({ start, tarLength: 2 ** 47 }) }],
      ['a start beyond the end', 'length', { footer: (footer) => ({ ...footer, start: 2 ** 40 }) }],
      ['a start before the index', 'hash', { footer: (footer) => ({ ...footer, start: footer.start - 1 }) }],
      ['a page that unpacks to gigabytes', 'content', { pages: () => [bomb()] }],
      [
        'more pages than entries need',
        'page count',
        { pages: ([page = Buffer.alloc(0)]) => [page, ...Array<Uint8Array>(9_000).fill(deflateRawSync(''))] },
      ],
      ['a page that has more than its entries', 'content', { pages: ([page]) => [longer(page!)] }],
      ['a table that unpacks to gigabytes', 'content', { ...withTable(bomb()), sizes: () => [] }],
      ['tables without blocks', 'table count', withTable(deflateRawSync(''))],
      ['a changed byte', 'hash', { index: (index) => flipped(index, 20) }],
      ['a member that is none of it', 'hash', { index: (index) => Buffer.concat([gzipSync(''), index]) }],
    ];
    for (const [title, reason, forged] of HOSTILE)
      it(`An index with ${title} is ignored, and all of the archive is read`, async () => {
        const file = forge(forged);
        gunzipSync(file)
          .equals(tar(...ITEMS))
          .should.be.true();
        await fixture.addArchive('x.tar.gz', file);
        const { archive, entries } = await list();
        archive.indexed.should.be.false();
        entries.map(({ path }) => path).should.eql(['home', 'home/a', 'home/b', 'home/c']);
        await restore({ include: ['home/[bcx]'] });
        (await contentsOf(fixture.path('target'))).should.have.keys('home/', 'home/b', 'home/c');
        (await fixture.names()).should.eql(['target']);
        should([...new Set(ignored)].join()).match(new RegExp(`^${reason}`));
        await rejected(check(), 'bad_response', 'bad_response_archive_index');
      });

    it('An index with gigabytes of paths that differ in one character is ignored', async function () {
      this.timeout(60_000);
      const items = Array.from({ length: 2 ** 14 + 100 }, (): TarItem => ({ name: 'home/a' }));
      const long = 'n'.repeat(16_384 - 5);
      const entries = items.map((item, index) => ({ ...indexed(item), path: `${long}${index}` }));
      await fixture.addArchive('x.tar.gz', indexedArchive(items, { entries }));
      (await list()).paths.slice(0, 2).should.eql(['home/a', 'home/a']);
      ignored.should.eql(['paths']);
    });

    const without = (hidden: number, at: number, more: Partial<IndexedEntry>): ForgedIndex => ({
      entries: (withEntry(at, more).entries ?? []).filter((_, index) => index !== hidden),
    });
    const inContent = without(2, 1, { size: 100_352 + 1_024 });
    const HIDING: [string, ForgedIndex][] = [
      ['that is hidden in the headers of the next one', without(1, 2, { headers: 2 + 100_352 / 512 })],
      ['that is hidden in the content of the one before', inContent],
      ['with another path', withEntry(2, { path: 'home/other' })],
      ['with another type', withEntry(2, { type: 'folder', headers: 2 })],
      ['with another mode', withEntry(2, { mode: 0o4755 })],
      ['behind zeros, where gzip ends', behindZeros(inContent)],
    ];
    for (const [title, forged] of HIDING)
      it(`An entry ${title} is noticed by a check, and a restore warns of it`, async () => {
        await fixture.addArchive('x.tar.gz', forge(forged));
        (await list()).archive.indexed.should.be.true();
        const { params } = await rejected(check(), 'bad_response', 'bad_response_archive_index');
        should(params).eql({ name: 'x.tar.gz', reason: 'other entries' });
        for (const include of [[], ['home', 'home/**']]) {
          ignored = [];
          await restore({ include, overwrite: 'replace' });
          ignored.should.eql(['other entries']);
        }
      });

    it('The index of an archive of this package passes the check, whatever the archive contains', async () => {
      await fixture.addArchive('home-0001.tar.gz', plain);
      (await check()).should.containEql({ entries: 311 });
      await fixture.addArchive('home-0002.tar.gz.age', forKey);
      await check({ identities: [keys.identity] });
      await restore({ identities: [keys.identity] });
      ignored.should.be.empty();
    });

    it('The index of the test itself is used', async () => {
      await fixture.addArchive('x.tar.gz', forge({}));
      (await list()).archive.indexed.should.be.true();
      await restore({ include: ['home/b'] });
      ignored.should.be.empty();
    });

    it('Only what an entry of the index points to is compared, so a wrong one in between is noticed', async () => {
      const [folder, a, b, c] = TRUE as [IndexedEntry, IndexedEntry, IndexedEntry, IndexedEntry];
      await fixture.addArchive('x.tar.gz', forge({ entries: [folder, a, { ...b, path: 'home/other' }, c] }));
      await restore({ include: ['home/other', 'home/a'] });
      ignored.should.eql(['header']);
      (await contentsOf(fixture.path('target'))).should.have.keys('home/', 'home/a');
    });

    it('An archive that is damaged where it is read has the error of reading all of it', async () => {
      const file = forge({});
      await fixture.addArchive('x.tar.gz', flipped(file, 50_000));
      await rejected(restore({ include: ['home/b'] }), 'bad_response', 'bad_response_archive_damaged');
      (await fixture.names()).should.be.empty();
    });
  });
});

function behindZeros(forged: ForgedIndex): ForgedIndex {
  const zeros = Buffer.alloc(400_000);
  return {
    ...forged,
    sizes: (sizes) => sizes.map((size, at) => (at === sizes.length - 1 ? size + zeros.length : size)),
    footer: (footer) => ({ ...footer, start: footer.start + zeros.length }),
    index: (index) => Buffer.concat([zeros, index]),
  };
}

/** 10 KB that unpack to 10 MB. */
function bomb(): Buffer {
  return deflateRawSync(Buffer.alloc(10_000_000));
}

/** With another table of block sizes after the pages. */
function withTable(table: Buffer): ForgedIndex {
  return {
    pages: (pages) => [...pages, table],
    index: (written) => {
      const index = Buffer.from(written);
      const body = index.subarray(0, -FOOTER_LENGTH);
      let start = 0;
      for (const { end } of readMembers(body)) if (end < body.length) start = end;
      // The kind of a member is the first byte of its field.
      index.write('T', start + 16);
      const { numbers, hash } = readFooter(index)!;
      createHash('sha256').update(numbers).update(body).digest().copy(hash);
      return index;
    },
  };
}

function longer(page: Uint8Array): Buffer {
  return deflateRawSync(Buffer.concat([inflateRawSync(page), Buffer.alloc(1_000)]));
}

function flipped(content: Buffer, at: number): Buffer {
  const changed = Buffer.from(content);
  changed.writeUInt8(changed.readUInt8(at) ^ 0xff, at);
  return changed;
}

/** Compressed bytes before the first member with our extra field. */
function withoutIndex(file: Buffer): Buffer {
  return file.subarray(0, file.indexOf(Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff])));
}
