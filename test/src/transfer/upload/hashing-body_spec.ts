/** Request bodies that are hashed while a slow service reads them, or while the disk is slow. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { type BodySource, HttpClient } from '../../../../src/http/client';
import { HashingBody } from '../../../../src/transfer/upload/hashing-body';
import { type Source, openSource } from '../../../../src/transfer/upload/source';
import { bytes, sha256 } from '../../../support/content';
import { rejected } from '../../../support/client/rejected';
import { useDisk } from '../../../support/disk';
import { useScriptedService } from '../../../support/http/scripted-service';
import { FakeClock } from '../../../support/clock';
import { uploadFixture } from '../../../support/client/upload-fixture';

/** Four times as much as the buffers of a source. */
const content = bytes(16_000_000);

/** Pauses for ten turns of the event loop after each chunk, so that the sender reads as far ahead as it can. */
async function slowDigest(request: IncomingMessage): Promise<string> {
  const hash = createHash('sha256');
  request.on('data', (chunk: Buffer) => {
    hash.update(chunk);
    request.pause();
    let turns = 10;
    const next = (): void => void (turns-- > 0 ? setImmediate(next) : request.resume());
    next();
  });
  await new Promise((resolve) => request.once('end', resolve));
  return hash.digest('hex');
}

describe('HashingBody sent to a slow service', () => {
  const disk = useDisk();
  const service = useScriptedService();
  const http = new HttpClient({ timeout: 10_000 });

  beforeEach(() => {
    service.onHeaders((_seen, { request, response }) => {
      void slowDigest(request).then((digest) => response.end(digest));
      return 'handled';
    });
  });

  const put = async (body: BodySource): Promise<string> => {
    const response = await http.send({ method: 'PUT', url: service.url, body });
    return Buffer.concat((await response.body.toArray()) as Buffer[]).toString();
  };

  for (const start of [0, 5_000_001]) {
    it(`sends and hashes the content of a file from byte ${start}`, async () => {
      const path = disk('source');
      await writeFile(path, content);
      const source = await openSource({ path });
      const body = new HashingBody(source, ['sha256']);
      (await put(body.from(start))).should.equal(sha256(content.subarray(start)));
      (await body.digest('sha256')).should.equal(sha256(content));
      await source.close();
    });
  }

  it('sends and hashes four files at once', async () => {
    const contents = [1, 2, 3, 4].map((seed) => bytes(6_345_678, seed));
    const uploads = contents.map(async (each, index) => {
      const path = disk(`source ${index}`);
      await writeFile(path, each);
      const source = await openSource({ path });
      const body = new HashingBody(source, ['sha256']);
      const received = await put(body.from(0));
      const hashed = await body.digest('sha256');
      await source.close();
      return [received, hashed];
    });
    (await Promise.all(uploads)).should.deepEqual(contents.map((each) => [sha256(each), sha256(each)]));
  });
});

describe('HashingBody read from a slow disk', () => {
  const text = Buffer.from('abcdefgh');
  /** Pending reads, oldest first. */
  let reads: (() => void)[];

  const slow: Source = {
    length: text.length,
    modifiedTime: undefined,
    fingerprint: undefined,
    readFrom: (start) => {
      let position = start;
      return () =>
        new Promise((read) => {
          const chunk = text.subarray(position, (position += 4));
          reads.push(() => read(chunk.length > 0 ? chunk : undefined));
        });
    },
    free: () => undefined,
    close: () => Promise.resolve(),
  };

  it('hashes each byte once if a destroyed body and prepare read the same chunk', async () => {
    reads = [];
    const body = new HashingBody(slow, ['sha256']);
    const first = body.from(0).open();
    first.on('error', () => undefined).resume();
    while (reads.length === 0) await new Promise(setImmediate);
    first.destroy(new Error('connection lost'));
    // The service has stored more than was hashed, while the read of the first chunk is still pending.
    const hashed = body.prepare(6, 6);
    while (reads.length < 2) await new Promise(setImmediate);
    await completeReads(hashed);
    (await completeReads(body.digest('sha256'))).should.equal(sha256(text));
  });

  it('stops reading when it is cancelled', async () => {
    reads = [];
    const body = new HashingBody(slow, ['sha256'], { signal: AbortSignal.abort() });
    await rejected(completeReads(body.prepare(6, 6)), 'cancelled');
    reads.length.should.equal(0);
  });

  it('hashes what there is of a content that ends early', async () => {
    reads = [];
    const body = new HashingBody({ ...slow, length: 100 }, ['sha256']);
    (await completeReads(body.digest('sha256'))).should.equal(sha256(text));
  });

  async function completeReads<T>(work: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = (): void => void (isSettled = true);
    work.then(settle, settle);
    while (!isSettled) {
      reads.shift()?.();
      await new Promise(setImmediate);
    }
    return work;
  }
});

const RATE = 1_000_000;
const unthrottled = bytes(6_000_001);

describe('throttled uploads', () => {
  const fixture = uploadFixture();

  it('takes the time that the bandwidth limit requires and uploads the right content', async () => {
    fixture.restart({ bandwidth: RATE });
    const path = await fixture.onDisk(unthrottled);
    const startedAt = fixture.clock.now();
    await fixture.upload({ path });
    fixture.onlyFile().content.equals(unthrottled).should.be.true();
    (fixture.clock.now() - startedAt).should.be.within(5_700, 6_100);
  });

  it('shares the bandwidth limit between concurrent uploads', async () => {
    fixture.restart({ bandwidth: RATE });
    const path = await fixture.onDisk(unthrottled);
    const startedAt = fixture.clock.now();
    await Promise.all([
      fixture.upload({ path }),
      fixture.upload({ data: unthrottled }),
      fixture.upload({ data: 'small' }),
    ]);
    (fixture.clock.now() - startedAt).should.be.within(11_700, 12_200);
    fixture.service.files.filter((file) => file.content.equals(unthrottled)).length.should.equal(2);
  });

  it('stops an upload at once when it is cancelled while it waits for bandwidth', async () => {
    const clock = new FakeClock('manual');
    fixture.restart({ bandwidth: 1, clock });
    const abort = new AbortController();
    const started = fixture.upload({ data: unthrottled }, {}, { signal: abort.signal });
    await clock.untilSleeping();
    abort.abort();
    await rejected(started, 'cancelled');
  });
});
