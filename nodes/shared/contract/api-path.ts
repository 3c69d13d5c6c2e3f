/**
 * Base URLs that include the API path, as users copy them from documentation. The client appends that path itself, so
 * requests would go to `/drive/v3/drive/v3` and fail with `not_found`.
 */

/** Any API version, with or without a resource name. */
const API_PATH = /\/+(?:upload\/+)?drive\/+v\d+(?:\/+(?:files|about|changes))?\/*$/i;

/** @returns the base URL without the API path; undefined if it has none. A path prefix before it stays */
export function stripApiPath(url: string): string | undefined {
  return API_PATH.test(url) ? url.replace(API_PATH, '') : undefined;
}
