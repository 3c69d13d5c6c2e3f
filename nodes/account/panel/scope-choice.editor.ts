/**
 * The scope: three choices for Google Drive, or a typed scope. The field of the `scope` property contains the value.
 */
import { type SharedTextKey, sharedText } from '../../shared/editor/shared-text';
import { accountField, accountValue, isCustomService, isServiceAccount } from './account-fields.editor';

const BASE = 'https://www.googleapis.com/auth/';
/** Scopes by choice. Google Drive's default is stored as an empty value. */
const CHOICES: Readonly<Record<string, string>> = {
  file: '',
  appdata: `${BASE}drive.appdata`,
  full: `${BASE}drive`,
};

const field = (): JQuery => accountField('scope');
const radio = (choice: string): JQuery => $(`#cloud-drive-scope-${choice}`);

/** @param onChange called when another scope is selected or typed */
export function initScopeChoice(onChange: () => void): void {
  const show = (): void => {
    const choice = choiceOf(currentScope());
    radio(choice).prop('checked', true);
    $('#cloud-drive-scope-choices').toggle(!isTyped());
    $('#cloud-drive-scope-field').toggle(isTyped() || choice === 'other');
    field().attr('placeholder', sharedText(placeholder()));
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
  $('#node-config-input-service, #node-config-input-auth').on('change', () => {
    show();
    onChange();
  });
  show();
}

/** @returns whether Google doesn't grant the scope to the device flow */
export function needsBrowser(): boolean {
  if (isCustomService()) return false;
  return currentScope()
    .split(/\s+/)
    .some((scope) => scope.startsWith(BASE) && !DEVICE_SCOPES.includes(scope.slice(BASE.length)));
}

/** @returns whether the account sees only files that clients of its Google Cloud project created */
export function seesProjectOnly(): boolean {
  return !isTyped() && choiceOf(currentScope()) === 'file';
}

/** https://developers.google.com/identity/protocols/oauth2/limited-input-device#allowedscopes */
const DEVICE_SCOPES = ['drive.file', 'drive.appdata', 'userinfo.email', 'userinfo.profile'];

const SCOPE_NAMES: Readonly<Record<string, SharedTextKey>> = {
  'drive.file': 'scope.file',
  'drive.appdata': 'scope.appdata',
  drive: 'scope.full',
};

/** @returns a description of a scope, or the scope itself if there is none */
export function scopeName(scope: string): string {
  const name = scope.startsWith(BASE) ? scope.slice(BASE.length) : scope;
  const key = SCOPE_NAMES[name];
  return key === undefined ? name : `${sharedText(key)} (${name})`;
}

/** @returns a description of the current scope */
export function scopeSummary(): string {
  const scope = currentScope();
  if (scope === '' && isServiceAccount()) return scopeName(`${BASE}drive`);
  return (scope === '' && !isCustomService() ? [`${BASE}drive.file`] : scope.split(/\s+/))
    .map(scopeName)
    .join(', ');
}

const currentScope = (): string => accountValue('scope');

/** The choices depend on how a user signs in to Google Drive. */
function isTyped(): boolean {
  return isCustomService() || isServiceAccount();
}

function placeholder(): SharedTextKey {
  if (isServiceAccount()) return 'form.scope_placeholder_service_account';
  return isCustomService() ? 'form.scope_placeholder_custom' : 'form.scope_placeholder';
}

function choiceOf(scope: string): string {
  if (scope === `${BASE}drive.file`) return 'file';
  return Object.keys(CHOICES).find((choice) => CHOICES[choice] === scope) ?? 'other';
}
