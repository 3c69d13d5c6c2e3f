/** Requests to the account's admin endpoints. Relative, so that a proxy's prefix stays. */
import { sharedText } from './texts';

/** Why a request failed, in words for the person at the editor. */
export class RequestFailed extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }

  /** Node-RED doesn't know it any more, or doesn't permit it; what else there is may pass. */
  get isFinal(): boolean {
    return this.status >= 400 && this.status < 500;
  }
}

/** @returns what is wrong, as text */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : sharedText('panel.unknown');
}

export interface AdminRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below `cloud-drive-account/`. */
  path: string;
  /** Sent as JSON. */
  body?: object;
  /** Ends the request, and what Node-RED does for it. */
  signal?: AbortSignal;
}

/** By jQuery: the editor puts its own access token on what goes through it. @throws RequestFailed */
export function adminRequest<Answer>({ method, path, body, signal }: AdminRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = $.ajax({
      method,
      url: `cloud-drive-account/${path}`,
      cache: false,
      ...(body ? { contentType: 'application/json', data: JSON.stringify(body) } : {}),
    });
    request.then(
      (answer: Answer) => resolve(answer),
      (answer: JQuery.jqXHR) => reject(failure(answer)),
    );
    signal?.addEventListener('abort', () => request.abort());
  });
}

function failure({ status, responseJSON }: JQuery.jqXHR): RequestFailed {
  const { message } = (responseJSON as { error?: { message?: unknown } } | undefined)?.error ?? {};
  if (typeof message === 'string' && message !== '') return new RequestFailed(status, message);
  if (status === 0) return new RequestFailed(status, sharedText('panel.no_answer'));
  if (status === 401) return new RequestFailed(status, sharedText('panel.no_permission'));
  return new RequestFailed(status, sharedText('panel.error', { status }));
}
