/**
 * Connects to https hosts through a proxy: CONNECT, then TLS inside the tunnel (RFC 9110 9.3.6). The agent reuses and
 * limits these connections like any others. The proxy sees the host and port only.
 */
import http from 'node:http';
import https from 'node:https';
import { type Socket, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { MAX_TIMER_DELAY, TimeLimit } from '../core/clock';
import { DriveError } from '../errors';
import { limitIdleTime } from './idle-timeout';
import { proxyCredentials, proxyError, unbracketed } from './proxy';

/** The options that Node's agent passes for a new connection. */
interface ConnectionOptions extends tls.ConnectionOptions {
  host: string;
  port: number;
  timeout?: number;
}

/** Statuses of temporary proxy errors. */
const TEMPORARY_STATUSES = [408, 429, 500, 502, 503, 504];
/** Times the idle timeout: the limit for the response to CONNECT. Headers that trickle in are never idle. */
const CONNECT_TIMEOUT_FACTOR = 10;

export class TunnelAgent extends https.Agent {
  /** CONNECT requests without a response. */
  private readonly pending = new Set<http.ClientRequest>();

  constructor(
    private readonly proxy: URL,
    options: https.AgentOptions,
  ) {
    super(options);
  }

  /** @param callback of Node's agent, called with the socket or with an error only */
  override createConnection(
    options: http.RequestOptions,
    callback: (error: Error | null, socket: Duplex) => void = () => undefined,
  ): undefined {
    const target = options as ConnectionOptions;
    const fail = callback as (error: Error) => void;
    const { host } = this.proxy;
    const request = this.connect(target);
    const giveUp = (): void => void request.destroy(new DriveError('timeout', { retryable: true }));
    const { timeout = MAX_TIMER_DELAY } = target;
    limitIdleTime(request, timeout, giveUp);
    const limit = new TimeLimit(CONNECT_TIMEOUT_FACTOR * timeout, giveUp);
    this.pending.add(request);
    request.once('close', () => {
      limit.stop();
      this.pending.delete(request);
    });
    request.once('connect', ({ statusCode = 0 }, socket: Socket) => {
      if (statusCode >= 200 && statusCode < 300) {
        callback(null, tls.connect({ ...target, path: undefined, socket: socket.setNoDelay() }));
      } else {
        socket.destroy();
        fail(proxyError(host, statusCode, TEMPORARY_STATUSES.includes(statusCode)));
      }
    });
    request.once('error', (error: NodeJS.ErrnoException) => {
      fail(error instanceof DriveError ? error : proxyError(host, error.code ?? 'unknown', true));
    });
    request.end();
  }

  override destroy(): void {
    for (const request of this.pending) request.destroy();
    super.destroy();
  }

  private connect({ host, port }: ConnectionOptions): http.ClientRequest {
    const { protocol, hostname, port: proxyPort } = this.proxy;
    const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const proxyHost = unbracketed(hostname);
    const credentials = proxyCredentials(this.proxy);
    const basic =
      credentials && Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
    return (protocol === 'https:' ? https : http).request({
      method: 'CONNECT',
      host: proxyHost,
      // By default, Node would use the target's name from `Host`.
      servername: isIP(proxyHost) ? '' : proxyHost,
      port: proxyPort || (protocol === 'https:' ? 443 : 80),
      path: authority,
      headers: { Host: authority, ...(basic ? { 'Proxy-Authorization': `Basic ${basic}` } : {}) },
      agent: false,
    });
  }
}
