/**
 * Sends the requests of one account: rate-limited, with an access token, and repeated where that is safe.
 * The token is sent to the service's origins only: see redirects.ts.
 */
import { DriveError, isDriveError, withService } from '../errors';
import type { AccessTokens, CallOptions, Service } from '../types';
import { type QueryValues, withQuery } from './url';
import type { HttpClient, HttpRequest, HttpResponse } from './client';
import { type JsonObject, tryParse } from '../core/validator';
import { readAll, readObject } from './json';
import { type RedirectPolicy, followRedirects, trustedOrigins } from './redirects';
import { transportError } from './transport-error';
import { RateLimiter } from '../core/rate-limiter';
import { errorFromResponse, explainNoStorage, nameMisconfiguredUrl } from './error-mapping';
import {
  type BudgetedCall,
  type RetryOptions,
  mayHaveBeenProcessed,
  parseHttpDate,
  parseRetryAfter,
  retry,
  withRetryBudget,
} from './retry';
import type { Observe } from './observer';

export interface DriveRequest extends Omit<HttpRequest, 'signal' | 'timeout'> {
  query?: QueryValues;
  /** Statuses besides 2xx that are no errors, such as 308 in a resumable upload. */
  acceptedStatuses?: readonly number[];
  redirects?: RedirectPolicy;
}

export interface EngineOptions extends RetryOptions {
  http: HttpClient;
  service: Service;
  tokens: AccessTokens;
  requestsPerSecond: number;
}

interface AuthorizedResponse {
  response: HttpResponse;
  /** Undefined if the origin isn't trusted with one. */
  token: string | undefined;
}

type ReadResponse<T> = (response: HttpResponse) => Promise<T>;

/** Error responses are small. A larger one comes from a proxy and isn't read to its end. */
const MAX_ERROR_BYTES = 64 * 1024;

export class RequestEngine {
  private readonly trustedOrigins: ReadonlySet<string>;
  private readonly rateLimiter: RateLimiter;
  /** `Date` of the latest response, RFC 9110 6.6.1, and when it arrived in monotonic ms. */
  private latestDate = '';
  private latestDateAt = 0;

  constructor(private readonly options: EngineOptions) {
    const { service, clock, requestsPerSecond } = options;
    this.trustedOrigins = trustedOrigins(service);
    this.rateLimiter = new RateLimiter(requestsPerSecond, clock);
  }

  /** A request whose response is a JSON object. A POST is retried only if `repeatable` is true. */
  requestJson(
    request: DriveRequest,
    call: CallOptions,
    repeatable = request.method !== 'POST',
  ): Promise<JsonObject> {
    const once = (): Promise<JsonObject> =>
      this.requestJsonWithoutRetry({ ...request, freshConnection: !repeatable }, call);
    return repeatable ? this.retry(once, call) : once().catch(rethrowUnknownOutcome);
  }

  /** Like {@link requestJson} without retries, for work that {@link retry} repeats as a whole. */
  requestJsonWithoutRetry(request: DriveRequest, call: CallOptions): Promise<JsonObject> {
    return this.requestWithoutRetry(request, call, readObject);
  }

  /** Repeats work of several requests, which share the retry budget of the call; see {@link retry}. */
  retry<T>(work: (call: BudgetedCall) => Promise<T>, call: CallOptions): Promise<T> {
    return retry(work, this.options, call);
  }

  /** The time of the service by its latest response, ms since 1970; undefined without one, or if it had no `Date`. */
  serviceTime(): number | undefined {
    const date = parseHttpDate(this.latestDate);
    return date === undefined ? undefined : date + this.options.clock.monotonic() - this.latestDateAt;
  }

  /** Reports what the client does: see observer.ts. */
  get observe(): Observe | undefined {
    return this.options.observe;
  }

  /** Lets all requests of a call share one retry budget; see {@link withRetryBudget}. */
  withRetryBudget(call: CallOptions): BudgetedCall {
    return withRetryBudget(call, this.options);
  }

  /** Sends the request, and after a 401 once more with a new token. @throws the error of the response */
  async requestWithoutRetry<T>(request: DriveRequest, call: CallOptions, read: ReadResponse<T>): Promise<T> {
    call.onRequest?.();
    try {
      return await this.sendAndRead(request, call, read);
    } catch (error) {
      if (isDriveError(error, 'cancelled')) call.onResponse?.();
      throw withService(error, this.options.service.baseUrl);
    }
  }

