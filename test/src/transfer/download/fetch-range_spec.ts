/** Responses to range requests, and partial responses that nobody requested: RFC 9110 14 and 15.5.17. */
import should from 'should';
import { bytes } from '../../../support/content';
import { downloadFixture, isContentRequest } from '../../../support/client/download-fixture';
import { rejected } from '../../../support/client/rejected';
import type { ScriptedResponse } from '../../../support/http/scripted-service';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { createGunzip, gzipSync } from 'node:zlib';
import 'should';
import { pump, throttleSink } from '../../../../src/transfer/download/fetch-range';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BandwidthLimiter } from '../../../../src/core/bandwidth-limiter';
import { FakeClock } from '../../../support/clock';

const SIZE = 1_000_003;
const FETCHED = 300_000;
describe('content ranges', () => {
  const fixture = downloadFixture();
  beforeEach(() => {
    fixture.content = bytes(SIZE);
  });

  /** Resets the connection of the first response. @param then changes the following responses */
  function cutOnce(then: (response: ScriptedResponse) => ScriptedResponse = (response) => response): void {
    fixture.fault = (request) => {
      if (!isContentRequest(request)) return undefined;
      return request.headers.range === undefined && fixture.contentRequests().length === 1
        ? { ...fixture.respond(request), cutAfter: FETCHED }
        : then(fixture.respond(request));
    };
  }

  it('content ranges are accepted if Content-Range has no total length', async () => {
    cutOnce((response) => ({ ...response, headers: { 'Content-Range': `bytes ${FETCHED}-${SIZE - 1}/*` } }));
    (await fixture.toMemory()).content.equals(fixture.content).should.be.true();
    fixture.ranges().should.deepEqual([undefined, `bytes=${FETCHED}-`]);
  });

  it('content ranges are combined if only a checksum, and no size, identifies the content', async () => {
    fixture.file = { ...fixture.file, size: undefined };
    cutOnce();
    (await fixture.toMemory()).content.equals(fixture.content).should.be.true();
    fixture.ranges().should.deepEqual([undefined, `bytes=${FETCHED}-`]);
  });

  it('content ranges are not combined if neither size nor checksum identifies the content', async () => {
    fixture.file = { ...fixture.file, size: undefined, md5Checksum: undefined, sha256Checksum: undefined };
    cutOnce();
    (await fixture.toMemory()).content.equals(fixture.content).should.be.true();
    fixture.ranges().should.deepEqual([undefined, undefined]);
  });

  it('content ranges may cover the whole content in a 206 response that was not requested', async () => {
    fixture.fault = (request) => {
      const headers = { 'Content-Range': `bytes 0-${SIZE - 1}/${SIZE}` };
      return isContentRequest(request) ? { status: 206, headers, body: fixture.content } : undefined;
    };
    (await fixture.toMemory()).content.equals(fixture.content).should.be.true();
  });

  it('a 416 without a Range header is an error, not an empty file', async () => {
    fixture.onContent(() => ({ status: 416 }));
    await rejected(fixture.toDisk(fixture.path('out')), 'bad_response', 'bad_response_status');
    fixture.contentRequests().length.should.equal(1);
    (await fixture.fileNames()).should.be.empty();
  });

  for (const status of [206, 416]) {
    it(`wrong content ranges are reported as bad_response_range if there is no time to start over (${status})`, async () => {
      fixture.restart({ retryFor: 0 });
      cutOnce(() => ({ status }));
      await rejected(fixture.toDisk(fixture.path('out')), 'network');
      const error = await rejected(fixture.toDisk(fixture.path('out')), 'bad_response', 'bad_response_range');
      should(error).match({ status, params: { status }, retryable: true });
    });
  }

  for (const encoding of ['identity', 'Identity', ' IDENTITY ']) {
    it(`content ranges are accepted with Content-Encoding: ${encoding}`, async () => {
      fixture.onContent(() => ({ headers: { 'Content-Encoding': encoding }, body: fixture.content }));
      (await fixture.toMemory()).content.equals(fixture.content).should.be.true();
    });
  }

  it('endless responses are read only until the size of the file is exceeded', async () => {
    fixture.service.onHeaders((request, { response }) => {
      if (!isContentRequest(request)) return {};
      response.writeHead(200);
      const send = (): void =>
        void (response.write(fixture.content) ? setImmediate(send) : response.once('drain', send));
      send();
      return 'handled';
    });
    await rejected(fixture.toMemory(), 'checksum_mismatch', 'checksum_mismatch_size');
    await rejected(fixture.toDisk(fixture.path('out')), 'checksum_mismatch', 'checksum_mismatch_size');
    (await fixture.fileNames()).should.be.empty();
  });
});

/** Versions in which the parser copies what it is given: see direct-reads.ts. */
const FREES_CHUNKS = [20, 22, 24, 26].includes(Number.parseInt(process.versions.node));

describe('pump', () => {
  const content = bytes(300_000);
  let server: http.Server;

  beforeEach(async () => {
    server = http.createServer((request, response) =>
      response.end(request.url === '/packed' ? gzipSync(content) : content),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  async function get(path: string): Promise<http.IncomingMessage> {
    const { port } = server.address() as AddressInfo;
    const [response] = (await once(http.get({ host: '127.0.0.1', port, path }), 'response')) as [
      http.IncomingMessage,
    ];
    return response;
  }

  /** @returns the chunks that were written, and copies of them */
  async function chunksOf(body: Readable): Promise<{ chunks: Buffer[]; copies: Buffer[] }> {
    const chunks: Buffer[] = [];
    const copies: Buffer[] = [];
    await pump(body, {
      write: (chunk) => {
        chunks.push(chunk);
        return copies.push(Buffer.from(chunk)) > 0;
      },
      drained: () => Promise.resolve(),
      end: () => Promise.resolve(),
    });
    return { chunks, copies };
  }

  it('the memory of a chunk of a response is freed as soon as the sink has copied it', async function () {
    if (!FREES_CHUNKS) this.skip('not in this version of Node.js');
    const { chunks, copies } = await chunksOf(await get('/'));
    Buffer.concat(copies).equals(content).should.be.true();
    chunks.every(({ length }) => length === 0).should.be.true();
  });

  it('the chunks of a decompressed response, which share their memory, stay as they are', async () => {
    const { chunks } = await chunksOf((await get('/packed')).pipe(createGunzip()));
    Buffer.concat(chunks).equals(content).should.be.true();
  });
});

const RATE = 1_000_000;
const LIMITED_SIZE = 3_000_001;
const SINK = { write: () => true, drained: () => Promise.resolve(), end: () => Promise.resolve() };
describe('throttleSink', () => {
  const fixture = downloadFixture();
  const target = (name = 'out'): string => join(fixture.folder, name);

  beforeEach(() => {
    fixture.content = bytes(LIMITED_SIZE);
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
