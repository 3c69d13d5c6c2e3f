/** Archives that were made to do harm, or that are damaged. */
import should from 'should';
import { mkdir, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { type DriveError, type ErrorCode, actualSize, maximumSize } from '../../../src/errors';
import { Extraction } from '../../../src/backup/entries/extract';
import { unpack } from '../../../src/backup/archive/archive-worker';
import { restoreFixture } from '../../support/archive/restore-fixture';
import { END_MARK, type TarItem, tar, tarGz, tarItem } from '../../support/archive/tar-builder';
import { describeTree, writeTree } from '../../support/archive/tree';
import { bytes } from '../../support/content';
import { rejected } from '../../support/client/rejected';

const FILE: TarItem = { name: 'home/first', content: 'first' };
const LONG = 'n'.repeat(16 * 1024 + 1);
const GLOBAL_PATH = tarItem({ name: 'a', pax: { path: LONG } }).subarray(512, -512);
/** Names that compress to a thousandth. */
const LONG_NAMES: [string, ...TarItem[]][] = [
  ['A path', { name: 'a', pax: { path: LONG } }],
  ['A path for all entries', { name: 'g', type: 'g', content: GLOBAL_PATH }],
  ['A link target', { name: 'a', type: '2', pax: { linkpath: LONG } }],
  ['A long name of GNU tar', { name: '././@LongLink', type: 'L', content: `${LONG}\0` }],
  ['A long link of GNU tar', { name: '././@LongLink', type: 'K', content: LONG }],
];

describe('restore of an archive that is not safe', () => {
  const fixture = restoreFixture();
  const target = (): string => fixture.path('target');

  /** Restores over a tree with something at each place, and checks that all of it stays. */
  async function rejectedRestore(
    content: Buffer,
    code: ErrorCode,
    text: string,
    { name = 'x.tar.gz', ...limits }: { name?: string; minLimit?: number; maxRatio?: number } = {},
  ) {
    const old = { 'home/first': 'old', 'home/kept': 'old', 'target-file': 'old', link: '-> home' };
    await writeTree(target(), old);
    await writeTree(fixture.path(), { 'outside/secret': 'secret' });
    const before = await describeTree(fixture.path());
    await fixture.addArchive(name, content);
    const error = await rejected(fixture.restore({ overwrite: 'replace', ...limits }), code, text);
    (await describeTree(fixture.path())).should.deepEqual(before);
    return error;
  }

  /** Only unpacks, in this thread: starting one takes longer than reading most of these archives. */
  async function rejectedUnpack(content: Buffer, text: string, name = 'x.tar.gz'): Promise<DriveError> {
    await writeTree(fixture.path(), { 'outside/secret': 'secret', 'target-file': 'old' });
    const before = await describeTree(fixture.path());
    const path = (part: string): string => fixture.path('work', part);
    const job = {
      source: { path: path('archive'), name, secrets: { passphrase: undefined, identities: [] } },
      places: { staged: path('new'), folders: path('f'), links: path('l'), unselected: path('u') },
      ...{ include: [], stripTop: false, isCaseSensitive: true, creationMode: 0o755, limits: {} },
    };
    await mkdir(job.places.staged, { recursive: true });
    await writeFile(job.source.path, content);
    const ignored = { report: () => Promise.resolve() };
    const error = await rejected(unpack(job, ignored), 'bad_response', text);
    (await readdir(fixture.path('work'))).should.matchEach(/^(?:archive|new|[flu])$/);
    await rm(fixture.path('work'), { recursive: true });
    (await describeTree(fixture.path())).should.deepEqual(before);
    return error;
  }

  const unsafe: [string, string, TarItem[]][] = [
    ['An absolute name', 'path', [{ name: '/tmp/evil' }]],
    ['An absolute name in a pax header', 'path', [{ name: 'a', pax: { path: '/tmp/evil' } }]],
    ['A name with ..', 'path', [{ name: '../outside/evil' }]],
    ['A name with .. inside', 'path', [{ name: 'home/../../outside/evil' }]],
    ['A folder named ..', 'path', [{ name: '..', type: '5' }]],
    ['A file without a name', 'path', [{ name: './', type: '0', pax: { path: '.' } }]],
    ['A name with a null character', 'path', [{ name: 'a', pax: { path: 'home/\0evil' } }]],
    [
      'A file below a symbolic link',
      'link',
      [
        { name: 'way', type: '2', linkName: '../outside' },
        { name: 'way/secret', content: 'evil' },
      ],
    ],
    [
      'A file in a folder below a symbolic link',
      'link',
      [
        { name: 'way', type: '2', linkName: '/' },
        { name: 'way/tmp/deep/evil', content: 'evil' },
      ],
    ],
    [
      'A symbolic link below a symbolic link',
      'link',
      [
        { name: 'way', type: '2', linkName: '../outside' },
        { name: 'way/more', type: '2', linkName: 'x' },
      ],
    ],
    [
      'A file in the place of a folder that isn’t empty',
      'kind',
      [
        { name: 'way/inside', content: 'x' },
        { name: 'way', content: 'x' },
      ],
    ],
    [
      'A file below a file',
      'kind',
      [
        { name: 'way', content: 'x' },
        { name: 'way/inside', content: 'x' },
      ],
    ],
    ['A hard link to an absolute path', 'link', [{ name: 'hard', type: '1', linkName: '/etc/passwd' }]],
    ['A hard link to a path with ..', 'link', [{ name: 'hard', type: '1', linkName: '../outside/secret' }]],
    ['A hard link to a file of the target', 'link', [{ name: 'hard', type: '1', linkName: 'target-file' }]],
    [
      'A hard link through a symbolic link',
      'link',
      [
        { name: 'way', type: '2', linkName: '../outside' },
        { name: 'hard', type: '1', linkName: 'way/secret' },
      ],
    ],
    ['A hard link to itself', 'link', [{ name: 'hard', type: '1', linkName: './hard' }]],
    [
      'A hard link to a folder',
      'link',
      [
        { name: 'd/', type: '5' },
        { name: 'hard', type: '1', linkName: 'd' },
      ],
    ],
    ['A symbolic link to nothing', 'link', [{ name: 'way', type: '2' }]],
    [
      'A symbolic link with a target that no disk can store',
      'link',
      [{ name: 'way', type: '2', pax: { linkpath: 'x'.repeat(4_096) } }],
    ],
    ['A sparse file of GNU tar', 'type', [{ name: 'sparse', type: 'S' }]],
    ['A sparse file in a pax archive', 'type', [{ name: 'sparse', pax: { 'GNU.sparse.major': '1' } }]],
  ];
  for (const [title, problem, items] of unsafe) {
    it(`${title} is bad_response, and nothing changes`, async () => {
      const error = await rejectedUnpack(tarGz(FILE, ...items, FILE), `bad_response_archive_${problem}`);
      error.params['name']?.should.equal('x.tar.gz');
    });
  }

  it('A restore of a file below a symbolic link is bad_response, and nothing changes', async () => {
    const items = [
      { name: 'way', type: '2', linkName: '../outside' },
      { name: 'way/secret', content: 'evil' },
    ];
    await rejectedRestore(tarGz(FILE, ...items, FILE), 'bad_response', 'bad_response_archive_link');
  });

  const whole = tar(FILE, { name: 'home/large', content: bytes(300_000) });
  const item = tarItem(FILE);
  const damaged: [string, string, Buffer, string?][] = [
    ['A gzip file that was cut', 'truncated', gzipSync(whole).subarray(0, -1_000)],
    ['A gzip file that was cut between members', 'truncated', gzipSync(whole.subarray(0, 102_400))],
    ['A tar that was cut inside a file', 'truncated', whole.subarray(0, 102_400)],
    ['A tar that was cut after an entry', 'truncated', item],
    ['A tar with one block of zeros at its end', 'truncated', Buffer.concat([item, END_MARK.subarray(512)])],
    [
      'A tar that was cut after a file that ends with zeros',
      'truncated',
      tarItem({ name: 'zeros', content: Buffer.alloc(4_096) }),
    ],
    [
      'A tar that was cut after an extended header',
      'truncated',
      tarItem({ name: 'a', pax: { path: 'b' } }).subarray(0, 1_024),
    ],
    ['An empty file', 'truncated', Buffer.alloc(0)],
    ['A file that is no tar', 'damaged', bytes(10_000)],
    ['A short text', 'damaged', Buffer.from('<html>Not found</html>'), 'x.tar.gz'],
    ['A compressed short text', 'damaged', gzipSync('not an archive'), 'x.tar.gz'],
    ['A text of exactly one block', 'damaged', Buffer.alloc(512, 'text'), 'x.tar.gz'],
    ['A long text', 'damaged', Buffer.alloc(10_000, 'text'), 'x.tar.gz'],
    ['A compressed file that is no tar', 'damaged', gzipSync(bytes(10_000))],
    ['A size that is larger than the content', 'damaged', tar({ ...FILE, size: 600 }, FILE)],
    [
      'A size that is smaller than the content',
      'damaged',
      tar({ name: 'a', content: bytes(5_000), size: 100 }),
    ],
    ['Data after the end of the archive', 'damaged', Buffer.concat([whole, bytes(1_024)])],
    ...['-1', '1e300', '1.5', '99999999999999999999', ' 0'].map((size): [string, string, Buffer] => [
      `A size of ${size}`,
      'damaged',
      tar({ name: 'a', pax: { size } }),
    ]),
    [
      'A single block of zeros between entries',
      'damaged',
      Buffer.concat([item, END_MARK.subarray(512), whole]),
    ],
    [
      'An extended header that ends inside a record',
      'damaged',
      tar({ name: 'x', type: 'x', content: '20 path=a\n' }, FILE),
    ],
    ['An extended header of 8 GiB', 'damaged', tar({ name: 'a', type: 'x', size: 8 * 1024 ** 3 - 1 })],
    ...LONG_NAMES.map(([title, ...items]): [string, string, Buffer] => [
      `${title} of more than 16 KiB`,
      'damaged',
      tarGz(...items, FILE),
    ]),
    [
      'A header with ten thousand paths',
      'damaged',
      tarGz({ name: 'x', type: 'x', content: '10 path=x\n'.repeat(10_001) }, FILE),
    ],
    ['A plain archive that is named as an encrypted one', 'damaged', tarGz(FILE), 'x.tar.gz.age'],
  ];
  for (const [title, problem, content, name = 'x.tar'] of damaged) {
    it(`${title} is bad_response, and nothing changes`, async () => {
      await rejectedUnpack(content, `bad_response_archive_${problem}`, name);
    });
  }

  it('A changed byte in a gzip file is bad_response, and nothing changes', async () => {
    const content = gzipSync(whole);
    content[content.length - 10_000] = (content[content.length - 10_000] ?? 0) ^ 1;
    await rejectedRestore(content, 'bad_response', 'bad_response_archive_damaged');
  });

  it('An archive that ends in a small file is bad_response, and no file stays open', async function () {
    if (process.platform !== 'linux') this.skip('needs Linux');
    const cut = tar({ name: 'home/first', content: bytes(5_000) }).subarray(0, 2_000);
    await rejectedRestore(cut, 'bad_response', 'bad_response_archive_truncated', { name: 'x.tar' });
    const opened = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    );
    opened.filter((file) => file.includes('.restore-')).should.be.empty();
  });

  const ZEROS: TarItem = { name: 'zeros', content: Buffer.alloc(3_000_000) };
  /** Instead of 1 GiB. */
  const minLimit = 2 * 1024 * 1024;

  it('A gzip bomb is too_large before it fills the disk, and nothing changes', async () => {
    const bomb = tarGz(FILE, ZEROS);
    const { params } = await rejectedRestore(bomb, 'too_large', 'too_large_archive_default', { minLimit });
    const limit = maximumSize(minLimit);
    should(params).containEql({ size: actualSize(3_008_192), limit, ratio: 100, minimum: limit });
  });

  it('A bomb of zeros after the end of the archive is too_large, and nothing changes', async () => {
    const bomb = gzipSync(Buffer.concat([tar(FILE), Buffer.alloc(3_000_000)]));
    await rejectedRestore(bomb, 'too_large', 'too_large_archive_default', { minLimit });
  });

  const KIB = 1_024;
  const rooms: [title: string, kibibytes: number, items: TarItem[]][] = [
    ['empty files and folders', 3 * 4, [{ name: 'a' }, { name: 'b' }, { name: 'c', type: '5' }]],
    ['folders that have no entry', 4 * 4, [{ name: 'a/b/c/d' }]],
    [
      'links',
      3 * 4,
      [{ name: 'a' }, { name: 'b', type: '1', linkName: 'a' }, { name: 'c', type: '2', linkName: 'a' }],
    ],
    [
      'contents',
      4 + 5,
      [
        { name: 'a', content: bytes(100) },
        { name: 'b', content: bytes(5 * KIB) },
      ],
    ],
  ];
  for (const [title, kibibytes, items] of rooms) {
    it(`The room that ${title} take on disk counts toward the limit`, async () => {
      const content = tar(...items);
      const ratio = (kibibytes * KIB + 0.5) / content.length;
      await rejectedRestore(content, 'too_large', 'too_large_archive', {
        name: 'x.tar',
        maxRatio: ratio - 1 / content.length,
      });
      (await fixture.restore({ maxRatio: ratio, overwrite: 'replace' })).entries.should.equal(items.length);
    });
  }

  it('An archive of a few megabytes of zeros is restored with default settings', async () => {
    await fixture.addArchive('x.tgz', tarGz(ZEROS));
    (await fixture.restore()).bytes.should.equal(3_000_000);
  });

  it('A limit that is set is exact, even if it is lower than the default', async () => {
    const archive = tarGz({ name: 'home/zeros', content: Buffer.alloc(100_000) });
    const ratio = 100_000 / archive.length;
    await fixture.addArchive('x.tgz', archive);
    const { params } = await rejectedRestore(archive, 'too_large', 'too_large_archive', {
      maxRatio: ratio * 0.999,
    });
    should(params).have.properties({ size: actualSize(100_000), limit: maximumSize(99_900) });
    should(params).not.have.property('minimum');
    const { bytes: restored } = await fixture.restore({ maxRatio: ratio * 1.001, overwrite: 'replace' });
    restored.should.equal(100_000);
  });

  it('A larger limit, or none, restores an archive that unpacks to more than 100 times its size', async () => {
    await fixture.addArchive('x.tgz', tarGz(ZEROS));
    await fixture.restore({ minLimit, maxRatio: 2_000 });
    const noLimit = { minLimit, maxRatio: 0, overwrite: 'replace' } as const;
    (await fixture.restore(noLimit)).bytes.should.equal(3_000_000);
  });

  it('Entries that Include doesn’t select don’t count toward the limit', async () => {
    await fixture.addArchive('x.tgz', tarGz(ZEROS, { ...ZEROS, name: 'more' }, FILE));
    (await fixture.restore({ minLimit, include: ['first'] })).entries.should.equal(1);
  });

  it('An archive that is cut off is bad_response, even if it would be larger than the limit', async () => {
    const cut = tar(FILE, ZEROS).subarray(0, 100_000);
    const text = 'bad_response_archive_truncated';
    await rejectedRestore(cut, 'bad_response', text, { name: 'x.tar', minLimit });
  });

  it('Names that differ only in case are bad_response on a disk that ignores case', async () => {
    await mkdir(fixture.path('staged'));
    const places = {
      staged: fixture.path('staged'),
      folders: fixture.path('f'),
      links: fixture.path('l'),
      unselected: '',
    };
    const options = {
      archive: 'x',
      include: undefined,
      isCaseSensitive: false,
      creationMode: 0o755,
      signal: undefined,
    };
    const extraction = await Extraction.create(places, options);
    const add = async (name: string): Promise<void> => {
      const entry = {
        name,
        type: 'folder',
        linkName: '',
        size: 0,
        mode: 0o755,
        mtime: 1,
        uid: 0,
        gid: 0,
      } as const;
      await extraction.add(entry, (async function* () {})());
    };
    await add('home/Straße');
    await add('home/Straße/x');
    await add('home/e\u0301');
    for (const name of ['HOME/x', 'home/STRASSE', 'home/\u00e9'])
      await rejected(add(name), 'bad_response', 'bad_response_archive_collision');
    await extraction.abandon();
  });
});
