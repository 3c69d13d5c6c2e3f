/**
 * Which account nodes share tokens, and under which key these are stored.
 *
 * The instances of a subflow share the credentials entry of the node in the subflow template. Environment variables of
 * an instance or of its flow may replace values of the entry and the URLs: such an instance has an account of its own,
 * which it shares with the instances that have the same values. Its tokens never get into the entry, where the other
 * instances would use them.
 */
import type { Node } from 'node-red';
import { URL_PROPERTIES } from '../../shared/contract/account-config';
import type { AccountValues } from '../settings/settings';
import type { ServiceUrls } from '../settings/urls';
import { fingerprint } from './stored-sign-in';

export interface AccountKey {
  /** Of the credentials entry. Older versions stored everything under it. */
  id: string;
  /** Of what is stored and running for the account. */
  key: string;
  /** Whether an instance of a subflow has values of its own. */
  isOwn: boolean;
  /** Whether all nodes with the entry use its tokens, so that it may contain refreshed ones. */
  ownsEntry: boolean;
  /**
   * Identifies the client and the services of an instance that the environment configures. It doesn't use a sign-in of
   * another client or at another service.
   */
  client?: string;
}

/** The values of the node in the subflow template: as they are stored, and resolved without the variables of a flow. */
export interface Template {
  stored: AccountValues;
  resolved: AccountValues;
}

/** What decides whose drive is used, and where tokens are sent. The order is part of stored keys. */
const ESSENTIAL = [
  ...(['service', 'auth', 'subject'] as const),
  ...(['clientId', 'clientSecret', 'refreshToken', 'accessToken', 'serviceAccountKey'] as const),
];

/**
 * The key of an account that isn't an instance of a subflow, or whose instances have no values of their own.
 * @param key that also names the flows, which may be other ones when the account is closed
 */
export function templateKey(id: string, key: string): AccountKey {
  return { id, key, isOwn: false, ownsEntry: true };
}

/** @returns whether something is stored for an account or for one of its instances */
export function belongsTo(key: string, account: AccountKey): boolean {
  return `${key} `.startsWith(`${account.key} `);
}

/** Instances of a subflow share the credentials of the node in the subflow template. */
export function credentialsId(node: Node): string {
  return node._alias ?? node.id;
}

/**
 * The key of an instance of a subflow.
 * @param shared the key of the account in the template
 * @param values of the instance, with all environment variables resolved
 */
export function accountKey(
  shared: AccountKey,
  values: AccountValues,
  { stored, resolved }: Template,
): AccountKey {
  if (differences(values, stored).length === 0) return shared;
  const own = differences(values, resolved);
  return {
    id: shared.id,
    key: own.length === 0 ? shared.key : `${shared.key} ${fingerprint(JSON.stringify(own))}`,
    isOwn: own.length > 0,
    ownsEntry: false,
    client: clientFingerprint(values.texts.clientId, values.urls),
  };
}

/** Identifies the client and the services of an account. */
export function clientFingerprint(clientId: string, urls: ServiceUrls): string {
  return fingerprint(JSON.stringify([clientId, ...URL_PROPERTIES.map((name) => urls[name])]));
}

/** @returns the values that differ from others */
function differences(values: AccountValues, others: AccountValues): [string, string][] {
  const other = Object.fromEntries(essentials(others));
  return essentials(values).filter(([name, value]) => value !== other[name]);
}

function essentials({ texts, urls }: AccountValues): [string, string][] {
  return [
    ...ESSENTIAL.map((name): [string, string] => [name, texts[name]]),
    ...URL_PROPERTIES.map((name): [string, string] => [name, urls[name]]),
  ];
}
