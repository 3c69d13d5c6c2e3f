/** The idle timeout while connecting, sending, waiting and reading. A slow transfer doesn't time out. */
import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { readDirectly } from '../../../src/http/direct-reads';
import { HttpClient, type HttpRequest } from '../../../src/http/client';
import { readAll } from '../../../src/http/json';
import { transportError } from '../../../src/http/transport-error';
import { blockEventLoop } from '../../support/block-event-loop';
import { rejected } from '../../support/client/rejected';
import { startUnresponsiveHost } from '../../support/http/silent-host';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

const TIMEOUT = 150;
/** For large transfers, which a busy machine delays. */
const LONG_TIMEOUT = 600;

describe('HttpClient timeout', () => {
  let server: Server;
  let http: HttpClient;
  let url: string;
  let serve: (socket: Socket) => void;
  const sockets = new Set<Socket>();

  beforeEach(async () => {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      serve(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    http = new HttpClient({ timeout: TIMEOUT });
  });
  afterEach(async () => {
    http.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  async function readWhole(request: Partial<HttpRequest> = {}): Promise<Buffer> {
    const { body } = await http.send({ method: 'GET', url, ...request });
    try {
      return await readAll(body, 1e8);
    } catch (error) {
      throw transportError(error, undefined, body);
    }
  }
  const timesOut = async (work: Promise<unknown>): Promise<void> => {
    (await rejected(work, 'timeout')).retryable.should.be.true();
    // The connection is closed.
    while (sockets.size > 0) await new Promise(setImmediate);
  };

  it('a request times out if no headers arrive', async () => {
    serve = (socket) => socket.resume();
    await timesOut(readWhole());
  });

  it('a request times out if its response headers stop', async () => {
    serve = (socket) => socket.resume().write('HTTP/1.1 200 OK\r\nContent-Le');
    await timesOut(readWhole());
  });

  it('a response body times out if it stops', async () => {
    serve = (socket) => socket.resume().write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
    await timesOut(readWhole());
  });

  it('an upload times out if the service does not read it', async () => {
    serve = (socket) => void socket.pause();
    const open = (): Readable => Readable.from(Array.from({ length: 64 }, () => Buffer.alloc(1_000_000)));
    const work = readWhole({ method: 'PUT', body: { length: 64e6, open } });
    (await rejected(work, 'timeout')).retryable.should.be.true();
  });

  it('a connection times out if the server does not accept it', async () => {
    const { host, close } = await startUnresponsiveHost();
    try {
      const work = http.send({ method: 'GET', url: `http://${host}` });
      (await rejected(work, 'timeout')).retryable.should.be.true();
    } finally {
      close();
    }
  });

  it('a request has the shorter timeout of its own and of the client, also for a body that stops', async () => {
    serve = (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf');
    for (const [ofClient, timeout] of [
      [60_000, TIMEOUT],
      [TIMEOUT, 60_000],
    ] as const) {
      const client = new HttpClient({ timeout: ofClient });
      const { body, bodyTimeout } = await client.send({ method: 'GET', url, timeout });
      const read = readAll(body, 100, bodyTimeout).catch((error: unknown) => {
        throw transportError(error, undefined, body);
      });
      await rejected(read, 'timeout');
      client.close();
    }
  });

  it('a slow request and response that keep moving do not time out', async () => {
    const steps = 8;
    const content = Buffer.from(Array.from({ length: steps }, (_, index) => index + 1));
    const interval = TIMEOUT / 3;
    const slowly = async function* (): AsyncGenerator<Buffer> {
      for (let index = 0; index < steps; index++) {
        await pause(interval);
        yield content.subarray(index, index + 1);
      }
    };
    let received = 0;
    serve = (socket) => {
      socket.on('data', (chunk) => {
        received += chunk.length;
        if (!chunk.includes(content.subarray(-1))) return;
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${steps}\r\n\r\n`);
        void (async () => {
          for await (const chunk of slowly()) socket.write(chunk);
        })();
      });
    };
    const start = performance.now();
    const open = (): Readable => Readable.from(slowly());
    const response = await readWhole({ method: 'PUT', body: { length: steps, open } });
    response.equals(content).should.be.true();
    received.should.be.above(steps);
    (performance.now() - start).should.be.above(3 * TIMEOUT);
  });

  it('an upload does not time out while the service reads a large chunk slowly', async () => {
    const chunk = Buffer.alloc(24 * 1024 * 1024);
    serve = (socket) => {
      let [received, allowed] = [0, 0];
      const allowMore = setInterval(() => ((allowed += 1024 * 1024), socket.resume()), LONG_TIMEOUT / 10);
      socket.on('data', ({ length }) => {
        received += length;
        if (received >= allowed) socket.pause();
        if (received > chunk.length) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
      });
      socket.on('close', () => clearInterval(allowMore));
    };
    http.close();
    http = new HttpClient({ timeout: LONG_TIMEOUT });
    (await readWhole({ method: 'PUT', body: chunk })).toString().should.equal('{}');
  });

  it('a response that arrives while the event loop is blocked does not time out', async () => {
    serve = (socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
        blockEventLoop(2 * TIMEOUT);
      });
    (await readWhole()).toString().should.equal('{}');
  });

  it('a body that arrives while the event loop is blocked does not time out', async () => {
    let sendBody = (): unknown => undefined;
    serve = (socket) => {
      socket.resume().write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n');
      sendBody = () => socket.write('{}');
    };
    const { body } = await http.send({ method: 'GET', url });
    const read = readAll(body, 100);
    sendBody();
    blockEventLoop(2 * TIMEOUT);
    (await read).toString().should.equal('{}');
  });

  it('headers that arrive while the event loop is blocked for longer than their limit do not time out', async () => {
    http.close();
    http = new HttpClient({ timeout: TIMEOUT / 10 });
    serve = (socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
        blockEventLoop(2 * TIMEOUT);
      });
    (await readWhole()).toString().should.equal('{}');
  });

  /** Requests content with the long timeout. */
  async function getContent(content: Buffer): Promise<Readable> {
    const head = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${content.length}\r\n\r\n`);
    serve = (socket) => socket.resume().write(Buffer.concat([head, content]));
    http.close();
    http = new HttpClient({ timeout: LONG_TIMEOUT });
    const headers = { 'Accept-Encoding': 'identity' };
    return (await http.send({ method: 'GET', url, headers })).body;
  }

  it('a received body does not time out while it waits to be read', async () => {
    const content = Buffer.alloc(2 * 1024 * 1024, 'x');
    const body = await getContent(content);
    await pause(1.5 * LONG_TIMEOUT);
    (await readAll(body, 1e8)).equals(content).should.be.true();
  });

  it('a direct read does not time out while its sink is full', async () => {
    const length = 20 * 1024 * 1024;
    const body = await getContent(Buffer.alloc(length));
    let [received, waits] = [0, 0];
    const write = (piece: Buffer): boolean => (received += piece.length) < length / 2 || waits > 0;
    const drained = (): Promise<void> => ((waits += 1), pause(1.5 * LONG_TIMEOUT));
    readDirectly(body, { write, drained, end: () => Promise.resolve() });
    body.on('data', write);
    await finished(body);
    [received, waits].should.deepEqual([length, 1]);
  });

  it('the idle timeout starts when more data is requested, not while received data waits to be read', async () => {
    const [first, rest] = [Buffer.alloc(100_000, 'x'), Buffer.alloc(10, 'y')];
    let sendRest = (): unknown => undefined;
    serve = (socket) => {
      socket.resume().write(`HTTP/1.1 200 OK\r\nContent-Length: ${first.length + rest.length}\r\n\r\n`);
      socket.write(first);
      sendRest = () => socket.write(rest);
    };
    http.close();
    http = new HttpClient({ timeout: LONG_TIMEOUT });
    const { body } = await http.send({ method: 'GET', url });
    await pause(0.7 * LONG_TIMEOUT);
    const read = readAll(body, 1e8);
    await pause(0.6 * LONG_TIMEOUT);
    sendRest();
    (await read).equals(Buffer.concat([first, rest])).should.be.true();
  });

  it('HttpClient opens at most 16 connections and closes them at the end', async () => {
    http.close();
    http = new HttpClient({ timeout: 10_000 });
    serve = (socket) =>
      socket.on('data', () =>
        setImmediate(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')),
      );
    let peak = 0;
    server.on('connection', () => (peak = Math.max(peak, sockets.size)));
    await Promise.all(Array.from({ length: 100 }, () => readWhole()));
    peak.should.equal(16);
    sockets.size.should.be.within(1, 16);
    http.close();
    while (sockets.size > 0) await new Promise(setImmediate);
  });
});

/** A slow transfer needs real time. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
