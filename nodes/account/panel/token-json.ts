/**
 * A token response as JSON (RFC 6749 section 5.1), or in rclone's form: with an `expiry`, and in its configuration
 * file after `token =`. https://rclone.org/drive/#drive-token
 */
import { isObject } from '../../shared/contract/values';
import { parseJson } from '../../shared/editor/input-checks';

export interface TokenJson {
  /** `''` if there is none. At least one of the two tokens is present. */
  refreshToken: string;
  accessToken: string;
}

/** A key below `record` in the catalogue, or the error code of an error response. */
export type TokenJsonProblem = 'no_json' | 'no_token' | { error: string };

/** @param now milliseconds since 1970 */
export function parseTokenJson(text: string, now: number): TokenJson | TokenJsonProblem {
  const json = parseJson(rcloneToken(text) ?? text);
  if (!isObject(json)) return 'no_json';
  const { error } = json;
  if (typeof error === 'string' && error !== '') return { error };
  const refreshToken = token(json['refresh_token']);
  // An expired access token would only cost a rejected request.
  const accessToken =
    refreshToken !== '' && isExpired(json['expiry'], now) ? '' : token(json['access_token']);
  return refreshToken || accessToken ? { refreshToken, accessToken } : 'no_token';
}

/** rclone's configuration file has the JSON on one line. */
function rcloneToken(text: string): string | undefined {
  return /^[ \t]*token[ \t]*=[ \t]*(.+)$/m.exec(text)?.[1];
}

function token(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function isExpired(expiry: unknown, now: number): boolean {
  return typeof expiry === 'string' && Date.parse(expiry) <= now;
}
