import { type IncomingMessage, type ServerResponse, createServer, request as send } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, type Socket, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Certificate } from './certificates';

/** A proxy on this machine: CONNECT for https (RFC 9110 9.3.6), absolute URLs for http (RFC 9112 3.2.2). */
export class LocalProxy {
  /** `host:port` of each tunnel. */
  readonly tunnels: string[] = [];
  /** URLs of the http requests. */
  readonly forwardedUrls: string[] = [];
  /** The `Proxy-Authorization` of each request. */
  readonly credentials: (string | undefined)[] = [];
  /** URLs and headers of all requests, in which no token may appear. */
  receivedText = '';
  /** Status of the response to CONNECT; 200 opens the tunnel. */
  connectStatus = 200;
  /** Sends no response to CONNECT. */
  isSilent = false;
  /** Sends the response to CONNECT byte by byte, without end. */
  isTrickling = false;
  /** Port that every tunnel connects to; by default the requested one. */
  tunnelPort: number | undefined;
  private readonly sockets = new Set<Duplex>();

  private readonly server;

  private constructor(private readonly secure: Certificate | undefined) {
    this.server = secure ? createSecureServer(secure) : createServer();
    this.server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      this.forward(request, response),
    );
    this.server.on('connection', (socket: Socket) => this.track(socket));
    this.server.on('connect', (request: IncomingMessage, socket: Socket) => this.tunnel(request, socket));
  }

  /** @param secure the certificate for an https proxy on `localhost`; by default an http proxy is started */
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

  private track(socket: Duplex): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
  }

  private record(request: IncomingMessage): void {
    this.receivedText += `${request.url} ${JSON.stringify(request.rawHeaders)}\n`;
    this.credentials.push(request.headers['proxy-authorization']);
  }

  private tunnel(request: IncomingMessage, socket: Socket): void {
    this.record(request);
    this.tunnels.push(request.url ?? '');
    if (this.isSilent) return;
    if (this.isTrickling) return trickle(socket);
    if (this.connectStatus !== 200)
      return void socket.end(`HTTP/1.1 ${this.connectStatus} No\r\nContent-Length: 0\r\n\r\n`);
    const port = this.tunnelPort ?? Number(request.url?.split(':').pop());
    // Every host name stands for this machine.
    const target = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    this.track(target);
  }

  private forward(request: IncomingMessage, response: ServerResponse): void {
    this.record(request);
    this.forwardedUrls.push(request.url ?? '');
    const { 'proxy-authorization': _credentials, ...headers } = request.headers;
    const onward = send(request.url ?? '', { method: request.method, headers }, (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    });
    onward.on('error', () => response.writeHead(502).end());
    request.pipe(onward);
  }
}

function trickle(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nX-Endless: ');
  const timer = setInterval(() => socket.write('x'), 10);
  socket.once('close', () => clearInterval(timer));
}
