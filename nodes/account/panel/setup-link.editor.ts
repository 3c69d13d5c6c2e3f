/** Links from an error to the step of the setup where it can be fixed. */
import { errorText } from '../../shared/editor/admin-request';
import { sharedText } from '../../shared/editor/shared-text';
import type { Delegation, SetupStep } from '../../shared/contract/account-api';
import { accountValue, isCustomService } from './account-fields.editor';
import { DELEGATION_PAGE, consoleUrl } from './google-console.editor';
import { block, button, copyButton, link, paragraph } from './panel-elements.editor';

/** The text of an error, and below it the link to its step. */
export function errorView(error: unknown, style: 'bad' | undefined = 'bad'): JQuery[] {
  const { step, delegation } = error as { step?: SetupStep; delegation?: Delegation };
  const text = error instanceof Error ? errorText(error) : String((error as { message: unknown }).message);
  return [paragraph(text, style), ...copyButtons(delegation), ...setupLink(step)];
}

/** Copy what an administrator enters in the admin console. */
function copyButtons(delegation: Delegation | undefined): JQuery[] {
  if (!delegation) return [];
  const { clientId, scopes } = delegation;
  const buttons = [
    copyButton(clientId, sharedText('panel.copy_client_id')),
    copyButton(scopes, sharedText('panel.copy_scopes')),
  ];
  return [block('fix', ...buttons)];
}

/** @returns nothing without a step. The console is Google's: a custom service has a link to the dialog's step only */
export function setupLink(step: SetupStep | undefined): JQuery[] {
  if (step === undefined) return [];
  const text = sharedText(`console.${step}`);
  if (step === 'access') {
    const change = button('pencil', text, () => $('#cloud-drive-step-scope').trigger('cloud-drive-change'));
    return [block('fix', change)];
  }
  if (isCustomService()) return [];
  const url = step === 'delegation' ? DELEGATION_PAGE : consoleUrl(step, accountValue('clientId'));
  const icon = $('<i class="fa fa-external-link" aria-hidden="true">');
  return [block('fix', link(url, text).append(' ', icon))];
}
