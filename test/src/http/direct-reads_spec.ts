/** Content read past Node's parser. https://nodejs.org/api/net.html#socketconnectoptions-connectlistener */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import should from 'should';
import type { ByteSink } from '../../../src/http/byte-sink';
import { isHeld, readDirectly } from '../../../src/http/direct-reads';
import { ReadingHttpAgent } from '../../../src/http/reading-agents';
import { bytes } from '../../support/content';

const SIZE = 5_000_000;

describe('answers that are taken without the parser', () => {
  const content = bytes(SIZE);
  let agent: ReadingHttpAgent;
  let server: http.Server;
  let connections: number;
  let respond: (response: http.ServerResponse) => void;

  beforeEach(async () => {
    agent = new ReadingHttpAgent({ keepAlive: true });
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

  async function ask(): Promise<http.IncomingMessage> {
    const { port } = server.address() as AddressInfo;
    const request = http.get({ host: '127.0.0.1', port, agent });
    request.on('error', () => undefined);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    return response;
  }

  /** Keeps copies, as it must, and what the pieces were. */
  class Kept implements ByteSink {
    readonly pieces: Buffer[] = [];
    readonly memory = new Set<ArrayBufferLike>();
    waits = 0;
    write(piece: Buffer): boolean {
      this.pieces.push(Buffer.from(piece));
      this.memory.add(piece.buffer);
      return true;
    }
    drained(): Promise<void> {
      this.waits += 1;
      return Promise.resolve();
    }
    end(): Promise<void> {
      return Promise.resolve();
    }
    get all(): Buffer {
      return Buffer.concat(this.pieces);
    }
  }

  /** @returns bytes that came through the stream */
  async function taken(body: http.IncomingMessage, to: ByteSink): Promise<number> {
    let parsed = 0;
    readDirectly(body, to);
    body.on('data', (piece: Buffer) => {
      parsed += piece.length;
      to.write(piece);
    });
    await finished(body);
    return parsed;
  }

  /** Answers with a beginning. @returns what sends the rest */
  function begun(whole: Buffer, length: number): () => void {
    let sendRest = (): void => undefined;
    respond = (response) => {
      withLength(whole.subarray(0, length), whole.length)(response);
      sendRest = () => response.end(whole.subarray(length));
    };
    return () => sendRest();
  }

  it('are whole, come from one buffer, and end with their connection', async () => {
    respond = withLength(content);
    const to = new Kept();
    const body = await ask();
    const parsed = await taken(body, to);
    to.all.equals(content).should.be.true();
    parsed.should.be.below(SIZE / 2);
    body.complete.should.be.true();
    to.memory.size.should.be.below(10);
    to.waits.should.equal(0);
    (await taken(await ask(), new Kept())).should.be.below(SIZE / 2);
    connections.should.equal(2);
  });

  it('come through the stream, and leave the connection to the next, where they are small', async () => {
    respond = withLength(content.subarray(0, 100_000));
    for (let count = 0; count < 2; count++) {
      const to = new Kept();
      (await taken(await ask(), to)).should.equal(100_000);
      to.all.equals(content.subarray(0, 100_000)).should.be.true();
    }
    connections.should.equal(1);
  });

  it('come through the stream where they do not say their length', async () => {
    respond = (response) => {
      response.write(content.subarray(0, 1));
      response.end(content.subarray(1));
    };
    const to = new Kept();
    (await taken(await ask(), to)).should.equal(SIZE);
    to.all.equals(content).should.be.true();
  });

  it('come in order where more arrives while the stream still holds what came before', async () => {
    const sendRest = begun(content, 10_000);
    const body = await ask();
    while (body.readableLength === 0) await new Promise(setImmediate);
    const to = new Kept();
    const whole = taken(body, to);
    body.pause();
    sendRest();
    while (body.readableLength <= 10_000 && to.pieces.length === 0) await new Promise(setImmediate);
    body.resume();
    await whole;
    to.all.equals(content).should.be.true();
  });

  it('come through the stream while that is paused, though it holds nothing', async () => {
    const sendRest = begun(content, 1);
    const [body, to] = [await ask(), new Kept()];
    const whole = taken(body, to);
    while (to.pieces.length === 0) await new Promise(setImmediate);
    body.pause();
    sendRest();
    while (body.readableLength === 0 && to.pieces.length === 1) await new Promise(setImmediate);
    to.pieces.length.should.equal(1);
    body.resume();
    await whole;
    to.all.equals(content).should.be.true();
  });

  it('leave the connection to the next where little is left of them', async () => {
    const large = content.subarray(0, 1024 * 1024 + 1_000);
    for (let count = 0; count < 2; count++) {
      const sendRest = begun(large, 2_000);
      const to = new Kept();
      const whole = taken(await ask(), to);
      while (to.all.length < 2_000) await new Promise(setImmediate);
      sendRest();
      await whole;
      to.all.equals(large).should.be.true();
    }
    connections.should.equal(1);
  });

  it('are what a stream gives that is no answer itself, an unpacked one for one', async () => {
    const [stream, to] = [Readable.from([content]), new Kept()];
    readDirectly(stream, to);
    for await (const piece of stream) (piece as Buffer).equals(content).should.be.true();
    to.pieces.should.be.empty();
  });

  it('ask nothing more of who has given them up', async () => {
    respond = withLength(content);
    const [body, to] = [await ask(), new Kept()];
    to.write = (piece) => {
      to.pieces.push(piece);
      body.destroy();
      return false;
    };
    readDirectly(body, to);
    body.resume();
    await finished(body).should.be.rejected();
    [to.pieces.length, to.waits].should.deepEqual([1, 0]);
  });

  it('end no later than they say, whatever comes behind', async () => {
    respond = (response) => {
      response.socket?.write(`HTTP/1.1 200 OK\r\nContent-Length: ${SIZE}\r\n\r\n`);
      response.socket?.write(Buffer.concat([content, Buffer.from('more')]));
    };
    const to = new Kept();
    await taken(await ask(), to);
    to.all.equals(content).should.be.true();
  });

  it('fail as others do where the line breaks, with all that came', async () => {
    respond = (response) => {
      withLength(content, SIZE + 1)(response);
      response.once('drain', () => response.socket?.end());
    };
    const to = new Kept();
    await taken(await ask(), to).should.be.rejectedWith({ code: 'ECONNRESET' });
    to.all.equals(content).should.be.true();
  });

  it('are not read on until who takes them is ready', async () => {
    respond = withLength(content);
    const body = await ask();
    const held: boolean[] = [];
    let waiting = 0;
    class Slow extends Kept {
      override write(piece: Buffer): boolean {
        should(waiting).equal(0);
        super.write(piece);
        return false;
      }
      override async drained(): Promise<void> {
        waiting += 1;
        await new Promise(setImmediate);
        held.push(isHeld(body.socket));
        waiting -= 1;
      }
    }
    const to = new Slow();
    await taken(body, to);
    to.all.equals(content).should.be.true();
    held.length.should.be.above(5);
    held.every(Boolean).should.be.true();
    isHeld(body.socket).should.be.false();
  });

  it('end at once when their stream is destroyed while they wait', async () => {
    respond = withLength(content);
    const body = await ask();
    let isOver = (): void => undefined;
    const to = {
      write: () => false,
      drained: () => new Promise<void>((done) => (isOver = done)),
      end: () => Promise.resolve(),
    };
    readDirectly(body, to);
    const came = once(body, 'data');
    body.resume();
    await came;
    while (!isHeld(body.socket)) await new Promise(setImmediate);
    body.destroy(new Error('cancelled'));
    await finished(body).should.be.rejectedWith('cancelled');
    isOver();
    body.socket.destroyed.should.be.true();
  });
});
