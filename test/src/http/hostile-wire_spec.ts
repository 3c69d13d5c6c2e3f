/** Malformed and endless HTTP: each yields a coded error in bounded time and memory. */
import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import type { ErrorCode } from '../../../src/errors';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { rejected } from '../../support/client/rejected';

describe('malformed HTTP', () => {
  let server: Server;
  let testClient: TestClient;
  let respond: (socket: Socket) => unknown;
  const sockets = new Set<Socket>();

  beforeEach(async () => {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      socket.on('data', () => respond(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    testClient = createTestClient(url, { retryFor: 0, timeout: 500 });
  });
  afterEach(async () => {
    testClient.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  const OK = 'HTTP/1.1 200 OK\r\n';
  const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
  const SPACES = ' '.repeat(65_536);
  const head = (length: number | string): string => `${OK}Content-Length: ${length}\r\n\r\n`;
  const write = (text: string) => (socket: Socket) => socket.write(text);
  const end = (text: string) => (socket: Socket) => socket.end(text);
  const endless = (start: string, piece: string) => (socket: Socket) => {
    socket.write(start);
    const more = (): void => {
      if (!socket.destroyed) socket.write(piece, () => setImmediate(more));
    };
    more();
  };

  const UPGRADE = 'HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n';
  const EARLY_HINTS = 'HTTP/1.1 103 Early Hints\r\n\r\n';
  /** The text of each error, and its reason. */
  const CASES: [what: string, respond: (socket: Socket) => unknown, text: string, reason?: string][] = [
    ['a response that is not HTTP', write('220 mail.example.com ESMTP\r\n'), 'bad_response_protocol'],
    ['a connection closed without a response', end(''), 'network'],
    ['a protocol upgrade', write(UPGRADE), 'bad_response_protocol', 'UPGRADE'],
    ['a 101 without Upgrade', write('HTTP/1.1 101 X\r\n\r\n'), 'bad_response_protocol', 'UPGRADE'],
    ['endless interim responses', endless('', EARLY_HINTS), 'bad_response_protocol', 'INTERIM'],
    ['endless headers', endless(OK, 'X-More: yes\r\n'), 'bad_response_protocol'],
    ['an endless body', endless(`${OK}\r\n`, SPACES), 'bad_response_too_large'],
    ['endless chunks', endless(CHUNKED, `10000\r\n${SPACES}\r\n`), 'bad_response_too_large'],
    ['an endless error response', endless('HTTP/1.1 404 No\r\n\r\n', SPACES), 'bad_response_address'],
    ['a Content-Length that is too large', end(`${head(100)}{"user":{}}`), 'network'],
    ['a Content-Length that is too small', end(`${head(5)}{"user":{}}`), 'bad_response_no_json'],
    [
      'two Content-Length headers',
      write(`${OK}Content-Length: 2\r\n${head(5).slice(OK.length)}{}`),
      'bad_response_protocol',
    ],
    ['an invalid Content-Length', write(`${head('many')}{}`), 'bad_response_protocol'],
    ['an invalid chunk size', end(`${CHUNKED}xyz\r\n`), 'network'],
    ['a truncated chunk', end(`${CHUNKED}64\r\n{"u`), 'network'],
    ['a status of 999', write('HTTP/1.1 999 No\r\nContent-Length: 0\r\n\r\n'), 'service_unavailable'],
  ];
  for (const [what, script, text, reason] of CASES) {
    it(`a request fails with ${text} for ${what}`, async () => {
      respond = script;
      const code = text.startsWith('bad_response') ? 'bad_response' : (text as ErrorCode);
      const error = await rejected(testClient.client.getAbout('user'), code, text);
      if (reason) error.should.have.property('reason', reason);
      // The connection of a malformed response is closed.
      while (sockets.size > 0 && code !== 'service_unavailable') await new Promise(setImmediate);
    });
  }

  it('a request accepts up to 20 interim responses', async () => {
    const interim = EARLY_HINTS.repeat(20);
    respond = (socket) => socket.write(`${interim}${head(11)}{"user":{}}`);
    (await testClient.client.getAbout('user')).should.deepEqual({ user: {} });
  });
});
