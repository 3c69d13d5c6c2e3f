/** Reading parts of an archive from a service that fails, or that sends something other than what was requested. */
import { PassThrough } from 'node:stream';
import should from 'should';
import { drained } from '../../../src/backup/archive-ranges';
import type { Fault } from '../../local-drive/faults/faults';
import { indexedArchive } from '../../support/archive/indexed-archive';
import { restoreFixture } from '../../support/archive/restore-fixture';
import { contentsOf } from '../../support/archive/tree';
import { rejected } from '../../support/client/rejected';
import { bytes } from '../../support/content';

const archiveWith = (content: string): Buffer =>
  indexedArchive([
    { name: 'home/', type: '5', mode: 0o755 },
    { name: 'home/large', content: bytes(3_000_000) },
    { name: 'home/one', content },
    { name: 'home/more', content: bytes(3_000_000, 2) },
  ]);
const CONTENT = 'two';
const ARCHIVE = archiveWith(CONTENT);
/** Compressed, not every text of three letters has the same size. */
const SAME_SIZE = ['six', 'one', 'ten', 'abc'].find(
  (content) => archiveWith(content).length === ARCHIVE.length,
)!;
const PATHS = ['home', 'home/large', 'home/one', 'home/more'];
const RANGES = {
  query: /alt=media/,
  when: ({ headers }: { headers: object }) => 'range' in headers,
} as const;

