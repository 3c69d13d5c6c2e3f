/** What the account may see: three choices of the preset, or a scope that is typed in. The field holds what is saved. */
import { sharedText } from '../../shared/editor/texts';

const BASE = 'https://www.googleapis.com/auth/';
/** The choice and its scope; the preset's own is saved as an empty field. */
const CHOICES: Readonly<Record<string, string>> = {
  file: '',
  appdata: `${BASE}drive.appdata`,
  full: `${BASE}drive`,
};

const field = (): JQuery => $('#node-config-input-scope');
const radio = (choice: string): JQuery => $(`#cloud-drive-scope-${choice}`);

/** @param onChange told whenever another scope is chosen or typed */
export function scopeChoice(onChange: () => void): void {
  const show = (): void => {
    const choice = choiceOf(scopeInForm());
    radio(choice).prop('checked', true);
    $('#cloud-drive-scope-field').toggle(isCustom() || choice === 'other');
  };
  for (const [choice, scope] of Object.entries(CHOICES)) {
    radio(choice).on('change', () => {
      field().val(scope).trigger('change');
      show();
    });
  }
  radio('other').on('change', () => {
    $('#cloud-drive-scope-field').show();
    field().trigger('focus');
  });
  field().on('change input', onChange);
  $('#node-config-input-service').on('change', () => {
    show();
    onChange();
  });
  show();
}

/** Whether a device code can't give what is to be seen. */
export function needsBrowser(): boolean {
  if (isCustom()) return false;
  return scopeInForm()
    .split(/\s+/)
    .some((scope) => scope.startsWith(BASE) && !DEVICE.includes(scope.slice(BASE.length)));
}

/** https://developers.google.com/identity/protocols/oauth2/limited-input-device#allowedscopes */
const DEVICE = ['drive.file', 'drive.appdata', 'userinfo.email', 'userinfo.profile'];

/** @returns a scope in words, where there are some for it */
export function scopeName(scope: string): string {
  const name = scope.startsWith(BASE) ? scope.slice(BASE.length) : scope;
  const known = { 'drive.file': 'file', 'drive.appdata': 'appdata', drive: 'full' }[name];
  return known === undefined ? name : `${sharedText(`scope.${known}`)} (${name})`;
}

/** What is chosen, in words. */
export function scopeSummary(): string {
  const scope = scopeInForm();
  return (scope === '' && !isCustom() ? [`${BASE}drive.file`] : scope.split(/\s+/)).map(scopeName).join(', ');
}

function scopeInForm(): string {
  return String(field().val() ?? '').trim();
}

function isCustom(): boolean {
  return $('#node-config-input-service').val() === 'custom';
}

function choiceOf(scope: string): string {
  if (scope === `${BASE}drive.file`) return 'file';
  const known = Object.entries(CHOICES).find(([, value]) => value === scope);
  return known ? known[0] : 'other';
}
