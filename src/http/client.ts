/**
 * One HTTP request, sent with axios. Knows nothing of tokens, retries or the service.
 * Redirects are never followed, and response bodies are always streams.
 */
import type http from 'node:http';
import { Readable } from 'node:stream';
import type { AxiosProxyConfig, GenericAbortSignal } from 'axios';
import { cancelled, errorCode } from '../errors';
import { onAbort } from '../core/abort';
import { Semaphore } from '../core/semaphore';
import { type Observe, msSince, withoutIds } from './observer';
import { hasProxyVariables, proxyCredentials, proxyFor } from './proxy';
import type { Transport } from './transport';
import { type RequestState, attachRequestState, transportError } from './transport-error';

/** A body that can be sent more than once. */
export interface BodySource {
  /** Bytes; undefined if unknown, which makes the request chunked. */
  length: number | undefined;
  /** Opens the body at its beginning. */
  open(): Readable;
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer | BodySource;
  signal?: AbortSignal | undefined;
  /** ms; only if it is shorter than the client's. */
  timeout?: number | undefined;
  /**
   * Opens a new connection. The server may be closing an idle one, and a request that isn't idempotent
   * can't be repeated then: RFC 9110 9.2.2.
   */
  freshConnection?: boolean;
}

/** By name in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | undefined>>;

export interface HttpResponse {
  status: number;
  headers: ResponseHeaders;
  /** Must be read to its end or destroyed. */
  body: Readable;
  /** ms for reading a JSON body. The content of a file has no such limit. */
  bodyTimeout: number;
}

interface HttpClientOptions {
  /** ms for connecting, and without a byte in either direction. */
  timeout: number;
  /** Whether connections are reused, default true. */
  keepAlive?: boolean;
  /** Called for each request. */
  observe?: Observe | undefined;
}

/** Times the timeout: the limit for response headers, and for the body of a list page or token response. */
const RESPONSE_TIMEOUT_FACTOR = 10;

/** Per host; further requests are queued. */
const AGENT_OPTIONS = { maxSockets: 16, maxFreeSockets: 16 };

export class HttpClient {
  private readonly agentOptions: http.AgentOptions;
  private openedTransport: Transport | undefined;
  /** Read once: reading all environment variables takes as long as the rest of preparing a request. */
  private readonly mayUseProxy = hasProxyVariables(process.env);
  private freshConnections: HttpClient | undefined;
  /** Node's agent doesn't count connections while they are being established, which takes long through a proxy. */
  private readonly tunnels = new Semaphore(AGENT_OPTIONS.maxSockets);

  constructor(private readonly options: HttpClientOptions) {
    this.agentOptions = { ...AGENT_OPTIONS, keepAlive: options.keepAlive ?? true };
  }

  /**
   * @returns the response, whatever its status
   * @throws `network`, `timeout`, `cancelled`. Pass errors of the body to {@link transportError}.
   */
  async send(request: HttpRequest): Promise<HttpResponse> {
    if (request.signal?.aborted) throw cancelled();
    if (request.freshConnection && this.agentOptions.keepAlive) {
      this.freshConnections ??= new HttpClient({ ...this.options, keepAlive: false });
      // Without the header, the agent would pass the connection to the next queued request.
      return this.freshConnections.send({ ...request, headers: { ...request.headers, Connection: 'close' } });
    }
    if (!this.mayUseProxy) return this.sendThrough(request);
    const url = new URL(request.url);
    const proxy = proxyFor(url, process.env);
    if (!proxy) return this.sendThrough(request);
    if (url.protocol === 'http:') return this.sendThrough(request, { http: proxy });
    return new Promise((resolve, reject) => {
      const untilClosed = async (): Promise<void> => {
        const response = await this.sendThrough(request, { tunnel: proxy });
        resolve(response);
        await new Promise((closed) => response.body.once('close', closed));
      };
      this.tunnels.run(untilClosed, request.signal).catch(reject);
    });
  }

  private async sendThrough(
    request: HttpRequest,
    proxy: { http?: URL; tunnel?: URL } = {},
  ): Promise<HttpResponse> {
    const { observe } = this.options;
    if (!observe) return this.sendUnobserved(request, proxy);
    const started = performance.now();
    const { method, url } = request;
    const sent = bodyLength(request.body);
    const finish = (outcome: { status?: number; error?: string; received?: number }): void =>
      observe({ event: 'request', method, path: withoutIds(url), ...outcome, sent, ms: msSince(started) });
    try {
      const response = await this.sendUnobserved(request, proxy);
      const { status, headers } = response;
      const length = headers['content-length'];
      response.body.once('close', () =>
        finish({ status, ...(length !== undefined && { received: Number(length) }) }),
      );
      return response;
    } catch (error) {
      finish({ error: errorCode(error) ?? 'unknown' });
      throw error;
    }
  }

