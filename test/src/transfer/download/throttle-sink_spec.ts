/** The bandwidth limit for downloads: docs/nodes/account.md. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import should from 'should';
import { throttleSink } from '../../../../src/transfer/download/fetch-range';
import { BandwidthLimiter } from '../../../../src/core/bandwidth-limiter';
import { FakeClock } from '../../../support/clock';
import { bytes } from '../../../support/content';
import { downloadFixture, isContentRequest } from '../../../support/client/download-fixture';
import { rejected } from '../../../support/client/rejected';

const RATE = 1_000_000;
const SIZE = 3_000_001;
const SINK = { write: () => true, drained: () => Promise.resolve(), end: () => Promise.resolve() };
describe('throttleSink', () => {
  const fixture = downloadFixture();
  const target = (name = 'out'): string => join(fixture.folder, name);

  beforeEach(() => {
    fixture.content = bytes(SIZE);
    fixture.restart({ bandwidth: RATE });
  });

  const toDisk = async (name: string): Promise<Buffer> => {
    await fixture.toDisk(target(name));
    return readFile(target(name));
  };
  const toMemory = async (): Promise<Buffer> => (await fixture.toMemory()).content;

  /** Resolves when a download waits for bandwidth, not for the rate limit of requests. */
  async function untilThrottled(clock: FakeClock): Promise<void> {
    while (fixture.contentRequests().length === 0) await clock.advance(1);
    await clock.untilSleeping();
  }

  for (const [what, download] of [
    ['to disk', () => toDisk('out')],
    ['to memory', toMemory],
  ] as const) {
    it(`throttled downloads take as long as the limit requires, ${what}`, async () => {
      const start = fixture.clock.now();
      (await download()).equals(fixture.content).should.be.true();
      (fixture.clock.now() - start).should.be.within(2_700, 3_100);
    });
  }

  it('throttled downloads reject a content that is too large for memory even if all of it has been received', async () => {
    fixture.content = bytes(100_000);
    fixture.file = { ...fixture.file, size: undefined, md5Checksum: undefined, sha256Checksum: undefined };
    await rejected(fixture.toMemory({ maxSize: 99_999 }), 'too_large', 'too_large_content');
    (await fixture.toMemory({ maxSize: 100_000 })).content.equals(fixture.content).should.be.true();
  });

  it('throttled downloads share the bandwidth', async () => {
    const start = fixture.clock.now();
    const all = await Promise.all([toDisk('a'), toDisk('b'), toMemory()]);
    all.forEach((each) => each.equals(fixture.content).should.be.true());
    (fixture.clock.now() - start).should.be.within(8_700, 9_200);
  });

  it('throttled downloads continue after a connection reset', async () => {
    fixture.onContent((request, index) =>
      index === 0 ? { ...fixture.respond(request), cutAfter: 1_000_000 } : undefined,
    );
    (await toDisk('out')).equals(fixture.content).should.be.true();
    // What has not been read yet is lost with the connection: about 128 KiB.
    should(fixture.contentRequests()[1]?.headers.range).match(/^bytes=([89]\d{5}|1000000)-$/);
  });

  it('throttled downloads read from the connection no faster than the limit', async () => {
    const clock = new FakeClock('manual');
    fixture.restart({ bandwidth: 10_000, clock });
    let sent = 0;
    fixture.service.onHeaders((request, { request: { socket }, response }) => {
      if (!isContentRequest(request)) return {};
      socket.on('drain', () => (sent = socket.bytesWritten));
      response.writeHead(200, { 'Content-Length': String(1e9) });
      const chunk = bytes(1_000_000);
      const send = (): void => void (response.write(chunk) ? send() : response.once('drain', send));
      send();
      return 'handled';
    });
    fixture.file = { ...fixture.file, size: String(1e9) };
    const abort = new AbortController();
    const started = fixture.toDisk(target(), {}, { signal: abort.signal });
    for (let second = 0; second < 60; second++) {
      await clock.untilSleeping();
      await clock.advance(1_000);
    }
    // The system buffers of both ends hold a few megabytes.
    sent.should.be.below(100e6);
    abort.abort();
    await rejected(started, 'cancelled');
  });

  for (const size of [300_000, 3_000_000]) {
    it(`throttled downloads don’t time out while received bytes wait to be read (${size} bytes)`, () =>
      slowly(size));
  }

  async function slowly(size: number): Promise<void> {
    const clock = new FakeClock('manual');
    fixture.restart({ bandwidth: size / 30, clock, timeout: 100 });
    fixture.content = bytes(size);
    fixture.service.onHeaders(({ path }) => (path === '/silent' ? 'handled' : {}));
    let isFinished = false;
    const started = toDisk('out').finally(() => (isFinished = true));
    await untilThrottled(clock);
    const silent = { method: 'GET', url: `${fixture.service.url}/silent` } as const;
    for (let count = 0; count < 3; count++) await rejected(fixture.http.send(silent), 'timeout');
    while (!isFinished) await clock.advance(1_000);
    (await started).equals(fixture.content).should.be.true();
    fixture.contentRequests().should.have.length(1);
  }

  it('throttled downloads are cancelled at once while they wait', async () => {
    const clock = new FakeClock('manual');
    fixture.restart({ bandwidth: 1, clock });
    const abort = new AbortController();
    const started = fixture.toDisk(target(), {}, { signal: abort.signal });
    await untilThrottled(clock);
    abort.abort();
    await rejected(started, 'cancelled');
  });

  it('throttled downloads copy chunks that wait, because the caller reuses their memory', async () => {
    const written: Buffer[] = [];
    const sink = { ...SINK, write: (chunk: Buffer) => written.push(Buffer.from(chunk)) > 0 };
    const throttled = throttleSink(sink, new BandwidthLimiter(RATE, new FakeClock()), undefined);
    const memory = Buffer.alloc(10);
    for (const value of [1, 2, 3]) throttled.write(memory.fill(value));
    memory.fill(0);
    await throttled.end();
    Buffer.concat(written)
      .equals(Buffer.from([1, 2, 3].flatMap((value) => Array<number>(10).fill(value))))
      .should.be.true();
  });

  it('throttled downloads report an error of the disk', async () => {
    const sink = { ...SINK, end: () => Promise.reject(new Error('full')) };
    const throttled = throttleSink(sink, new BandwidthLimiter(RATE, new FakeClock()), undefined);
    throttled.write(bytes(10));
    await throttled.end().should.be.rejectedWith('full');
  });

  it('throttleSink returns the sink itself if the bandwidth is unlimited', () => {
    throttleSink(SINK, new BandwidthLimiter(0, new FakeClock()), undefined).should.equal(SINK);
  });
});