describe('ranges of an archive', () => {
  const fixture = restoreFixture();
  let id: string;
  let ignored: string[];
  beforeEach(async () => {
    ignored = [];
    id = await fixture.addArchive('home-0001.tar.gz', ARCHIVE);
    fixture.drive.requests.clear();
  });

  const onIndexIgnored = (reason: string): void => void ignored.push(reason);
  const list = () => fixture.list({ onIndexIgnored });
  const restoreOne = () => fixture.restore({ include: ['home/one'], overwrite: 'replace', onIndexIgnored });
  const restored = () => contentsOf(fixture.path('target'));
  const ranges = () => fixture.drive.requests.to('GET').filter(({ headers }) => 'range' in headers);
  const partial = (headers: Record<string, string>, body: string): Fault => ({
    ...{ kind: 'response', status: 206, headers: { 'Content-Type': 'application/gzip', ...headers }, body },
    match: RANGES,
    times: Infinity,
  });
  /** Replaces the archive before the nth request for a range is answered. */
  function replaceBefore(nth: number, content: Buffer): void {
    const until = async (): Promise<void> => {
      const request = { folderId: fixture.folderId, mimeType: '', keepModifiedTime: false, metadata: {} };
      const upload = { name: 'home-0001.tar.gz', content: { data: content }, ifExists: 'replace' } as const;
      await fixture.client.upload({ ...request, ...upload, fields: 'id' });
    };
    fixture.drive.faults.add({ kind: 'delay', until, match: { ...RANGES, nth } });
  }

  const size = ARCHIVE.length;
  for (const [title, fault] of [
    ['with another range', partial({ 'Content-Range': `bytes 0-9/${size}` }, 'x'.repeat(10))],
    ['of a file with another size', partial({ 'Content-Range': `bytes 5-9/${size + 1}` }, 'xxxxx')],
    ['with several ranges', partial({ 'Content-Type': 'multipart/byteranges; boundary=x' }, '--x--')],
    ['without a range', partial({}, 'x'.repeat(100))],
    ['with a range that isn’t one', partial({ 'Content-Range': 'bytes first-last/all' }, 'x')],
    [
      'with an empty page of a proxy',
      {
        kind: 'response',
        status: 200,
        headers: { 'Content-Type': 'text/html' },
        body: '',
        match: RANGES,
        times: Infinity,
      },
    ],
    [
      'that the range is outside of the file',
      {
        kind: 'response',
        status: 416,
        headers: { 'Content-Range': 'bytes */1' },
        body: '',
        match: RANGES,
        times: Infinity,
      },
    ],
  ] satisfies [string, Fault][]) {
    it(`If the service answers ${title}, all of the archive is read`, async () => {
      const added = fixture.drive.faults.add(fault);
      const { archive, paths } = await list();
      archive.indexed.should.be.false();
      paths.should.eql(PATHS);
      (await restoreOne()).should.containEql({ entries: 1 });
      should(await restored()).eql({ 'home/': '', 'home/one': CONTENT });
      added.hits.should.be.above(1);
      (await fixture.names()).should.eql(['target']);
    });
  }

  it('If the service stops to send ranges after the index was read, all of the archive is read, with a warning', async () => {
    const headers = { 'Content-Range': `bytes 0-0/${size}` };
    fixture.drive.faults.add({ ...partial(headers, 'x'), match: { ...RANGES, nth: 2 } });
    await restoreOne();
    should(await restored()).eql({ 'home/': '', 'home/one': CONTENT });
    ignored.should.eql(['range']);
  });

  it('A range whose connection is lost halfway is continued where it ended', async () => {
    fixture.drive.faults.add({ kind: 'resetResponse', bytes: 1_000, match: RANGES, times: 3 });
    await restoreOne();
    should(await restored()).eql({ 'home/': '', 'home/one': CONTENT });
    ignored.should.be.empty();
    const starts = ranges().map(({ headers }) => Number(/^bytes=(\d+)-/.exec(String(headers['range']))?.[1]));
    starts.slice(1, 3).should.eql([starts[0]! + 1_000, starts[0]! + 2_000]);
  });

  it('A range leaves no event listeners after waiting for the disk', async () => {
    const queue = new PassThrough({ highWaterMark: 1 });
    const listeners = (): number[] => ['drain', 'close'].map((event) => queue.listenerCount(event));
    const before = listeners();
    for (let pause = 0; pause < 3; pause++) {
      queue.write('text');
      const waiting = drained(queue);
      queue.read();
      await waiting;
    }
    listeners().should.eql(before);
  });

  it('A range that stays truncated ends with the error of the connection, and leaves nothing', async () => {
    fixture.drive.faults.add({ kind: 'reset', match: { query: /alt=media/ }, times: Infinity });
    await rejected(restoreOne(), 'network');
    (await fixture.names()).should.be.empty();
  });

  for (const [nth, when] of [
    [1, 'before its index is read'],
    [2, 'between its index and its content'],
  ] as const) {
    for (const [title, text] of [
      ['of the same size', SAME_SIZE],
      ['of another size', 'three'.repeat(1_000)],
    ] as const) {
      it(`An archive that is replaced by one ${title} ${when} is restored as it is now`, async () => {
        const content = archiveWith(text);
        (content.length === size).should.equal(title === 'of the same size');
        replaceBefore(nth, content);
        await restoreOne();
        should(await restored()).eql({ 'home/': '', 'home/one': text });
        (await fixture.names()).should.eql(['target']);
      });
    }
  }

  it('A list of an archive that is replaced meanwhile has the entries of the new one only', async () => {
    replaceBefore(1, indexedArchive([{ name: 'new', content: 'x' }]));
    (await list()).paths.should.eql(['new']);
  });

  it('An archive that is deleted after it was selected is not_found, and nothing is written', async () => {
    fixture.drive.faults.add({ kind: 'delay', until: () => fixture.drive.files.remove(id), match: RANGES });
    await rejected(restoreOne(), 'not_found');
    (await fixture.names()).should.be.empty();
  });

  it('Several lists and restores of one archive at the same moment don’t disturb each other', async () => {
    const targets = ['a', 'b', 'c'];
    const runs = targets.map((name) =>
      fixture.restore({ include: ['home/one'], path: fixture.path(name), onIndexIgnored }),
    );
    const [first, second] = await Promise.all([list(), list(), ...runs]);
    first.paths.should.eql(PATHS);
    second.paths.should.eql(PATHS);
    for (const name of targets)
      should(await contentsOf(fixture.path(name))).eql({ 'home/': '', 'home/one': CONTENT });
    (await fixture.names()).sort().should.eql(targets);
    ignored.should.be.empty();
  });
});
