/** What depends on the selected service: which rows are shown, and which URLs are required. */
import { accountField, accountValue, isCustomService, isServiceAccount } from './account-fields.editor';
import { stripApiPath } from '../../shared/contract/values';
import { sharedText } from '../../shared/editor/shared-text';
import { urlProblem } from '../../shared/editor/url-check';

/** Id of the account whose dialog is open. For other accounts the saved service counts. */
let editedAccount: string | undefined;

interface Account {
  id: string;
  service: string;
  auth?: string;
}

type Validator = (this: Account, value: unknown, options?: { label?: string }) => boolean | string;

/** The label of an account without a name; for a custom service its host, which distinguishes several of them. */
export function serviceName({ service, baseUrl }: { service?: string; baseUrl?: string }): string {
  if (service !== 'custom') return sharedText('form.service_google');
  try {
    return new URL(baseUrl ?? '').host || sharedText('form.service_custom');
  } catch {
    return sharedText('form.service_custom');
  }
}

/** Shows the rows of the selected service. @param accountId undefined when the dialog is closed */
export function showServiceRows(accountId: string | undefined): void {
  editedAccount = accountId;
  if (accountId === undefined) return;
  const update = (): void => {
    const isCustom = isCustomService();
    $('.cloud-drive-custom').toggle(isCustom);
    $('.cloud-drive-google, #cloud-drive-client-json-hint').toggle(!isCustom);
    $('#cloud-drive-token-url').appendTo(
      isCustom ? '#cloud-drive-token-url-custom' : '#cloud-drive-token-url-google',
    );
    // Validate again the fields that are required for a custom service only.
    $('#node-config-input-baseUrl, #node-config-input-tokenUrl, #node-config-input-scope').trigger('change');
  };
  accountField('service').on('change', update);
  update();
  initDerivedUrls();
  const hasHiddenProblem = $('#cloud-drive-other-urls .input-error').length > 0;
  $('#cloud-drive-other-urls').prop('open', hasHiddenProblem && accountValue('baseUrl') !== '');
}

/** A URL that is used only for a custom service. */
export function customUrl(need: 'required' | 'optional'): Validator {
  return function (value, _options) {
    return !isCustom(this) || validateUrl(value, need);
  };
}

/** A URL to which the client appends API paths. */
export function customBaseUrl(need: 'required' | 'optional'): Validator {
  const validate = customUrl(need);
  return function (value, options) {
    const instead = isCustom(this) && typeof value === 'string' ? stripApiPath(value.trim()) : undefined;
    return instead === undefined
      ? validate.call(this, value, options)
      : sharedText('validation.address_path', { instead });
  };
}

/** The token URL is for both services. Google Drive has a default, and a service account's key contains one. */
export const tokenUrl: Validator = function (value, _options) {
  return validateUrl(value, isCustom(this) && !usesServiceAccount(this) ? 'required' : 'optional');
};

/** A text that is required for a custom service. */
export const customText: Validator = function (value, _options) {
  return (
    !isCustom(this) ||
    usesServiceAccount(this) ||
    (typeof value === 'string' && value.trim() !== '') ||
    sharedText('validation.text_missing')
  );
};

function validateUrl(value: unknown, need: 'required' | 'optional'): boolean | string {
  const url = typeof value === 'string' ? value.trim() : '';
  if (url === '') return need === 'optional' || sharedText('validation.address_missing');
  const problem = urlProblem(url);
  return problem === undefined || sharedText(`validation.${problem}`);
}

function isCustom(account: Account): boolean {
  return account.id === editedAccount ? isCustomService() : account.service === 'custom';
}

function usesServiceAccount({ id, auth }: Account): boolean {
  return id === editedAccount ? isServiceAccount() : auth === 'service-account';
}

/** The OAuth URLs of a custom service, filled in from its service URL. Many services have them at these paths. */
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
function initDerivedUrls(): void {
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
