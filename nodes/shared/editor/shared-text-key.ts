/** Keys of the texts in the account's catalogue that the editor shows: a wrong key doesn't compile. */
import type account from '../../account/locales/en-US/account.json';

/** The build keeps texts of the runtime out of the catalogue that the editor loads. */
type Catalogue = Omit<typeof account, 'errors' | 'warnings' | 'page' | 'result'>;

/** Such as `browse.root`. */
export type SharedTextKey = {
  [Group in keyof Catalogue]: Catalogue[Group] extends string
    ? Group
    : `${Group}.${keyof Catalogue[Group] & string}`;
}[keyof Catalogue];
