/**
 * Every call of one account: paced, with a token, its answer read and checked, tried again where that is safe.
 * Knows the service's origins; a token goes to no other.
 */
import { DriveError, isDriveError } from '../errors';
import type { AccessTokens, CallOptions, Service } from '../types';
import { type QueryValues, withQuery } from './url';
import type { HttpClient, HttpRequest, HttpResponse } from './client';
import { type JsonObject, MAX_JSON_BYTES, badResponse, parseObject, readAll, tryParse } from './json';
import { safeLocation } from './safe-location';
import { transportError } from './transport-error';
import { RateLimiter } from '../concurrency/rate-limiter';
import { errorFromResponse } from './error-mapping';
import { type BudgetedCall, type RetryOptions, parseRetryAfter, retry, withRetryBudget } from './retry';
import { nameMisconfiguredUrl } from './misconfigured-url';

export interface DriveRequest extends Omit<HttpRequest, 'signal'> {
  query?: QueryValues;
  /** Statuses besides 2xx that are an answer here, 308 of a resumable upload for one. */
  acceptedStatuses?: readonly number[];
  /** `same-origin` (default, GET only) or, for a file's content, `anywhere`: without the token there. */
  redirects?: 'same-origin' | 'anywhere';
}

export interface EngineOptions extends RetryOptions {
  http: HttpClient;
  service: Service;
  tokens: AccessTokens;
  requestsPerSecond: number;
}

/** An answer, and the token that was sent for it; undefined at an origin that gets none. */
interface Sent {
  response: HttpResponse;
  token: string | undefined;
}

type Read<T> = (response: HttpResponse) => Promise<T>;

const MOST_REDIRECTS = 5;
/** Errors are small; what a proxy sends instead need not be read to its end. */
const LARGEST_ERROR = 64 * 1024;

export class RequestEngine {
  private readonly origins: ReadonlySet<string>;
  private readonly pacing: RateLimiter;

  constructor(private readonly options: EngineOptions) {
    const { service, clock, requestsPerSecond } = options;
    this.origins = new Set([new URL(service.baseUrl).origin, new URL(service.uploadUrl).origin]);
    this.pacing = new RateLimiter(requestsPerSecond, clock);
  }

  /** A call whose answer is a JSON object. POSTs are not repeated unless `repeatable` says that it is safe. */
  requestJson(
    request: DriveRequest,
    call: CallOptions,
    repeatable = request.method !== 'POST',
  ): Promise<JsonObject> {
    const once = (): Promise<JsonObject> =>
      this.requestJsonOnce({ ...request, freshConnection: !repeatable }, call);
    return repeatable ? this.retry(once, call) : once();
  }

  /** Like {@link requestJson}, and never repeated: for work that {@link retry} repeats as a whole. */
  requestJsonOnce(request: DriveRequest, call: CallOptions): Promise<JsonObject> {
    return this.requestOnce(request, call, async ({ body, bodyTimeout }) =>
      parseObject(await readAll(body, MAX_JSON_BYTES, bodyTimeout)),
    );
  }

  /** Repeats work of several requests, which share the retry budget of the call; see {@link retry}. */
  retry<T>(work: (call: BudgetedCall) => Promise<T>, call: CallOptions): Promise<T> {
    return retry(work, this.options, call);
  }

  /** Lets all requests of a call share one retry budget; see {@link withRetryBudget}. */
  withRetryBudget(call: CallOptions): BudgetedCall {
    return withRetryBudget(call, this.options);
  }

  /** One authorised request, and after a 401 one more with a new token. @throws what the answer means */
  async requestOnce<T>(request: DriveRequest, call: CallOptions, read: Read<T>): Promise<T> {
    let { response, token } = await this.send(request, call);
    if (response.status === 401 && token !== undefined) {
      response.body.destroy();
      ({ response, token } = await this.send(request, call, await this.renewed(token, call)));
    }
    try {
      if (isAnswer(response.status, request)) {
        const result = await read(response);
        this.pacing.recover();
        return result;
      }
      throw await this.failure(response, token !== undefined);
    } catch (error) {
      response.body.destroy();
      throw nameMisconfiguredUrl(
        transportError(error, call.signal, response.body),
        this.options.service,
        request.url,
      );
    }
  }

  /** @param renewed the token to use; the account's where there is none */
  private async send(request: DriveRequest, call: CallOptions, renewed?: string): Promise<Sent> {
    const { http } = this.options;
    const { query, acceptedStatuses: _answers, redirects = 'same-origin', ...plain } = request;
    const { signal } = call;
    let url = withQuery(request.url, query);
    for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
      const accountToken = await this.tokenForTurn(call);
      const token = this.origins.has(new URL(url).origin) ? (renewed ?? accountToken) : undefined;
      const headers = {
        ...request.headers,
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      };
      const response = await http.send({ ...plain, url, headers, signal });
      if (!isRedirect(response.status) || isAnswer(response.status, request)) return { response, token };
      response.body.destroy();
      url = this.redirected(request.method, redirects, url, response.headers['location']);
    }
    throw badResponse('bad_response_redirects', { limit: MOST_REDIRECTS });
  }

  /** Without a token nobody waits for a turn; after the wait the token may be another. */
  private tokenForTurn(call: CallOptions): Promise<string> {
    return this.ending(async () => {
      await this.options.tokens.get(call);
      await this.pacing.acquire(call.signal);
      return this.options.tokens.get(call);
    });
  }

  private renewed(refused: string, call: CallOptions): Promise<string> {
    return this.ending(() => this.options.tokens.renew(refused, call));
  }

  /** Where no token is to be had, those who wait for their turn need not wait for it. */
  private async ending(work: () => Promise<string>): Promise<string> {
    try {
      return await work();
    } catch (error) {
      if (isDriveError(error, 'sign_in_required')) this.pacing.rejectQueued(error);
      throw error;
    }
  }

  private redirected(method: string, redirects: string, from: string, location: string | undefined): string {
    const to = location === undefined ? undefined : safeLocation(location, from);
    const isAllowed = redirects === 'anywhere' || to?.origin === new URL(from).origin;
    if (method !== 'GET' || !to || !isAllowed) throw badResponse('bad_response_redirect');
    return to.href;
  }

  private async failure(response: HttpResponse, isAuthorised: boolean): Promise<DriveError> {
    const { status, headers } = response;
    if (status === 401 && !isAuthorised) {
      return new DriveError('permission_denied', {
        text: 'permission_denied_elsewhere',
        params: { status },
        status,
      });
    }
    const wait = parseRetryAfter(headers, this.options.clock.now());
    const error = errorFromResponse(status, await bodyOf(response), wait);
    if (error.code === 'rate_limited') this.pacing.slowDown();
    return error;
  }
}

function isAnswer(status: number, request: DriveRequest): boolean {
  return (status >= 200 && status < 300) || (request.acceptedStatuses?.includes(status) ?? false);
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

async function bodyOf({ body, bodyTimeout }: HttpResponse): Promise<unknown> {
  try {
    return tryParse(await readAll(body, LARGEST_ERROR, bodyTimeout));
  } catch {
    return undefined;
  }
}
