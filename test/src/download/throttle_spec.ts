/** _Bandwidth_ of docs/nodes/account.md, for downloads. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import should from 'should';
import { throttle } from '../../../src/download/throttle';
import { BandwidthLimiter } from '../../../src/concurrency/bandwidth-limiter';
import { FakeClock } from '../../support/clock';
import { bytes } from '../../support/content';
import { downloadFixture } from '../../support/client/download-fixture';
import { rejected } from '../../support/client/rejected';
import type { Seen } from '../../support/http/scripted-service';

const RATE = 1_000_000;
const SIZE = 3_000_001;
const NOWHERE = { take: () => true, ready: () => Promise.resolve(), end: () => Promise.resolve() };
const isContent = ({ query }: Seen): boolean => query.get('alt') === 'media';

describe('downloads with a limited bandwidth', () => {
  const at = downloadFixture();
  const target = (name = 'out'): string => join(at.folder, name);

  beforeEach(() => {
    at.content = bytes(SIZE);
    at.restart({ bandwidth: RATE });
  });

  const toDisk = async (name: string): Promise<Buffer> => {
    await at.toDisk(target(name));
    return readFile(target(name));
  };
  const toMemory = async (): Promise<Buffer> => (await at.toMemory()).content;

  /** Not by the pace of requests, but by what has come. */
  async function untilHeldBack(clock: FakeClock): Promise<void> {
    while (at.fetches().length === 0) await clock.advance(1);
    await clock.untilSleeping();
  }

  for (const [what, download] of [
    ['to disk', () => toDisk('out')],
    ['to memory', toMemory],
  ] as const) {
    it(`take as long as they must ${what}, and arrive`, async () => {
      const begun = at.under.clock.now();
      (await download()).equals(at.content).should.be.true();
      (at.under.clock.now() - begun).should.be.within(2_700, 3_100);
    });
  }

  it('refuse what is too large for the memory also where all of it had come and waits', async () => {
    at.content = bytes(100_000);
    at.file = { ...at.file, size: undefined, md5Checksum: undefined, sha256Checksum: undefined };
    await rejected(at.toMemory({ maxSize: 99_999 }), 'too_large', 'too_large_content');
    (await at.toMemory({ maxSize: 100_000 })).content.equals(at.content).should.be.true();
  });

  it('share it', async () => {
    const begun = at.under.clock.now();
    const all = await Promise.all([toDisk('a'), toDisk('b'), toMemory()]);
    all.forEach((each) => each.equals(at.content).should.be.true());
    (at.under.clock.now() - begun).should.be.within(8_700, 9_200);
  });

  it('go on behind what had come where the line breaks', async () => {
    let count = 0;
    at.fault = (seen) =>
      isContent(seen) && count++ === 0 ? { ...at.answer(seen), cutAfter: 1_000_000 } : undefined;
    (await toDisk('out')).equals(at.content).should.be.true();
    // What nobody had read yet is lost with the line: some 128 KiB.
    should(at.fetches()[1]?.headers.range).match(/^bytes=([89]\d{5}|1000000)-$/);
  });

  it('read the line no faster than they may', async () => {
    const clock = new FakeClock('manual');
    at.restart({ bandwidth: 10_000, clock });
    let sent = 0;
    at.wire.before((seen, { request, response }) => {
      if (!isContent(seen)) return {};
      request.socket.on('drain', () => (sent = request.socket.bytesWritten));
      response.writeHead(200, { 'Content-Length': String(1e9) });
      const piece = bytes(1_000_000);
      const send = (): void => void (response.write(piece) ? send() : response.once('drain', send));
      send();
      return 'handled';
    });
    at.file = { ...at.file, size: String(1e9) };
    const ending = new AbortController();
    const started = at.toDisk(target(), {}, { signal: ending.signal });
    for (let second = 0; second < 60; second++) {
      await clock.untilSleeping();
      await clock.advance(1_000);
    }
    // Both ends' system buffers hold some megabytes.
    sent.should.be.below(100e6);
    ending.abort();
    await rejected(started, 'cancelled');
  });

  for (const size of [300_000, 3_000_000]) {
    it(`are not taken for silent while what has come waits to be read, ${size} bytes`, () => slowly(size));
  }

  async function slowly(size: number): Promise<void> {
    const clock = new FakeClock('manual');
    at.restart({ bandwidth: size / 30, clock, timeout: 100 });
    at.content = bytes(size);
    at.wire.before(({ path }) => (path === '/silent' ? 'handled' : {}));
    let isOver = false;
    const started = toDisk('out').finally(() => (isOver = true));
    await untilHeldBack(clock);
    const silent = { method: 'GET', url: `${at.wire.url}/silent` } as const;
    for (let silence = 0; silence < 3; silence++) await rejected(at.under.http.send(silent), 'timeout');
    while (!isOver) await clock.advance(1_000);
    (await started).equals(at.content).should.be.true();
    at.fetches().should.have.length(1);
  }

  it('end at once when they are cancelled while they wait, with what was there', async () => {
    const clock = new FakeClock('manual');
    at.restart({ bandwidth: 1, clock });
    const ending = new AbortController();
    const started = at.toDisk(target(), {}, { signal: ending.signal });
    await untilHeldBack(clock);
    ending.abort();
    await rejected(started, 'cancelled');
  });

  it('wait as they came: who gave them uses their memory again', async () => {
    const came: Buffer[] = [];
    const to = { ...NOWHERE, take: (piece: Buffer) => came.push(Buffer.from(piece)) > 0 };
    const intake = throttle(to, new BandwidthLimiter(RATE, new FakeClock()), undefined);
    const memory = Buffer.alloc(10);
    for (const value of [1, 2, 3]) intake.take(memory.fill(value));
    memory.fill(0);
    await intake.end();
    Buffer.concat(came)
      .equals(Buffer.from([1, 2, 3].flatMap((value) => Array<number>(10).fill(value))))
      .should.be.true();
  });

  it('say what the disk says', async () => {
    const full = { ...NOWHERE, end: () => Promise.reject(new Error('full')) };
    const intake = throttle(full, new BandwidthLimiter(RATE, new FakeClock()), undefined);
    intake.take(bytes(10));
    await intake.end().should.be.rejectedWith('full');
  });

  it('cost nothing where there is no limit', () => {
    throttle(NOWHERE, new BandwidthLimiter(0, new FakeClock()), undefined).should.equal(NOWHERE);
  });
});
