/** Requests to the admin endpoints of this package's nodes. URLs are relative, for proxies that add a path. */
import type { ApiError, Delegation, SetupStep } from '../contract/account-api';
import { sharedText } from './shared-text';

/** A failed request, with a message for the user. */
export class AdminRequestError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly step?: SetupStep,
    readonly delegation?: Delegation,
  ) {
    super(message);
  }

  /** Whether repeating the request can't help: its subject no longer exists, or Node-RED doesn't permit it. */
  get isFinal(): boolean {
    return this.status >= 400 && this.status < 500;
  }
}

/** @returns the message to show for an error */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : sharedText('panel.unknown');
}

export interface AdminRequestOptions {
  /** The type of the node whose endpoint it is, the account by default. */
  node?: string;
  query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: object;
  /** Aborts the request; Node-RED then aborts its own requests for it. */
  signal?: AbortSignal;
}

/**
 * Uses jQuery, because the editor adds its access token to jQuery's requests only.
 * @param path segments below the type of the node
 * @throws AdminRequestError
 */
export function adminRequest<Response>(
  method: 'GET' | 'POST' | 'DELETE',
  path: readonly string[],
  { node = 'cloud-drive-account', query, body, signal }: AdminRequestOptions = {},
): Promise<Response> {
  const search = query ? `?${$.param(query)}` : '';
  return new Promise((resolve, reject) => {
    const request = $.ajax({
      method,
      url: `${node}/${path.map(encodeURIComponent).join('/')}${search}`,
      cache: false,
      contentType: body && 'application/json',
      data: body && JSON.stringify(body),
    });
    request.then(
      (response: Response) => resolve(response),
      (response: JQuery.jqXHR) => reject(requestError(response)),
    );
    signal?.addEventListener('abort', () => request.abort());
  });
}

function requestError({ status, responseJSON }: JQuery.jqXHR): AdminRequestError {
  const error = (responseJSON as { error?: Partial<ApiError> } | undefined)?.error ?? {};
  const { message, step, delegation } = error;
  if (typeof message === 'string' && message !== '')
    return new AdminRequestError(status, message, step, delegation);
  if (status === 0) return new AdminRequestError(status, sharedText('panel.no_answer'));
  if (status === 401) return new AdminRequestError(status, sharedText('panel.no_permission'));
  return new AdminRequestError(status, sharedText('panel.error', { status }));
}
