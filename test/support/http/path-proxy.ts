/** A reverse proxy that serves Node-RED under a path, as many installations do. */
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
  createServer,
  request as send,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export interface PathProxy {
  /** Includes the path, without a trailing slash. */
  url: string;
  close(): Promise<void>;
}

/** @returns the headers for the server */
type RewriteHeaders = (headers: IncomingHttpHeaders, target: URL) => OutgoingHttpHeaders;

export const HOSTS = {
  /** The server gets the browser's Host. */
  preserved: (headers) => headers,
  /** The server gets its own Host, and the browser's as X-Forwarded-Host. */
  forwarded: (headers, { host }) => ({ ...headers, host, 'x-forwarded-host': headers.host }),
} satisfies Record<string, RewriteHeaders>;

export interface PathProxyOptions {
  /** The path that browsers see; the server gets requests without it. */
  path: string;
  headers: RewriteHeaders;
  /** Answers a request itself. @returns whether it did */
  answer?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export async function startPathProxy(
  target: string,
  { path, headers: rewrite, answer = () => false }: PathProxyOptions,
): Promise<PathProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Duplex>();
  const forward = ({ method, url = '', headers }: IncomingMessage) =>
    send({
      ...{ hostname, port, method, path: url.slice(path.length) || '/' },
      headers: rewrite(headers, new URL(target)),
    });
  const server = createServer((request, response) => {
    if (answer(request, response)) return;
    if (!request.url?.startsWith(`${path}/`)) return void response.writeHead(404).end();
    forwardResponse(forward(request), request, response);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    open.add(socket);
    connectWebSocket(forward(request), socket, head, (other) => open.add(other));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    close: () => {
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function forwardResponse(onward: ClientRequest, request: IncomingMessage, response: ServerResponse): void {
  onward.on('response', (received) => {
    response.writeHead(received.statusCode ?? 502, received.headers);
    received.pipe(response);
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}

/** Connects the browser's WebSocket to the server's. */
function connectWebSocket(
  onward: ClientRequest,
  socket: Duplex,
  head: Buffer,
  onConnected: (other: Duplex) => void,
): void {
  onward.on('upgrade', ({ rawHeaders }, other) => {
    onConnected(other);
    const lines = rawHeaders.flatMap((name, at) => (at % 2 ? [] : [`${name}: ${rawHeaders[at + 1]}`]));
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
    for (const each of [socket, other]) each.on('error', () => each.destroy());
    socket.pipe(other).pipe(socket);
    other.write(head);
  });
  onward.on('error', () => socket.destroy());
  onward.end();
}
