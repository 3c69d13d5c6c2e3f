/** A reverse proxy on this machine that shows a server under a path of its own, as people put Node-RED behind one. */
import {
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
  createServer,
  request as send,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export interface PathProxy {
  /** Of the path, without a slash at the end. */
  url: string;
  close(): Promise<void>;
}

/**
 * @param host `kept`: the server gets the Host that the browser sent; `forwarded`: its own, and the browser's as
 * X-Forwarded-Host
 */
export async function startPathProxy(
  target: string,
  path: string,
  host: 'kept' | 'forwarded',
): Promise<PathProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Duplex>();
  const forward = ({ method, url = '', headers }: IncomingMessage) => {
    const own = { host: `${hostname}:${port}`, 'x-forwarded-host': headers.host };
    return send({
      ...{ hostname, port, method, path: url.slice(path.length) || '/' },
      headers: host === 'kept' ? headers : { ...headers, ...own },
    });
  };
  const server = createServer((request, response) => {
    if (!request.url?.startsWith(`${path}/`)) return void response.writeHead(404).end();
    answerBy(forward(request), request, response);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    open.add(socket);
    joinTo(forward(request), socket, head, (other) => open.add(other));
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

function answerBy(onward: ClientRequest, request: IncomingMessage, response: ServerResponse): void {
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}

/** Joins a browser's web socket to the server's. */
function joinTo(
  onward: ClientRequest,
  socket: Duplex,
  head: Buffer,
  onJoined: (other: Duplex) => void,
): void {
  onward.on('upgrade', ({ rawHeaders }, other) => {
    onJoined(other);
    const lines = rawHeaders.flatMap((name, at) => (at % 2 ? [] : [`${name}: ${rawHeaders[at + 1]}`]));
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
    for (const each of [socket, other]) each.on('error', () => each.destroy());
    socket.pipe(other).pipe(socket);
    other.write(head);
  });
  onward.on('error', () => socket.destroy());
  onward.end();
}
