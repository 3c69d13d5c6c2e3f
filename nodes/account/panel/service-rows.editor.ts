/** What depends on the service that is chosen: which rows there are, and which of them have to be filled. */
import { withoutApiPath } from '../../shared/contract/api-path';
import { addressProblem } from '../../shared/editor/url-check';
import { sharedText } from '../../shared/editor/texts';

/** The account whose dialog is open: of the others the saved service counts. */
let editing: string | undefined;

interface Account {
  id: string;
  service: string;
}

type Check = (this: Account, value: unknown, options?: { label?: string }) => boolean | string;

/** What an account without a name of its own is called: of two other services each by its host. */
export function serviceName({ service, baseUrl }: { service?: string; baseUrl?: string }): string {
  if (service !== 'custom') return sharedText('form.service_google');
  try {
    return new URL(baseUrl ?? '').host || sharedText('form.service_custom');
  } catch {
    return sharedText('form.service_custom');
  }
}

/** Shows the rows of the chosen service; without an id the dialog is closed. */
export function serviceRows(id: string | undefined): void {
  editing = id;
  if (id === undefined) return;
  const select = $('#node-config-input-service');
  const update = (): void => {
    const isCustom = select.val() === 'custom';
    $('.cloud-drive-custom').toggle(isCustom);
    $('.cloud-drive-google, #cloud-drive-record-hint').toggle(!isCustom);
    $('#cloud-drive-token-url').appendTo(
      isCustom ? '#cloud-drive-token-url-custom' : '#cloud-drive-token-url-google',
    );
    const placeholder = isCustom ? 'form.scope_placeholder_custom' : 'form.scope_placeholder';
    $('#node-config-input-scope').attr('placeholder', sharedText(placeholder));
    // What has to be filled has changed with the service.
    $('#node-config-input-baseUrl, #node-config-input-tokenUrl, #node-config-input-scope').trigger('change');
  };
  select.on('change', update);
  update();
}

/** An address that counts only with a custom service. */
export function customAddress(need: 'required' | 'optional'): Check {
  return function (value, _options) {
    return !isCustom(this) || addressCheck(value, need);
  };
}

/** An address that paths are put behind. */
export function customRoot(need: 'required' | 'optional'): Check {
  const check = customAddress(need);
  return function (value, options) {
    const instead = isCustom(this) && typeof value === 'string' ? withoutApiPath(value.trim()) : undefined;
    return instead === undefined
      ? check.call(this, value, options)
      : sharedText('validation.address_path', { instead });
  };
}

/** The token address counts with either service; the preset has one of its own. */
export const tokenAddress: Check = function (value, _options) {
  return addressCheck(value, isCustom(this) ? 'required' : 'optional');
};

/** A text that a custom service can't do without. */
export const customText: Check = function (value, _options) {
  return (
    !isCustom(this) ||
    (typeof value === 'string' && value.trim() !== '') ||
    sharedText('validation.text_missing')
  );
};

function addressCheck(value: unknown, need: 'required' | 'optional'): boolean | string {
  const address = typeof value === 'string' ? value.trim() : '';
  if (address === '') return need === 'optional' || sharedText('validation.address_missing');
  const problem = addressProblem(address);
  return problem === undefined || sharedText(`validation.${problem}`);
}

function isCustom(account: Account): boolean {
  const service = account.id === editing ? $('#node-config-input-service').val() : account.service;
  return service === 'custom';
}
