/**
 * Connections to https hosts through a proxy: CONNECT, then TLS inside the tunnel. They are reused and limited as those
 * of any agent. The proxy learns the name of the host and nothing else. RFC 9110 9.3.6
 */
import http from 'node:http';
import https from 'node:https';
import { type Socket, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { MAX_TIMER_DELAY } from '../concurrency/clock';
import { DriveError } from '../errors';
import { proxyCredentials, proxyError, unbracketed } from './proxy';

/** The options that Node's agent passes for a new connection. */
interface ConnectionOptions extends tls.ConnectionOptions {
  host: string;
  port: number;
  timeout?: number;
}

/** Statuses of a proxy that may be temporary. */
const TEMPORARY_STATUSES = [408, 429, 500, 502, 503, 504];
/** Times the idle timeout: the limit for the whole response to CONNECT, which may trickle in. */
const CONNECT_TIMEOUT_FACTOR = 10;

export class TunnelAgent extends https.Agent {
  private readonly pending = new Set<http.ClientRequest>();

  constructor(
    private readonly proxy: URL,
    options: https.AgentOptions,
  ) {
    super(options);
  }

  /** @param callback of Node's agent, which accepts the socket, or an error alone */
  override createConnection(
    options: http.RequestOptions,
    callback: (error: Error | null, socket: Duplex) => void = () => undefined,
  ): undefined {
    const target = options as ConnectionOptions;
    const fail = callback as (error: Error) => void;
    const { host } = this.proxy;
    const request = this.connect(target);
    const giveUp = (): unknown => request.destroy(new DriveError('timeout', { retryable: true }));
    const { timeout = 0 } = target;
    const delay = Math.min(CONNECT_TIMEOUT_FACTOR * timeout || MAX_TIMER_DELAY, MAX_TIMER_DELAY);
    const timer = setTimeout(giveUp, delay);
    this.pending.add(request);
    request.once('close', () => {
      clearTimeout(timer);
      this.pending.delete(request);
    });
    request.once('connect', ({ statusCode = 0 }, socket: Socket) => {
      if (statusCode >= 200 && statusCode < 300) {
        callback(null, tls.connect({ ...target, path: undefined, socket }));
      } else {
        socket.destroy();
        fail(proxyError(host, statusCode, TEMPORARY_STATUSES.includes(statusCode)));
      }
    });
    request.once('timeout', giveUp);
    request.once('error', (error: NodeJS.ErrnoException) => {
      fail(error instanceof DriveError ? error : proxyError(host, error.code ?? 'unknown', true));
    });
    request.end();
  }

  override destroy(): void {
    for (const request of this.pending) request.destroy();
    super.destroy();
  }

  private connect({ host, port, timeout }: ConnectionOptions): http.ClientRequest {
    const { protocol, hostname, port: proxyPort } = this.proxy;
    const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const proxyHost = unbracketed(hostname);
    const user = proxyCredentials(this.proxy);
    const basic = user && Buffer.from(`${user.username}:${user.password}`).toString('base64');
    return (protocol === 'https:' ? https : http).request({
      method: 'CONNECT',
      host: proxyHost,
      // Node would use the name from `Host`, which is that of the target.
      servername: isIP(proxyHost) ? '' : proxyHost,
      port: proxyPort || (protocol === 'https:' ? 443 : 80),
      path: authority,
      headers: { Host: authority, ...(basic ? { 'Proxy-Authorization': `Basic ${basic}` } : {}) },
      agent: false,
      timeout,
    });
  }
}
