/**
 * The client credentials record that a service issues for an application (Google's
 * `client_secret_….json`). Knows no browser.
 */
import { addressProblem } from './url-check';
import { isObject, parsedJson } from './json-text';

export interface ClientRecord {
  clientId: string;
  clientSecret: string;
  /** `''` where the record names none. */
  tokenUrl: string;
  /** Of the page on which people sign in; `''` where the record names none that can be used. */
  authUrl: string;
  /** How a client of its type signs in; undefined where the record doesn't tell. */
  way?: ClientWay;
}

/** With the browser back to a web address, or to the person's own machine. */
export type ClientWay = 'browser' | 'paste';

export type ClientRecordProblem =
  'no_json' | 'no_client' | 'no_client_id' | 'no_client_secret' | 'bad_token_uri' | 'insecure_token_uri';

/** @returns what the record holds, or what is wrong with it */
export function readClientRecord(text: string): ClientRecord | ClientRecordProblem {
  const record = parsedJson(text);
  if (!isObject(record)) return 'no_json';
  const client = [record['installed'], record['web']].find(isObject);
  if (!client) return 'no_client';
  const way = wayOf(record, client);
  const clientId = filled(client['client_id']);
  if (clientId === undefined) return 'no_client_id';
  const clientSecret = filled(client['client_secret']);
  if (clientSecret === undefined) return 'no_client_secret';
  const tokenUrl = client['token_uri'] ?? '';
  if (typeof tokenUrl !== 'string') return 'bad_token_uri';
  const problem = tokenUrl === '' ? undefined : addressProblem(tokenUrl);
  if (problem) return problem === 'address' ? 'bad_token_uri' : 'insecure_token_uri';
  const page = client['auth_uri'];
  const authUrl = typeof page === 'string' && addressProblem(page) === undefined ? page : '';
  return { clientId, clientSecret, tokenUrl, authUrl, ...(way === undefined ? {} : { way }) };
}

/** A client for devices is `installed` too, but has nowhere to send a browser. */
function wayOf(record: Record<string, unknown>, client: Record<string, unknown>): ClientWay | undefined {
  if (!isObject(record['installed'])) return 'browser';
  const addresses: unknown = client['redirect_uris'];
  return Array.isArray(addresses) && addresses.includes('http://localhost') ? 'paste' : undefined;
}

function filled(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}
