/**
 * Every call of one account: paced, with a token, its answer read and checked, tried again where that is safe.
 * Knows the service's origins; a token goes to no other.
 */
import type { Readable } from 'node:stream';
import type { DriveError } from '../errors';
import type { AccessTokens, CallOptions, Service } from '../types';
import { type QueryValues, secureUrl, withQuery } from './address';
import { type HttpClient, type HttpRequest, type HttpResponse, lineError } from './http-client';
import { type JsonObject, LARGEST_JSON, badAnswer, parseObject, readAll, tryParse } from './json';
import { Pacing } from './pacing';
import { errorFromAnswer } from './reasons';
import { type RetryOptions, retryAfter, retrying } from './retry';

export interface DriveRequest extends Omit<HttpRequest, 'signal'> {
  query?: QueryValues;
  /** Statuses besides 2xx that are an answer here, 308 of a resumable upload for one. */
  answers?: readonly number[];
  /** `same-origin` (default, GET only) or, for a file's content, `anywhere`: without the token there. */
  redirects?: 'same-origin' | 'anywhere';
}

export interface EngineOptions extends RetryOptions {
  http: HttpClient;
  service: Service;
  tokens: AccessTokens;
  requestsPerSecond: number;
}

type Read<T> = (response: HttpResponse) => Promise<T>;

const MOST_REDIRECTS = 5;
/** Errors are small; what a proxy sends instead need not be read to its end. */
const LARGEST_ERROR = 64 * 1024;

export class RequestEngine {
  private readonly origins: ReadonlySet<string>;
  private readonly pacing: Pacing;

  constructor(private readonly options: EngineOptions) {
    const { service, clock, requestsPerSecond } = options;
    this.origins = new Set([new URL(service.baseUrl).origin, new URL(service.uploadUrl).origin]);
    this.pacing = new Pacing(requestsPerSecond, clock);
  }

  /** A call whose answer is a JSON object. POSTs are not repeated unless `repeatable` says that it is safe. */
  json(
    request: DriveRequest,
    call: CallOptions,
    repeatable = request.method !== 'POST',
  ): Promise<JsonObject> {
    const once = (): Promise<JsonObject> =>
      this.once(request, call, async ({ body }) => parseObject(await readAll(body, LARGEST_JSON)));
    return repeatable ? this.retrying(once, call) : once();
  }

  /** Repeats work of several requests within this account's budget; see {@link retrying}. */
  retrying<T>(work: (progressed: () => void) => Promise<T>, call: CallOptions): Promise<T> {
    return retrying(work, this.options, call);
  }

  /** One authorised request, and after a 401 one more with a new token. @throws what the answer means */
  async once<T>(request: DriveRequest, call: CallOptions, read: Read<T>): Promise<T> {
    const { tokens } = this.options;
    const token = await tokens.get(call.signal);
    let response = await this.send(request, token, call.signal);
    if (response.status === 401) {
      response.body.destroy();
      response = await this.send(request, await tokens.renew(token, call.signal), call.signal);
    }
    try {
      if (isAnswer(response.status, request)) {
        const result = await read(response);
        this.pacing.recover();
        return result;
      }
      throw await this.failure(response);
    } catch (error) {
      response.body.destroy();
      throw lineError(error, call.signal, response.body);
    }
  }

  private async send(
    request: DriveRequest,
    token: string,
    signal: AbortSignal | undefined,
  ): Promise<HttpResponse> {
    const { http } = this.options;
    const { query, answers: _answers, redirects = 'same-origin', ...plain } = request;
    let url = withQuery(request.url, query);
    for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
      await this.pacing.turn(signal);
      const headers: Record<string, string> = { ...request.headers };
      if (this.origins.has(new URL(url).origin)) headers['Authorization'] = `Bearer ${token}`;
      const response = await http.send({ ...plain, url, headers, signal });
      if (!isRedirect(response.status) || isAnswer(response.status, request)) return response;
      response.body.destroy();
      url = this.redirected(request.method, redirects, url, response.headers['location']);
    }
    throw badAnswer('bad_response_redirects', { limit: MOST_REDIRECTS });
  }

  private redirected(method: string, redirects: string, from: string, location: string | undefined): string {
    const to = location === undefined ? undefined : resolve(location, from);
    if (method !== 'GET' || !to) throw badAnswer('bad_response_redirect');
    if (redirects !== 'anywhere' && to.origin !== new URL(from).origin)
      throw badAnswer('bad_response_redirect');
    return secureUrl(to.href, 'Location').href;
  }

  private async failure(response: HttpResponse): Promise<DriveError> {
    const { status, headers } = response;
    const wait = retryAfter(headers['retry-after'], this.options.clock.now());
    const error = errorFromAnswer(status, await bodyOf(response.body), wait);
    if (error.code === 'rate_limited') this.pacing.slowDown();
    return error;
  }
}

function isAnswer(status: number, request: DriveRequest): boolean {
  return (status >= 200 && status < 300) || (request.answers?.includes(status) ?? false);
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

async function bodyOf(body: Readable): Promise<unknown> {
  try {
    return tryParse(await readAll(body, LARGEST_ERROR));
  } catch {
    return undefined;
  }
}

function resolve(location: string, from: string): URL | undefined {
  try {
    return new URL(location, from);
  } catch {
    return undefined;
  }
}
