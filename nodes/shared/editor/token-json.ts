/**
 * A token record as a service answers it (RFC 6749 5.1), or as rclone keeps it: with an `expiry`, and in its
 * configuration behind `token =`. Knows no browser.
 */
import { isObject, parsedJson } from './json-text';

export interface TokenRecord {
  /** `''` where there is none; never are both. */
  refreshToken: string;
  accessToken: string;
}

export type TokenRecordProblem = 'no_json' | 'no_token' | { error: string };

/** @param now ms since 1970 */
export function readTokenRecord(text: string, now: number): TokenRecord | TokenRecordProblem {
  const record = parsedJson(jsonIn(text));
  if (!isObject(record)) return 'no_json';
  const { error } = record;
  if (typeof error === 'string' && error !== '') return { error };
  const refreshToken = token(record['refresh_token']);
  const accessToken =
    refreshToken !== '' && isOver(record['expiry'], now) ? '' : token(record['access_token']);
  return refreshToken || accessToken ? { refreshToken, accessToken } : 'no_token';
}

/** rclone's configuration has the record on a line of its own. */
function jsonIn(text: string): string {
  return /^[ \t]*token[ \t]*=[ \t]*(.+)$/m.exec(text)?.[1] ?? text;
}

function token(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** An access token that has run out would only cost a refused request. */
function isOver(expiry: unknown, now: number): boolean {
  return typeof expiry === 'string' && Date.parse(expiry) <= now;
}
