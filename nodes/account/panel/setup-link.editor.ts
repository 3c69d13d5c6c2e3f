/** Links from an error to the step of the setup where it can be fixed. */
import { errorText } from '../../shared/editor/admin-request';
import { sharedText } from '../../shared/editor/shared-text';
import type { SetupStep } from '../../shared/contract/account-api';
import { consoleUrl } from './google-console.editor';
import { block, button, link, paragraph } from './panel-elements.editor';

/** The text of an error, and below it the link to its step. */
export function errorView(error: unknown, style: 'bad' | undefined = 'bad'): JQuery[] {
  const { step } = error as { step?: SetupStep };
  const text = error instanceof Error ? errorText(error) : String((error as { message: unknown }).message);
  return [paragraph(text, style), ...setupLink(step)];
}

/** @returns nothing without a step. The console is Google's, so a custom service has a link to the dialog's own step only */
export function setupLink(step: SetupStep | undefined): JQuery[] {
  if (step === undefined) return [];
  const text = sharedText(`console.${step}`);
  if (step === 'access') {
    const change = button('pencil', text, () => $('#cloud-drive-step-scope').trigger('cloud-drive-change'));
    return [block('fix', change)];
  }
  if ($('#node-config-input-service').val() === 'custom') return [];
  const url = consoleUrl(step, String($('#node-config-input-clientId').val() ?? ''));
  const icon = $('<i class="fa fa-external-link" aria-hidden="true">');
  return [block('fix', link(url, text).append(' ', icon))];
}
