import { type IncomingMessage, type ServerResponse, createServer, request as send } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, type Socket, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Certificate } from './certificates';

/** A proxy on this machine: CONNECT for tunnels, absolute addresses for plain http. RFC 9110 9.3.6, RFC 9112 3.2.2 */
export class LocalProxy {
  /** `host:port` of each tunnel. */
  readonly tunnels: string[] = [];
  /** Addresses of the plain requests. */
  readonly forwardedUrls: string[] = [];
  /** What came as `Proxy-Authorization`. */
  readonly credentials: (string | undefined)[] = [];
  /** Everything that came in plain text but the bytes in tunnels: a token has no place there. */
  receivedText = '';
  /** Status with which tunnels are refused; 200 opens them. */
  connectStatus = 200;
  /** Neither opens nor refuses. */
  isSilent = false;
  /** Where every tunnel leads; without it to the port that is asked for. */
  tunnelPort: number | undefined;
  private readonly sockets = new Set<Duplex>();

  private readonly server;

  private constructor(private readonly secure: Certificate | undefined) {
    this.server = secure ? createSecureServer(secure) : createServer();
    this.server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      this.forward(request, response),
    );
    this.server.on('connection', (socket: Socket) => this.keep(socket));
    this.server.on('connect', (request: IncomingMessage, socket: Socket) => this.tunnel(request, socket));
  }

  /** @param secure with which it is spoken to over TLS, as `localhost` */
  static async start(secure?: Certificate): Promise<LocalProxy> {
    const proxy = new LocalProxy(secure);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return this.secure ? `https://localhost:${this.port}` : `http://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private keep(socket: Duplex): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
  }

  private note(request: IncomingMessage): void {
    this.receivedText += `${request.url} ${JSON.stringify(request.rawHeaders)}\n`;
    this.credentials.push(request.headers['proxy-authorization']);
  }

  private tunnel(request: IncomingMessage, socket: Socket): void {
    this.note(request);
    this.tunnels.push(request.url ?? '');
    if (this.isSilent) return;
    if (this.connectStatus !== 200)
      return void socket.end(`HTTP/1.1 ${this.connectStatus} No\r\nContent-Length: 0\r\n\r\n`);
    const port = this.tunnelPort ?? Number(request.url?.split(':').pop());
    // Whatever the name, it is this machine.
    const target = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    this.keep(target);
  }

  private forward(request: IncomingMessage, response: ServerResponse): void {
    this.note(request);
    this.forwardedUrls.push(request.url ?? '');
    const { 'proxy-authorization': _person, ...headers } = request.headers;
    const onward = send(request.url ?? '', { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.writeHead(502).end());
    request.pipe(onward);
  }
}
