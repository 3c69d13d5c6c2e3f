/**
 * One HTTP request: the only place that knows axios. Knows nothing of tokens, retries or the service.
 * Redirects are never followed here, and answers always come as streams.
 */
import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import type { AxiosStatic } from 'axios';
import { DriveError, cancelled } from '../errors';

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
}

export interface HttpResponse {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  /** Must be read to its end or destroyed. */
  body: Readable;
}

export interface HttpClientOptions {
  /** ms: for connecting, and for silence on the line in either direction. */
  timeout: number;
}

const SOCKETS = 16;

export class HttpClient {
  private readonly httpAgent = new http.Agent({ keepAlive: true, maxSockets: SOCKETS });
  private readonly httpsAgent = new https.Agent({ keepAlive: true, maxSockets: SOCKETS });

  constructor(private readonly options: HttpClientOptions) {}

  /**
   * @returns the answer, whatever its status
   * @throws `network`, `timeout`, `cancelled`. An error of the answer's stream goes through {@link lineError}.
   */
  async send(request: HttpRequest): Promise<HttpResponse> {
    if (request.signal?.aborted) throw cancelled();
    const line: Line = { silent: false };
    const body = openBody(request.body);
    const sent = body instanceof Readable ? body : undefined;
    let readError: unknown;
    // axios would wrap it, and the wrapping carries the request's headers.
    sent?.once('error', (error) => (readError = error));
    try {
      const response = await axios().request<Readable>({
        method: request.method,
        url: request.url,
        headers: { ...NO_DEFAULT_HEADERS, ...request.headers, ...lengthHeader(request.body) },
        ...(body === undefined ? {} : { data: body }),
        ...(request.signal ? { signal: request.signal } : {}),
        responseType: 'stream',
        maxRedirects: 0,
        timeout: this.options.timeout,
        transport: watched(line, this.options.timeout),
        httpAgent: this.httpAgent,
        httpsAgent: this.httpsAgent,
        // Content is taken as it is stored; a .gz file must not be unpacked on its way.
        decompress: request.headers?.['Accept-Encoding'] !== 'identity',
        validateStatus: null,
        transformRequest: [],
        transformResponse: [],
      });
      if (sent) endWith(response.data, sent, response.request as http.ClientRequest);
      return {
        status: response.status,
        headers: response.headers as Record<string, string | undefined>,
        body: markSilence(response.data, line),
      };
    } catch (error) {
      sent?.destroy();
      throw lineError(readError ?? error, request.signal, line);
    }
  }

  /** Closes idle connections. */
  close(): void {
    this.httpAgent.destroy();
    this.httpsAgent.destroy();
  }
}

/** Loaded with the first request: it takes longer than all the rest of the package. */
function axios(): AxiosStatic {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return (require('axios') as { default: AxiosStatic }).default;
}

/** axios would add these on its own; a DELETE of service.md 4.7 carries exactly what it says. */
const NO_DEFAULT_HEADERS = { 'Content-Type': false as const, Accept: 'application/json, */*' };

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

/** Whether a connection was given up because nothing moved on it. */
interface Line {
  silent: boolean;
}

/** Node's own request, which ends with a time-out when nothing moves, also after the answer has begun. */
function watched(line: Line, timeout: number) {
  return {
    request(options: https.RequestOptions, onResponse: (response: http.IncomingMessage) => void) {
      const transport = options.protocol === 'https:' ? https : http;
      const request = transport.request({ ...options, timeout }, onResponse);
      request.on('timeout', () => {
        line.silent = true;
        request.destroy(new Error('silence'));
      });
      return request;
    },
  };
}

const silentStreams = new WeakSet<object>();

function markSilence(body: Readable, line: Line): Readable {
  body.once('error', () => {
    if (line.silent) silentStreams.add(body);
  });
  return body;
}

/**
 * Turns what a connection or an answer's stream failed with into a coded error. What is no failure of the line, a
 * mistake in this program say, is thrown on as it is.
 * @param from the stream that failed, or the state of the line before there was one
 */
export function lineError(
  error: unknown,
  signal: AbortSignal | undefined,
  from: Line | Readable,
): DriveError {
  if (error instanceof DriveError) return error;
  if (signal?.aborted) return cancelled();
  const silent = 'silent' in from ? from.silent : silentStreams.has(from);
  const reason = codeOf(error);
  if (silent || reason === 'ETIMEDOUT' || reason === 'ECONNABORTED') {
    return new DriveError('timeout', { retryable: true });
  }
  if (reason === undefined && !isAxiosError(error)) throw error;
  const word = reason ?? 'unknown';
  return new DriveError('network', { params: { reason: word }, reason: word, retryable: true });
}

/** Such an error carries the request, token and all, and must not leave this folder. */
function isAxiosError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'isAxiosError' in error;
}

function codeOf(error: unknown): string | undefined {
  const code: unknown =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : undefined;
}
