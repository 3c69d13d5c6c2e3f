/** The fields of the account's dialog. */

export const accountField = (property: string): JQuery => $(`#node-config-input-${property}`);

export const accountValue = (property: string): string => String(accountField(property).val() ?? '').trim();

export const isCustomService = (): boolean => accountValue('service') === 'custom';

const select = (): JQuery => $('#node-config-input-auth');

export function isServiceAccount(): boolean {
  return select().val() === 'service-account';
}

export function selectAuth(auth: 'user' | 'service-account'): void {
  if (select().val() !== auth) select().val(auth).trigger('change');
}

/** Shows the rows of the selected way to sign in. @param onChange called when another one is selected */
export function initAuthChoice(onChange: () => void): void {
  const update = (): void => {
    $('.cloud-drive-user').toggle(!isServiceAccount());
    $('.cloud-drive-service-account').toggle(isServiceAccount());
  };
  let selected = isServiceAccount();
  select().on('change', () => {
    update();
    // Validate again the fields that only a user needs.
    $('#node-config-input-tokenUrl, #node-config-input-scope').trigger('change');
    // Node-RED triggers the event for every field once the dialog is open.
    if (selected === isServiceAccount()) return;
    selected = isServiceAccount();
    onChange();
  });
  update();
}
