/**
 * What connections that read into a buffer of their own give to the parser, which may keep it: that of Node 18.5 does.
 * https://nodejs.org/api/net.html#socketconnectoptions-connectlistener (onread)
 */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import 'should';
import { ReadingHttpAgent } from '../../../src/http/reading-agents';
import { readAll } from '../../../src/http/json';
import { bytes } from '../../support/content';

describe('connections that read into a buffer of their own', () => {
  const content = bytes(3_000_000);
  let agent: ReadingHttpAgent;
  let server: http.Server;

  beforeEach(async () => {
    agent = new ReadingHttpAgent({ keepAlive: true });
    server = http.createServer(({ url }, response) => {
      response.end(url === '/large' ? content : `small, for ${url}`);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    agent.destroy();
    server.close();
  });

  /** @returns what the parser was given, as it is when the answer has been read */
  async function given(path: string): Promise<Buffer[]> {
    const pieces: Buffer[] = [];
    const { port } = server.address() as AddressInfo;
    const request = http.get({ host: '127.0.0.1', port, path, agent });
    const keep = (piece: Buffer): unknown => pieces.push(piece);
    request.once('socket', (socket) => socket.on('data', keep));
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    await readAll(response, 1e8);
    request.socket?.off('data', keep);
    return pieces;
  }

  it('let no read change what an earlier one of the same answer gave', async () => {
    const pieces = await given('/large');
    pieces.length.should.be.above(1);
    Buffer.concat(pieces).subarray(-content.length).equals(content).should.be.true();
  });

  it('let no answer change what an earlier one was made of', async () => {
    const first = await given('/first');
    await given('/second');
    Buffer.concat(first).toString().should.endWith('small, for /first');
  });
});
