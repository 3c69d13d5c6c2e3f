/** A source on its way: what arrives is what is on disk, however slowly either side goes. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { type IncomingMessage, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BodySource, HttpClient } from '../../../src/http/client';
import { HashingBody } from '../../../src/upload/hashing-body';
import { type Source, openSource } from '../../../src/upload/source';
import { bytes, sha256 } from '../../support/content';
import { useDisk } from '../../support/disk';

const content = bytes(40_000_000);

/** Takes a piece, then stops listening for many turns of the loop, so that whoever sends reads far ahead if it may. */
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

describe('a source on its way to a service that reads slowly', () => {
  const disk = useDisk();
  let server: Server;
  let http: HttpClient;

  beforeEach(async () => {
    http = new HttpClient({ timeout: 10_000 });
    server = createServer((request, response) => {
      void slowDigest(request).then((digest) => response.end(digest));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    http.close();
    await new Promise((resolve) => server.close(resolve));
  });

  const put = async (body: BodySource): Promise<string> => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const response = await http.send({ method: 'PUT', url, body });
    return Buffer.concat((await response.body.toArray()) as Buffer[]).toString();
  };

  for (const start of [0, 13_000_001]) {
    it(`arrives as it is on disk from byte ${start} on`, async () => {
      const path = disk('source');
      await writeFile(path, content);
      const source = await openSource({ path });
      const outgoing = new HashingBody(source, ['sha256']);
      (await put(outgoing.from(start))).should.equal(sha256(content.subarray(start)));
      (await outgoing.digest('sha256')).should.equal(sha256(content));
      await source.close();
    });
  }

  it('arrives as it is on disk while three others do', async () => {
    const contents = [1, 2, 3, 4].map((seed) => bytes(12_345_678, seed));
    const sent = contents.map(async (each, index) => {
      const path = disk(`source ${index}`);
      await writeFile(path, each);
      const source = await openSource({ path });
      const outgoing = new HashingBody(source, ['sha256']);
      const came = await put(outgoing.from(0));
      const counted = await outgoing.digest('sha256');
      await source.close();
      return [came, counted];
    });
    (await Promise.all(sent)).should.deepEqual(contents.map((each) => [sha256(each), sha256(each)]));
  });
});

describe('a source whose reading takes longer than the request that it was for', () => {
  const text = Buffer.from('abcdefgh');
  /** Reads that wait to be answered, oldest first. */
  let reads: (() => void)[];

  const slow: Source = {
    length: text.length,
    modifiedTime: undefined,
    fingerprint: undefined,
    readFrom: (start) => {
      let position = start;
      return () =>
        new Promise((read) => {
          const piece = text.subarray(position, (position += 4));
          reads.push(() => read(piece.length > 0 ? piece : undefined));
        });
    },
    close: () => Promise.resolve(),
  };

  it('counts each byte once', async () => {
    reads = [];
    const outgoing = new HashingBody(slow, ['sha256']);
    const first = outgoing.from(0).open();
    first.on('error', () => undefined).resume();
    while (reads.length === 0) await new Promise(setImmediate);
    first.destroy(new Error('the line broke'));
    // The service says that it holds more than was counted, while the disk still owes the first piece.
    const counted = outgoing.hashUpTo(6);
    while (reads.length < 2) await new Promise(setImmediate);
    await answered(counted);
    (await answered(outgoing.digest('sha256'))).should.equal(sha256(text));
  });

  async function answered<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = (): void => void (isOver = true);
    work.then(over, over);
    while (!isOver) {
      reads.shift()?.();
      await new Promise(setImmediate);
    }
    return work;
  }
});
