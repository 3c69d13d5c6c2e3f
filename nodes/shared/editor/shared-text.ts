/** Texts that several nodes show. They are in the account's catalogue. */

import type account from '../../account/locales/en-US/account.json';

type Catalogue = typeof account;

/** Such as `browse.root`. The build keeps texts of the runtime out of the catalogue that the editor loads. */
export type SharedTextKey = {
  [Group in keyof Omit<Catalogue, 'errors' | 'warnings' | 'page'>]: Catalogue[Group] extends string
    ? Group
    : `${Group}.${keyof Catalogue[Group] & string}`;
}[keyof Omit<Catalogue, 'errors' | 'warnings' | 'page'>];

const NAMESPACE = 'node-red-contrib-cloud-drive/cloud-drive-account';

/** @returns the text in the editor's language */
export function sharedText(key: SharedTextKey, params?: Record<string, string | number>): string {
  return RED._(`${NAMESPACE}:${key}`, params);
}
