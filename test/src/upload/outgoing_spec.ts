import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { type IncomingMessage, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpClient } from '../../../src/http/http-client';
import { Outgoing } from '../../../src/upload/outgoing';
import { openSource } from '../../../src/upload/source';
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

  for (const start of [0, 13_000_001]) {
    it(`arrives as it is on disk from byte ${start} on`, async () => {
      const path = disk('source');
      await writeFile(path, content);
      const source = await openSource({ path });
      const outgoing = new Outgoing(source, ['sha256']);
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const { body } = await http.send({ method: 'PUT', url, body: outgoing.from(start, () => undefined) });
      const came = Buffer.concat((await body.toArray()) as Buffer[]).toString();
      came.should.equal(sha256(content.subarray(start)));
      (await outgoing.digest('sha256')).should.equal(sha256(content));
      await source.close();
    });
  }
});
