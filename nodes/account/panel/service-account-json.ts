/**
 * The key file of a service account.
 * https://developers.google.com/workspace/guides/create-credentials#create_credentials_for_a_service_account
 */
import { isObject } from '../../shared/contract/values';
import { parseJson } from '../../shared/editor/input-checks';

export interface ServiceAccountJson {
  /** The JSON on one line, as the credential is stored. */
  json: string;
  account: string;
}

/** A key below `record` in the catalogue. */
export type ServiceAccountJsonProblem = 'no_json' | 'key_type' | 'key_incomplete';

export function parseServiceAccountJson(text: string): ServiceAccountJson | ServiceAccountJsonProblem {
  const json = parseJson(text);
  if (!isObject(json)) return 'no_json';
  const { type, client_email: account, private_key: key } = json;
  if (type !== 'service_account') return 'key_type';
  if (typeof account !== 'string' || account === '' || typeof key !== 'string' || key === '')
    return 'key_incomplete';
  return { json: JSON.stringify(json), account };
}
