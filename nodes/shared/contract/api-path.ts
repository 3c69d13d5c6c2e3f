/**
 * The addresses of files and uploads as many copy them: with the path that the client puts behind them itself.
 * Requests would go to `/drive/v3/drive/v3`, and all that came of it is "not found". Read by the
 * runtime, and checked by the editor.
 */

/** With the version of another year, too, and with what is asked for behind it. */
const API_PATH = /\/+(?:upload\/+)?drive\/+v\d+(?:\/+(?:files|about|changes))?\/*$/i;

/** @returns what the address should be, undefined where nothing is too many. A path before that one is the service's own */
export function stripApiPath(address: string): string | undefined {
  return API_PATH.test(address) ? address.replace(API_PATH, '') : undefined;
}
