/** Response bodies read without Node's HTTP parser. https://nodejs.org/api/net.html#socketconnectoptions-connectlistener */
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import should from 'should';
import type { ByteSink } from '../../../src/core/buffers';
import {
  DirectReadHttpAgent,
  DirectReadHttpsAgent,
  isPaused,
  readDirectly,
} from '../../../src/http/direct-reads';
import { readAll } from '../../../src/http/json';
import { bytes } from '../../support/content';
import { certificate } from '../../support/http/certificates';
import { recordNoDelay } from '../../support/http/record-no-delay';
import { TlsService } from '../../support/http/tls-service';

const SIZE = 5_000_000;

describe('direct reads', () => {
  const content = bytes(SIZE);
  let agent: DirectReadHttpAgent;
  let server: http.Server;
  let connections: number;
  let respond: (response: http.ServerResponse) => void;

  beforeEach(async () => {
    agent = new DirectReadHttpAgent({ keepAlive: true });
    connections = 0;
    server = http.createServer((_request, response) => respond(response));
    server.on('connection', () => (connections += 1));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });

  function withLength(body: Buffer, length = body.length) {
    return (response: http.ServerResponse): void => {
      response.writeHead(200, { 'Content-Length': length });
      response.write(body);
      if (length === body.length) response.end();
    };
  }

  async function get(): Promise<http.IncomingMessage> {
    const { port } = server.address() as AddressInfo;
    const request = http.get({ host: '127.0.0.1', port, agent });
    request.on('error', () => undefined);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    return response;
  }

  /** Copies the chunks, since their memory is reused. */
  class CopyingSink implements ByteSink {
    readonly chunks: Buffer[] = [];
    readonly memory = new Set<ArrayBufferLike>();
    drains = 0;
    write(chunk: Buffer): boolean {
      this.chunks.push(Buffer.from(chunk));
      this.memory.add(chunk.buffer);
      return true;
    }
    drained(): Promise<void> {
      this.drains += 1;
      return Promise.resolve();
    }
    end(): Promise<void> {
      return Promise.resolve();
    }
    get all(): Buffer {
      return Buffer.concat(this.chunks);
    }
  }

  /** @returns the number of bytes that came through the stream */
  async function receive(body: http.IncomingMessage, to: ByteSink): Promise<number> {
    let parsed = 0;
    readDirectly(body, to);
    body.on('data', (chunk: Buffer) => {
      parsed += chunk.length;
      to.write(chunk);
    });
    await finished(body);
    return parsed;
  }

  /** Responds with the beginning of a body. @returns a function that sends the rest */
  function respondPartly(whole: Buffer, length: number): () => void {
    let sendRest = (): void => undefined;
    respond = (response) => {
      withLength(whole.subarray(0, length), whole.length)(response);
      sendRest = () => response.end(whole.subarray(length));
    };
    return () => sendRest();
  }

  it('readDirectly writes the whole body from few buffers and closes the connection', async () => {
    respond = withLength(content);
    const to = new CopyingSink();
    const body = await get();
    const parsed = await receive(body, to);
    to.all.equals(content).should.be.true();
    parsed.should.be.below(SIZE / 2);
    body.complete.should.be.true();
    to.memory.size.should.be.below(10);
    to.drains.should.equal(0);
    (await receive(await get(), new CopyingSink())).should.be.below(SIZE / 2);
    connections.should.equal(2);
  });

  it('readDirectly leaves the parser of the connection to other requests, so that nothing keeps the body', async () => {
    respond = withLength(content);
    const body = await get();
    const { parser } = body.socket as { parser?: { incoming: unknown } };
    should(parser?.incoming).equal(body);
    (await receive(body, new CopyingSink())).should.be.below(SIZE / 2);
    should(parser?.incoming).be.null();
  });

  it('readDirectly leaves a small body to the stream and keeps the connection', async () => {
    respond = withLength(content.subarray(0, 100_000));
    for (let count = 0; count < 2; count++) {
      const to = new CopyingSink();
      (await receive(await get(), to)).should.equal(100_000);
      to.all.equals(content.subarray(0, 100_000)).should.be.true();
    }
    connections.should.equal(1);
  });

  it('readDirectly leaves a body without Content-Length to the stream', async () => {
    respond = (response) => {
      response.write(content.subarray(0, 1));
      response.end(content.subarray(1));
    };
    const to = new CopyingSink();
    (await receive(await get(), to)).should.equal(SIZE);
    to.all.equals(content).should.be.true();
  });

  it('readDirectly keeps the order when bytes arrive while the stream has buffered earlier ones', async () => {
    const sendRest = respondPartly(content, 10_000);
    const body = await get();
    while (body.readableLength === 0) await new Promise(setImmediate);
    const to = new CopyingSink();
    const whole = receive(body, to);
    body.pause();
    sendRest();
    while (body.readableLength <= 10_000 && to.chunks.length === 0) await new Promise(setImmediate);
    body.resume();
    await whole;
    to.all.equals(content).should.be.true();
  });

  it('readDirectly leaves bytes to the stream while it is paused with an empty buffer', async () => {
    const sendRest = respondPartly(content, 1);
    const [body, to] = [await get(), new CopyingSink()];
    const whole = receive(body, to);
    while (to.chunks.length === 0) await new Promise(setImmediate);
    body.pause();
    sendRest();
    while (body.readableLength === 0 && to.chunks.length === 1) await new Promise(setImmediate);
    to.chunks.length.should.equal(1);
    body.resume();
    await whole;
    to.all.equals(content).should.be.true();
  });

  it('readDirectly leaves the rest of a body to the stream if little of it remains', async () => {
    const large = content.subarray(0, 1024 * 1024 + 1_000);
    for (let count = 0; count < 2; count++) {
      const sendRest = respondPartly(large, 2_000);
      const to = new CopyingSink();
      const whole = receive(await get(), to);
      while (to.all.length < 2_000) await new Promise(setImmediate);
      sendRest();
      await whole;
      to.all.equals(large).should.be.true();
    }
    connections.should.equal(1);
  });

  it('readDirectly ignores a stream that is no response, such as a decompressed body', async () => {
    const [stream, to] = [Readable.from([content]), new CopyingSink()];
    readDirectly(stream, to);
    for await (const chunk of stream) (chunk as Buffer).equals(content).should.be.true();
    to.chunks.should.be.empty();
  });

  it('readDirectly writes nothing after the body was destroyed', async () => {
    respond = withLength(content);
    const [body, to] = [await get(), new CopyingSink()];
    to.write = (chunk) => {
      to.chunks.push(chunk);
      body.destroy();
      return false;
    };
    readDirectly(body, to);
    body.resume();
    await finished(body).should.be.rejected();
    [to.chunks.length, to.drains].should.deepEqual([1, 0]);
  });

  it('readDirectly stops at the Content-Length although more bytes follow', async () => {
    respond = (response) => {
      response.socket?.write(`HTTP/1.1 200 OK\r\nContent-Length: ${SIZE}\r\n\r\n`);
      response.socket?.write(Buffer.concat([content, Buffer.from('more')]));
    };
    const to = new CopyingSink();
    await receive(await get(), to);
    to.all.equals(content).should.be.true();
  });

  it('readDirectly writes all received bytes when the connection is lost, and the body fails', async () => {
    respond = (response) => {
      withLength(content, SIZE + 1)(response);
      response.once('drain', () => response.socket?.end());
    };
    const to = new CopyingSink();
    await receive(await get(), to).should.be.rejectedWith({ code: 'ECONNRESET' });
    to.all.equals(content).should.be.true();
  });

  it('readDirectly pauses the socket until the sink is drained', async () => {
    respond = withLength(content);
    const body = await get();
    const paused: boolean[] = [];
    let waiting = 0;
    class Slow extends CopyingSink {
      override write(chunk: Buffer): boolean {
        should(waiting).equal(0);
        super.write(chunk);
        return false;
      }
      override async drained(): Promise<void> {
        waiting += 1;
        await new Promise(setImmediate);
        paused.push(isPaused(body.socket));
        waiting -= 1;
      }
    }
    const to = new Slow();
    await receive(body, to);
    to.all.equals(content).should.be.true();
    paused.length.should.be.above(5);
    paused.every(Boolean).should.be.true();
    isPaused(body.socket).should.be.false();
  });

  it('a body that is destroyed while its sink is full fails at once', async () => {
    respond = withLength(content);
    const body = await get();
    let finishDrain = (): void => undefined;
    const to = {
      write: () => false,
      drained: () => new Promise<void>((done) => (finishDrain = done)),
      end: () => Promise.resolve(),
    };
    readDirectly(body, to);
    const came = once(body, 'data');
    body.resume();
    await came;
    while (!isPaused(body.socket)) await new Promise(setImmediate);
    body.destroy(new Error('cancelled'));
    await finished(body).should.be.rejectedWith('cancelled');
    finishDrain();
    body.socket.destroyed.should.be.true();
  });

  it('readDirectly leaves the body to the stream if Node ignores onread', async () => {
    respond = withLength(content);
    agent.destroy();
    const { port } = server.address() as AddressInfo;
    const request = http.get({ host: '127.0.0.1', port });
    const [body] = (await once(request, 'response')) as [http.IncomingMessage];
    const sink = new CopyingSink();
    (await receive(body, sink)).should.equal(SIZE);
    sink.all.equals(content).should.be.true();
  });

  it('the agent uses ordinary reads after a connection whose parser listens to no data events', async () => {
    respond = withLength(content);
    const { port } = server.address() as AddressInfo;
    const request = http.get({ host: '127.0.0.1', port, agent });
    request.once('socket', (socket) => socket.removeAllListeners('data'));
    const [error] = (await once(request, 'error')) as [NodeJS.ErrnoException];
    should(error.code).equal('ECONNRESET');
    const sink = new CopyingSink();
    (await receive(await get(), sink)).should.equal(SIZE);
    sink.all.equals(content).should.be.true();
  });

  describe('chunks of a stream', () => {
    /** @returns the chunks that the stream has yielded, as they are after the response was read */
    async function chunksOf(body: Buffer): Promise<Buffer[]> {
      respond = withLength(body);
      const response = await get();
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      await finished(response);
      return chunks;
    }

    it('a read does not change the chunks of earlier reads', async () => {
      const chunks = await chunksOf(content);
      chunks.length.should.be.above(1);
      Buffer.concat(chunks).equals(content).should.be.true();
    });

    it('a response does not change the chunks of an earlier response on the connection', async () => {
      const first = await chunksOf(Buffer.from('first'));
      await chunksOf(Buffer.from('second'));
      connections.should.equal(1);
      Buffer.concat(first).toString().should.equal('first');
    });

    it('the socket reads into the same memory again and again', async function () {
      // The parsers of others keep the chunks, or might.
      if (!/^2[0246]\./.test(process.versions.node)) this.skip('not in this version of Node.js');
      respond = withLength(content);
      const { port } = server.address() as AddressInfo;
      const memory = new Set<ArrayBufferLike>();
      const request = http.get({ host: '127.0.0.1', port, agent });
      request.once('socket', (socket) => socket.on('data', (chunk: Buffer) => memory.add(chunk.buffer)));
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      (await readAll(response, 1e8)).equals(content).should.be.true();
      memory.size.should.equal(1);
    });
  });

  it('https connections send a short body at once, before its headers are acknowledged', async () => {
    const secure = await TlsService.start(certificate({ name: 'x' }), (_request, response) => response.end());
    const secureAgent = new DirectReadHttpsAgent({ rejectUnauthorized: false });
    await recordNoDelay(async (sockets) => {
      const request = https.get({ host: '127.0.0.1', port: secure.port, agent: secureAgent });
      await once(request, 'response');
      sockets.has(request.socket!).should.be.true();
    });
    secureAgent.destroy();
    await secure.close();
  });
});
