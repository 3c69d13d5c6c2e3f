/**
 * Connections to https hosts through a proxy: CONNECT, then TLS inside, kept and bounded like any others.
 * RFC 9110 9.3.6. The proxy sees the host's name and nothing else.
 */
import http from 'node:http';
import https from 'node:https';
import { type Socket, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { DriveError } from '../errors';
import { unbracketed, proxyCredentials, proxyError } from './proxy';

/** What Node's agent gives for a new connection, besides what TLS takes. */
interface Target extends tls.ConnectionOptions {
  host: string;
  port: number;
  timeout?: number;
}

/** Statuses with which a proxy says that it may work later. */
const PASSING = [408, 429, 500, 502, 503, 504];

export class TunnelAgent extends https.Agent {
  private readonly opening = new Set<http.ClientRequest>();

  constructor(
    private readonly proxy: URL,
    options: https.AgentOptions,
  ) {
    super(options);
  }

  /** Called by Node's agent, which takes the socket, or an error alone, from `created`. */
  override createConnection(
    options: http.RequestOptions,
    created: (error: Error | null, socket: Duplex) => void = () => undefined,
  ): undefined {
    const target = options as Target;
    const failed = created as (error: Error) => void;
    const { host } = this.proxy;
    const request = this.connect(target);
    this.opening.add(request);
    request.once('close', () => this.opening.delete(request));
    request.once('connect', ({ statusCode = 0 }, socket: Socket) => {
      if (statusCode >= 200 && statusCode < 300) {
        created(null, tls.connect({ ...target, path: undefined, socket }));
      } else {
        socket.destroy();
        failed(proxyError(host, statusCode, PASSING.includes(statusCode)));
      }
    });
    request.once('timeout', () => request.destroy(new DriveError('timeout', { retryable: true })));
    request.once('error', (error: NodeJS.ErrnoException) => {
      failed(error instanceof DriveError ? error : proxyError(host, error.code ?? 'unknown', true));
    });
    request.end();
  }

  override destroy(): void {
    for (const request of this.opening) request.destroy();
    super.destroy();
  }

  private connect({ host, port, timeout }: Target): http.ClientRequest {
    const { protocol, hostname, port: proxyPort } = this.proxy;
    const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const address = unbracketed(hostname);
    const person = proxyCredentials(this.proxy);
    const basic = person && Buffer.from(`${person.username}:${person.password}`).toString('base64');
    return (protocol === 'https:' ? https : http).request({
      method: 'CONNECT',
      host: address,
      // Node would take it from `Host`, and that is the other end's.
      servername: isIP(address) ? '' : address,
      port: proxyPort || (protocol === 'https:' ? 443 : 80),
      path: authority,
      headers: { Host: authority, ...(basic ? { 'Proxy-Authorization': `Basic ${basic}` } : {}) },
      agent: false,
      ...(timeout === undefined ? {} : { timeout }),
    });
  }
}
