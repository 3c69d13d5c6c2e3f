/** Silence ends a request: while it connects, sends, waits and reads. Slowness doesn't. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { readDirectly } from '../../../src/http/direct-reads';
import { HttpClient, type HttpRequest } from '../../../src/http/client';
import { readAll } from '../../../src/http/json';
import { transportError } from '../../../src/http/transport-error';
import { rejected } from '../../support/client/rejected';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

const TIMEOUT = 150;
/** Where much is moved: a busy machine lets that wait. What waits 1.5 times as long has time left till the next end. */
const PATIENT = 600;

describe('time-outs', () => {
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

  async function whole(request: Partial<HttpRequest> = {}): Promise<Buffer> {
    const { body } = await http.send({ method: 'GET', url, ...request });
    try {
      return await readAll(body, 1e8);
    } catch (error) {
      throw transportError(error, undefined, body);
    }
  }
  const timesOut = async (work: Promise<unknown>): Promise<void> => {
    (await rejected(work, 'timeout')).retryable.should.be.true();
    // Nothing is left of it.
    while (sockets.size > 0) await new Promise(setImmediate);
  };

  it('headers that never come', async () => {
    serve = (socket) => socket.resume();
    await timesOut(whole());
  });

  it('headers that stop in the middle', async () => {
    serve = (socket) => socket.resume().write('HTTP/1.1 200 OK\r\nContent-Le');
    await timesOut(whole());
  });

  it('a body that stops in the middle', async () => {
    serve = (socket) => socket.resume().write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
    await timesOut(whole());
  });

  it('an upload that nobody reads', async () => {
    serve = (socket) => void socket.pause();
    const open = (): Readable => Readable.from(Array.from({ length: 64 }, () => Buffer.alloc(1_000_000)));
    const work = whole({ method: 'PUT', body: { length: 64e6, open } });
    (await rejected(work, 'timeout')).retryable.should.be.true();
  });

  it('a connection that nobody accepts', async () => {
    const [child, port] = await deaf();
    const fill = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    try {
      const work = http.send({ method: 'GET', url: `http://127.0.0.1:${port}` });
      (await rejected(work, 'timeout')).retryable.should.be.true();
    } finally {
      for (const socket of fill) socket.destroy();
      child.kill('SIGKILL');
    }
  });

  it('do not end what is slow but moves, either way', async () => {
    const steps = 8;
    const content = Buffer.from(Array.from({ length: steps }, (_, index) => index + 1));
    const every = TIMEOUT / 3;
    const slowly = async function* (): AsyncGenerator<Buffer> {
      for (let index = 0; index < steps; index++) {
        await pause(every);
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
    const begun = performance.now();
    const open = (): Readable => Readable.from(slowly());
    const answer = await whole({ method: 'PUT', body: { length: steps, open } });
    answer.equals(content).should.be.true();
    received.should.be.above(steps);
    (performance.now() - begun).should.be.above(3 * TIMEOUT);
  });

  /** Asks for content as it is stored. */
  async function patiently(content: Buffer): Promise<Readable> {
    const head = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${content.length}\r\n\r\n`);
    serve = (socket) => socket.resume().write(Buffer.concat([head, content]));
    http.close();
    http = new HttpClient({ timeout: PATIENT });
    const headers = { 'Accept-Encoding': 'identity' };
    return (await http.send({ method: 'GET', url, headers })).body;
  }

  it('do not end what has come and waits to be read', async () => {
    const content = Buffer.alloc(2 * 1024 * 1024, 'x');
    const body = await patiently(content);
    await pause(1.5 * PATIENT);
    (await readAll(body, 1e8)).equals(content).should.be.true();
  });

  it('do not end what its taker is not ready for', async () => {
    const length = 20 * 1024 * 1024;
    const body = await patiently(Buffer.alloc(length));
    let [came, waits] = [0, 0];
    const write = (piece: Buffer): boolean => (came += piece.length) < length / 2 || waits > 0;
    const drained = (): Promise<void> => ((waits += 1), pause(1.5 * PATIENT));
    readDirectly(body, { write, drained, end: () => Promise.resolve() });
    body.on('data', write);
    await finished(body);
    [came, waits].should.deepEqual([length, 1]);
  });

  it('count silence from when more is asked for, not while what has come waits to be read', async () => {
    const [first, rest] = [Buffer.alloc(100_000, 'x'), Buffer.alloc(10, 'y')];
    let sendRest = (): unknown => undefined;
    serve = (socket) => {
      socket.resume().write(`HTTP/1.1 200 OK\r\nContent-Length: ${first.length + rest.length}\r\n\r\n`);
      socket.write(first);
      sendRest = () => socket.write(rest);
    };
    http.close();
    http = new HttpClient({ timeout: PATIENT });
    const { body } = await http.send({ method: 'GET', url });
    await pause(0.7 * PATIENT);
    const read = readAll(body, 1e8);
    await pause(0.6 * PATIENT);
    sendRest();
    (await read).equals(Buffer.concat([first, rest])).should.be.true();
  });

  it('come with connections that are bounded, and closed in the end', async () => {
    http.close();
    http = new HttpClient({ timeout: 10_000 });
    serve = (socket) =>
      socket.on('data', () =>
        setImmediate(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')),
      );
    let most = 0;
    server.on('connection', () => (most = Math.max(most, sockets.size)));
    await Promise.all(Array.from({ length: 100 }, () => whole()));
    most.should.equal(16);
    sockets.size.should.be.within(1, 16);
    http.close();
    while (sockets.size > 0) await new Promise(setImmediate);
  });
});

/** Real time has to pass where a transfer is to be slow. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A process that listens, with a queue of one, and never accepts: it does nothing at all any more. */
async function deaf(): Promise<[ChildProcess, number]> {
  const source = `
    const server = require('node:net').createServer().listen(0, '127.0.0.1', 1, () => {
      require('node:fs').writeSync(1, server.address().port + '\\n');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const child = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return [child, Number(line.toString())];
}
