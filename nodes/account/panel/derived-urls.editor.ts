/** The OAuth URLs of a custom service, filled in from its service URL. Many services have them at the same paths. */
import { urlProblem } from '../../shared/editor/url-check';
import { accountField, accountValue, isCustomService } from './account-fields.editor';

const PATHS = {
  tokenUrl: '/token',
  deviceUrl: '/device/code',
  authUrl: '/o/oauth2/v2/auth',
  revokeUrl: '/revoke',
} as const;

type DerivedUrl = keyof typeof PATHS;

/** @returns '' for an invalid service URL. The origin is the service's own, so that secrets go nowhere else */
export function derivedUrl(property: DerivedUrl): string {
  const base = accountValue('baseUrl');
  return urlProblem(base) === undefined ? new URL(base).origin + PATHS[property] : '';
}

/** Fills the fields whenever the service URL changes, except for those that the user has filled differently. */
export function initDerivedUrls(): void {
  const properties = Object.keys(PATHS) as DerivedUrl[];
  const isNew = accountValue('baseUrl') === '';
  const filled = new Map(
    properties.map((property) => [property, isNew ? '' : derivedUrl(property) || undefined]),
  );
  accountField('baseUrl').on('change input', () => {
    if (!isCustomService()) return;
    for (const property of properties) {
      const derived = derivedUrl(property);
      if (derived === '' || accountValue(property) !== filled.get(property)) continue;
      filled.set(property, derived);
      accountField(property).val(derived).trigger('change');
    }
  });
}
