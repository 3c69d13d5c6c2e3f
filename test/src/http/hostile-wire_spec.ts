/** Malformed and endless HTTP: each yields a coded error in bounded time and memory. */
import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import type { ErrorCode } from '../../../src/errors';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { rejected } from '../../support/client/rejected';

describe('malformed HTTP', () => {
  let server: Server;
  let testClient: TestClient;
  let respond: (socket: Socket) => void;
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

  const head = (length: number | string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`;
  const endless = (start: string, piece: string) => (socket: Socket) => {
    socket.write(start);
    const more = (): void => {
      if (!socket.destroyed) socket.write(piece, () => setImmediate(more));
    };
    more();
  };

  const CASES: [string, (socket: Socket) => void, ErrorCode, text?: string, reason?: string][] = [
    [
      'a response that is not HTTP',
      (socket) => socket.write('220 mail.example.com ESMTP\r\n'),
      'bad_response',
    ],
    ['a connection closed without a response', (socket) => socket.end(), 'network'],
    [
      'a protocol upgrade',
      (socket) => socket.write('HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      'bad_response',
      'bad_response_protocol',
      'UPGRADE',
    ],
    [
      'a 101 without Upgrade',
      (socket) => socket.write('HTTP/1.1 101 X\r\n\r\n'),
      'bad_response',
      'bad_response_protocol',
      'UPGRADE',
    ],
    [
      'endless interim responses',
      endless('', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
      'bad_response',
      'bad_response_protocol',
      'INTERIM',
    ],
    [
      'endless headers',
      endless('HTTP/1.1 200 OK\r\n', 'X-More: yes\r\n'),
      'bad_response',
      'bad_response_protocol',
    ],
    [
      'an endless body',
      endless('HTTP/1.1 200 OK\r\n\r\n', ' '.repeat(65_536)),
      'bad_response',
      'bad_response_too_large',
    ],
    [
      'endless chunks',
      endless('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', `10000\r\n${' '.repeat(65_536)}\r\n`),
      'bad_response',
      'bad_response_too_large',
    ],
    [
      'an endless error response',
      endless('HTTP/1.1 404 No\r\n\r\n', ' '.repeat(65_536)),
      'bad_response',
      'bad_response_address',
    ],
    ['a Content-Length that is too large', (socket) => socket.end(`${head(100)}{"user":{}}`), 'network'],
    ['a Content-Length that is too small', (socket) => socket.end(`${head(5)}{"user":{}}`), 'bad_response'],
    [
      'two Content-Length headers',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 5\r\n\r\n{}`),
      'bad_response',
      'bad_response_protocol',
    ],
    [
      'an invalid Content-Length',
      (socket) => socket.write(`${head('many')}{}`),
      'bad_response',
      'bad_response_protocol',
    ],
    [
      'an invalid chunk size',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n'),
      'network',
    ],
    [
      'a truncated chunk',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n{"u'),
      'network',
    ],
    [
      'a status of 999',
      (socket) => socket.write('HTTP/1.1 999 No\r\nContent-Length: 0\r\n\r\n'),
      'service_unavailable',
    ],
  ];
  for (const [what, script, code, text, reason] of CASES) {
    it(`a request fails with ${text ?? code} for ${what}`, async () => {
      respond = script;
      const error = await rejected(testClient.client.getAbout('user'), code, text);
      if (reason) error.should.have.property('reason', reason);
      // The connection of a malformed response is closed.
      while (sockets.size > 0 && code !== 'service_unavailable') await new Promise(setImmediate);
    });
  }

  it('a request accepts up to 20 interim responses', async () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(20);
    respond = (socket) => socket.write(`${interim}${head(11)}{"user":{}}`);
    (await testClient.client.getAbout('user')).should.deepEqual({ user: {} });
  });
});
