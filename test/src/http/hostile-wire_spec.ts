/** What is hardly HTTP: each comes to a coded error, in bounded time and memory. */
import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import type { ErrorCode } from '../../../src/errors';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { rejected } from '../../support/client/rejected';

describe('answers that are hardly HTTP', () => {
  let server: Server;
  let testClient: TestClient;
  let answer: (socket: Socket) => void;
  const sockets = new Set<Socket>();

  beforeEach(async () => {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      socket.on('data', () => answer(socket));
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

  const WIRES: [string, (socket: Socket) => void, ErrorCode, text?: string, reason?: string][] = [
    ['no HTTP at all', (socket) => socket.write('220 mail.example.com ESMTP\r\n'), 'bad_response'],
    ['nothing, and closed', (socket) => socket.end(), 'network'],
    [
      'a change of protocol',
      (socket) => socket.write('HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      'bad_response',
      'bad_response_protocol',
      'UPGRADE',
    ],
    [
      '101 that changes nothing',
      (socket) => socket.write('HTTP/1.1 101 X\r\n\r\n'),
      'bad_response',
      'bad_response_protocol',
      'UPGRADE',
    ],
    [
      'interim answers for ever',
      endless('', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
      'bad_response',
      'bad_response_protocol',
      'INTERIM',
    ],
    [
      'headers for ever',
      endless('HTTP/1.1 200 OK\r\n', 'X-More: yes\r\n'),
      'bad_response',
      'bad_response_protocol',
    ],
    [
      'a body for ever',
      endless('HTTP/1.1 200 OK\r\n\r\n', ' '.repeat(65_536)),
      'bad_response',
      'bad_response_too_large',
    ],
    [
      'chunks for ever',
      endless('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', `10000\r\n${' '.repeat(65_536)}\r\n`),
      'bad_response',
      'bad_response_too_large',
    ],
    [
      'an error for ever',
      endless('HTTP/1.1 404 No\r\n\r\n', ' '.repeat(65_536)),
      'bad_response',
      'bad_response_address',
    ],
    ['a length that is too long', (socket) => socket.end(`${head(100)}{"user":{}}`), 'network'],
    ['a length that is too short', (socket) => socket.end(`${head(5)}{"user":{}}`), 'bad_response'],
    [
      'two lengths',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 5\r\n\r\n{}`),
      'bad_response',
      'bad_response_protocol',
    ],
    [
      'a length that is none',
      (socket) => socket.write(`${head('many')}{}`),
      'bad_response',
      'bad_response_protocol',
    ],
    [
      'chunks that are none',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n'),
      'network',
    ],
    [
      'chunks that end in their middle',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n{"u'),
      'network',
    ],
    [
      'a status of 999',
      (socket) => socket.write('HTTP/1.1 999 No\r\nContent-Length: 0\r\n\r\n'),
      'service_unavailable',
    ],
  ];
  for (const [what, script, code, text, reason] of WIRES) {
    it(`${what}: ${text ?? code}`, async () => {
      answer = script;
      const error = await rejected(testClient.client.getAbout('user'), code, text);
      if (reason) error.should.have.property('reason', reason);
      // A connection that can't be understood is not used again.
      while (sockets.size > 0 && code !== 'service_unavailable') await new Promise(setImmediate);
    });
  }

  it('interim answers that have an end are no harm', async () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(20);
    answer = (socket) => socket.write(`${interim}${head(11)}{"user":{}}`);
    (await testClient.client.getAbout('user')).should.deepEqual({ user: {} });
  });
});
