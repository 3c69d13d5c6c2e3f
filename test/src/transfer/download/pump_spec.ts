/** What a download leaves in memory. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { createGunzip, gzipSync } from 'node:zlib';
import 'should';
import { pump } from '../../../../src/transfer/download/fetch-range';
import { bytes } from '../../../support/content';

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