  /** @param proxy `http` for http URLs, which are only ever on loopback; `tunnel` for https URLs */
  private async sendUnobserved(
    request: HttpRequest,
    proxy: { http?: URL; tunnel?: URL },
  ): Promise<HttpResponse> {
    const timeout = Math.min(this.options.timeout, request.timeout ?? Infinity);
    const responseTimeout = RESPONSE_TIMEOUT_FACTOR * timeout;
    const state: RequestState = { isTimedOut: false, host: new URL(request.url).host };
    const data = openBody(request.body);
    const stream = data instanceof Readable ? data : undefined;
    let readError: unknown;
    // axios would wrap the error in one that contains the request's headers.
    stream?.once('error', (error) => (readError = error));
    try {
      const axiosRequest = {
        method: request.method,
        url: request.url,
        headers: Object.assign({}, DEFAULT_HEADERS, request.headers, lengthHeader(request.body)),
        data,
        ...(request.signal && { signal: sharedSignal(request.signal) }),
        timeouts: { idle: timeout, headers: responseTimeout },
        ...this.axiosProxy(proxy.http),
        // Content is stored as it was uploaded: a .gz file must stay compressed.
        decompress: request.headers?.['Accept-Encoding'] !== 'identity',
      };
      const response = await this.transport.send(axiosRequest, state, proxy.tunnel);
      const body = response.data as Readable;
      if (stream) abandonWith(body, stream, response.request as http.ClientRequest);
      return {
        status: response.status,
        headers: response.headers as ResponseHeaders,
        body: attachRequestState(body, state),
        bodyTimeout: responseTimeout,
      };
    } catch (error) {
      stream?.destroy();
      throw transportError(readError ?? error, request.signal, state);
    }
  }

  /**
   * `false` keeps axios from reading the environment variables itself. Without variables it isn't needed, and costs
   * memory: axios then assigns a closure to a property for each request. V8 allocates such closures in the old
   * generation, where they keep the whole request until the next full garbage collection.
   */
  private axiosProxy(proxy: URL | undefined): { proxy?: AxiosProxyConfig | false } {
    if (proxy) return { proxy: toAxiosProxy(proxy) };
    return this.mayUseProxy ? { proxy: false } : {};
  }

  /** Closes all connections. */
  close(): void {
    this.openedTransport?.close();
    this.freshConnections?.close();
  }

  private get transport(): Transport {
    return (this.openedTransport ??= createTransport(this.agentOptions));
  }
}

function createTransport(agentOptions: http.AgentOptions): Transport {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const loaded = require('./transport') as { Transport: typeof Transport };
  return new loaded.Transport(agentOptions);
}

/** For axios, which adds a listener to the signal and removes it when the body has ended: see {@link onAbort}. */
function sharedSignal(signal: AbortSignal): GenericAbortSignal {
  let stop: (() => void) | undefined;
  return {
    aborted: signal.aborted,
    addEventListener: (_type: 'abort', listener: () => void) => void (stop = onAbort(signal, listener)),
    removeEventListener: () => stop?.(),
  };
}

const DEFAULT_HEADERS = { Accept: 'application/json, */*', 'Accept-Encoding': 'gzip' };

function toAxiosProxy(proxy: URL): AxiosProxyConfig {
  const { protocol, hostname, port } = proxy;
  return {
    protocol,
    host: hostname,
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
    auth: proxyCredentials(proxy),
  };
}

function openBody(body: HttpRequest['body']): string | Buffer | Readable | undefined {
  return typeof body === 'object' && !Buffer.isBuffer(body) ? body.open() : body;
}

function lengthHeader(body: HttpRequest['body']): Record<string, string> {
  if (typeof body !== 'object' || Buffer.isBuffer(body) || body.length === undefined) return {};
  return { 'Content-Length': String(body.length) };
}

function bodyLength(body: HttpRequest['body']): number | undefined {
  return typeof body === 'string' ? Buffer.byteLength(body) : body?.length;
}

/** The service may respond before it has read the whole request. The rest isn't sent once the response is closed. */
function abandonWith(response: Readable, stream: Readable, request: http.ClientRequest): void {
  response.once('close', () => {
    if (stream.readableEnded) return;
    stream.destroy();
    request.destroy();
  });
}