  private async sendAndRead<T>(request: DriveRequest, call: CallOptions, read: ReadResponse<T>): Promise<T> {
    let { response, token } = await this.send(request, call);
    if (response.status === 401 && token !== undefined) {
      response.body.destroy();
      ({ response, token } = await this.send(request, call, await this.renewToken(token, call)));
    }
    call.onResponse?.();
    try {
      if (isSuccess(response.status, request)) {
        this.latestDate = response.headers['date'] ?? '';
        this.latestDateAt = this.options.clock.monotonic();
        const result = await read(response);
        this.rateLimiter.recover();
        return result;
      }
      throw await this.toError(response, token !== undefined, call);
    } catch (error) {
      response.body.destroy();
      throw nameMisconfiguredUrl(
        transportError(error, call.signal, response.body),
        this.options.service,
        request.url,
      );
    }
  }

  /** @param renewed the token to send; by default the account's */
  private send(request: DriveRequest, call: CallOptions, renewed?: string): Promise<AuthorizedResponse> {
    const { http } = this.options;
    const { query, redirects } = request;
    const { signal, timeout } = call;
    const isAccepted = (status: number): boolean => isSuccess(status, request);
    const { trustedOrigins } = this;
    const url = withQuery(request.url, query);
    const first = { method: request.method, url, redirects, trustedOrigins, isAccepted };
    return followRedirects(first, async (target, isTrusted) => {
      const accountToken = await this.tokenAfterQueueing(call);
      const token = isTrusted ? (renewed ?? accountToken) : undefined;
      const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      const headers = Object.assign({}, request.headers, authorization);
      return {
        response: await http.send(Object.assign({}, request, { url: target, headers, signal, timeout })),
        token,
      };
    });
  }

  /** Gets the token before queueing, to fail at once without one, and after it, since it may have been refreshed. */
  private tokenAfterQueueing(call: CallOptions): Promise<string> {
    return this.rejectQueueIfSignedOut(async () => {
      await this.options.tokens.get(call);
      await this.rateLimiter.acquire(call.signal);
      return this.options.tokens.get(call);
    });
  }

  private renewToken(refused: string, call: CallOptions): Promise<string> {
    return this.rejectQueueIfSignedOut(() => this.options.tokens.renew(refused, call));
  }

  /** If the sign-in has ended, queued requests fail at once too. */
  private async rejectQueueIfSignedOut(work: () => Promise<string>): Promise<string> {
    try {
      return await work();
    } catch (error) {
      if (isDriveError(error, 'sign_in_required')) this.rateLimiter.rejectQueued(error);
      throw error;
    }
  }

  private async toError(
    response: HttpResponse,
    isAuthorized: boolean,
    { showsServiceMessage = false }: CallOptions,
  ): Promise<DriveError> {
    const { status, headers } = response;
    if (status === 401 && !isAuthorized) {
      return new DriveError('permission_denied', {
        text: 'permission_denied_elsewhere',
        params: { status },
        status,
      });
    }
    const { service, clock } = this.options;
    const error = errorFromResponse(status, await parseErrorBody(response), {
      retryAfter: parseRetryAfter(headers, clock.now()),
      showsMessage: showsServiceMessage && service.can.safeMessages,
    });
    if (error.code === 'rate_limited') this.rateLimiter.slowDown();
    return service.isServiceAccount ? explainNoStorage(error) : error;
  }
}

function isSuccess(status: number, request: DriveRequest): boolean {
  return (status >= 200 && status < 300) || (request.acceptedStatuses?.includes(status) ?? false);
}

function rethrowUnknownOutcome(error: unknown): never {
  if (isDriveError(error)) error.isOutcomeUnknown ||= mayHaveBeenProcessed(error);
  throw error;
}

async function parseErrorBody({ body, bodyTimeout }: HttpResponse): Promise<unknown> {
  try {
    return tryParse(await readAll(body, MAX_ERROR_BYTES, bodyTimeout));
  } catch {
    return undefined;
  }
}
