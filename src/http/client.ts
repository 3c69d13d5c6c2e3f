/**
 * One HTTP request, by way of axios. Knows nothing of tokens, retries or the service.
 * Redirects are never followed, and answers always come as streams.
 */
import type http from 'node:http';
import { Readable } from 'node:stream';
import type { AxiosProxyConfig } from 'axios';
import { cancelled } from '../errors';
import type { Transport } from './transport';
import { type RequestState, transportError, attachRequestState } from './transport-error';
import { Semaphore } from '../concurrency/semaphore';
import { proxyCredentials, proxyFor } from './proxy';

/** A body that can be sent more than once: each call opens it again from its beginning. */
export interface BodySource {
  /** Bytes; undefined where it isn't known, then it is sent chunked. */
  length: number | undefined;
  open(): Readable;
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer | BodySource;
  signal?: AbortSignal | undefined;
  /** Goes over a new connection: one that was kept may be closing at the other end just now. RFC 9110 9.2.2. */
  freshConnection?: boolean;
}

export interface HttpResponse {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  /** Must be read to its end or destroyed. */
  body: Readable;
  /** ms in which an answer that is read whole has to be there. A file's content may take its time. */
  bodyTimeout: number;
}

export interface HttpClientOptions {
  /** ms: for connecting, and for silence on the line in either direction. */
  timeout: number;
  /** Whether connections are used again, default true. */
  keepAlive?: boolean;
}

/** Of the time-out: what a page of a list, or a token, may take on a slow line. */
const PATIENCE = 10;

/** To one host; the rest wait. */
const SOCKETS = { maxSockets: 16, maxFreeSockets: 16 };

export class HttpClient {
  private readonly sockets: http.AgentOptions;
  private opened: Transport | undefined;
  private freshConnection: HttpClient | undefined;
  /** Node's agent doesn't count connections while they are made, and through a proxy that takes its time. */
  private readonly tunnelled = new Semaphore(SOCKETS.maxSockets);

  constructor(private readonly options: HttpClientOptions) {
    this.sockets = { ...SOCKETS, keepAlive: options.keepAlive ?? true };
  }

  /**
   * @returns the answer, whatever its status
   * @throws `network`, `timeout`, `cancelled`. An error of the answer's stream goes through {@link transportError}.
   */
  async send(request: HttpRequest): Promise<HttpResponse> {
    if (request.signal?.aborted) throw cancelled();
    if (request.freshConnection && this.sockets.keepAlive) {
      this.freshConnection ??= new HttpClient({ ...this.options, keepAlive: false });
      // An agent of bounded size would give the connection to the next who waits.
      return this.freshConnection.send({ ...request, headers: { ...request.headers, Connection: 'close' } });
    }
    const url = new URL(request.url);
    const proxy = proxyFor(url, process.env);
    if (!proxy) return this.sendOver(request);
    if (url.protocol === 'http:') return this.sendOver(request, { plain: proxy });
    return new Promise((answered, failed) => {
      const throughTunnel = async (): Promise<void> => {
        const response = await this.sendOver(request, { tunnel: proxy });
        answered(response);
        await new Promise((closed) => response.body.once('close', closed));
      };
      this.tunnelled.run(throughTunnel, request.signal).catch(failed);
    });
  }

  /** @param proxy `plain` for http, which is only ever to this machine */
  private async sendOver(
    request: HttpRequest,
    proxy: { plain?: URL; tunnel?: URL } = {},
  ): Promise<HttpResponse> {
    const line: RequestState = { silent: false, host: new URL(request.url).host };
    const body = openBody(request.body);
    const sent = body instanceof Readable ? body : undefined;
    let readError: unknown;
    // axios would wrap it, and the wrapping carries the request's headers.
    sent?.once('error', (error) => (readError = error));
    try {
      const sending = {
        method: request.method,
        url: request.url,
        headers: { ...USUAL_HEADERS, ...request.headers, ...lengthHeader(request.body) },
        ...(body === undefined ? {} : { data: body }),
        ...(request.signal ? { signal: request.signal } : {}),
        timeout: this.options.timeout,
        proxy: proxy.plain ? plainProxy(proxy.plain) : (false as const),
        // Content is taken as it is stored; a .gz file must not be unpacked on its way.
        decompress: request.headers?.['Accept-Encoding'] !== 'identity',
      };
      const response = await this.connections.send(sending, line, proxy.tunnel);
      const answer = response.data as Readable;
      if (sent) endWith(answer, sent, response.request as http.ClientRequest);
      return {
        status: response.status,
        headers: response.headers as Record<string, string | undefined>,
        body: attachRequestState(answer, line),
        bodyTimeout: PATIENCE * this.options.timeout,
      };
    } catch (error) {
      sent?.destroy();
      throw transportError(readError ?? error, request.signal, line);
    }
  }

  /** Closes all connections. */
  close(): void {
    this.opened?.close();
    this.freshConnection?.close();
  }

  private get connections(): Transport {
    return (this.opened ??= createTransport(this.sockets));
  }
}

function createTransport(sockets: http.AgentOptions): Transport {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const loaded = require('./transport') as { Transport: typeof Transport };
  return new loaded.Transport(sockets);
}

const USUAL_HEADERS = { Accept: 'application/json, */*', 'Accept-Encoding': 'gzip' };

function plainProxy(proxy: URL): AxiosProxyConfig {
  const { protocol, hostname, port } = proxy;
  const auth = proxyCredentials(proxy);
  return {
    protocol,
    host: hostname,
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
    ...(auth ? { auth } : {}),
  };
}

function openBody(body: HttpRequest['body']): string | Buffer | Readable | undefined {
  return typeof body === 'object' && !Buffer.isBuffer(body) ? body.open() : body;
}

function lengthHeader(body: HttpRequest['body']): Record<string, string> {
  if (typeof body !== 'object' || Buffer.isBuffer(body) || body.length === undefined) return {};
  return { 'Content-Length': String(body.length) };
}

/** An answer may come before the request was sent to its end; what is left of that is given up with the answer. */
function endWith(answer: Readable, sent: Readable, request: http.ClientRequest): void {
  answer.once('close', () => {
    if (sent.readableEnded) return;
    sent.destroy();
    request.destroy();
  });
}
