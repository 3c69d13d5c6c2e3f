/** The fields of the account's dialog. */
export const accountField = (property: string): JQuery => $(`#node-config-input-${property}`);

export const accountValue = (property: string): string => String(accountField(property).val() ?? '').trim();

export const isCustomService = (): boolean => accountValue('service') === 'custom';
