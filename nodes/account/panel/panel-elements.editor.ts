/** Elements of the sign-in panel. Texts from a server are inserted as text, never as HTML. */
import { accountValue, isCustomService } from './account-fields.editor';
import { consoleUrl, DELEGATION_PAGE } from './google-console.editor';
import type { Delegation, SetupStep } from '../../shared/contract/account-api';
import { errorText } from '../../shared/editor/admin-request';
import { sharedText } from '../../shared/editor/shared-text';

export function paragraph(text: string, style?: 'title' | 'quiet' | 'good' | 'bad'): JQuery {
  const element = $('<p>').text(text);
  return style ? element.addClass(`cloud-drive-${style}`) : element;
}

export function buttonRow(...buttons: JQuery[]): JQuery {
  return $('<div class="cloud-drive-actions">').append(...buttons);
}

/** @param name CSS class without the prefix `cloud-drive-` */
export function block(name: string, ...contents: JQuery[]): JQuery {
  return $('<div>')
    .addClass(`cloud-drive-${name}`)
    .append(...contents);
}

/** Numbered instructions. */
export function orderedSteps(...steps: JQuery[][]): JQuery {
  return $('<ol class="cloud-drive-steps">').append(
    ...steps.map((contents) => $('<li>').append(...contents)),
  );
}

export function button(icon: string, text: string, onClick: () => unknown, cssClass = ''): JQuery {
  return $('<button type="button" class="red-ui-button">')
    .addClass(cssClass)
    .append($('<i aria-hidden="true">').addClass(`fa fa-${icon}`), document.createTextNode(` ${text}`))
    .on('click', () => void onClick());
}

/** Copies a text to the clipboard. */
export function copyButton(text: string, label = sharedText('panel.copy')): JQuery {
  const element = button('copy', label, () => {
    RED.clipboard.copyText(text, element, sharedText('panel.copied'));
  });
  return element;
}

/**
 * A link whose text is the URL it opens, unless `text` is given. The URL is serialized, so that characters that change
 * the direction of text can't disguise it.
 * @returns a text that there is no link, if the URL isn't a web page's
 */
export function link(url: string, text?: string): JQuery {
  const href = webUrl(url)?.href;
  if (href === undefined) return $('<span>').text(sharedText('panel.bad_link'));
  return $('<a target="_blank" rel="noopener noreferrer">')
    .attr('href', href)
    .text(text ?? href);
}

export function linkButton(url: string, text: string): JQuery {
  const element = link(url, ` ${text}`);
  if (!element.is('a')) return element;
  return element
    .addClass('red-ui-button primary')
    .prepend('<i class="fa fa-external-link" aria-hidden="true"></i>');
}

/** @returns undefined unless it is an http(s) URL without user info, which could pose as the host */
export function webUrl(text: string): URL | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  return /^https?:$/.test(url.protocol) && !url.username && !url.password ? url : undefined;
}

export function collapsible(title: string, ...contents: JQuery[]): JQuery {
  return $('<details>').append($('<summary>').text(title), ...contents);
}

/** Each item is a text, followed by elements. */
export function list(...items: [text: string, ...elements: JQuery[]][]): JQuery {
  return $('<ul>').append(
    ...items.map(([text, ...elements]) =>
      $('<li>')
        .text(text)
        .append(...elements),
    ),
  );
}

let idCount = 0;

/** @returns an id for elements that refer to each other */
export function uniqueId(): string {
  return `cloud-drive-part-${++idCount}`;
}

/** @param hint explanation below the label */
export function checkbox(text: string, hint: string): { element: JQuery; isChecked(): boolean } {
  const [id, hintId] = [uniqueId(), uniqueId()];
  const input = $('<input type="checkbox">').attr({ id, 'aria-describedby': hintId });
  const label = $('<label>').attr('for', id).text(text);
  const element = block('option', input, $('<div>').append(label, hintText(hint, hintId)));
  return { element, isChecked: () => input.prop('checked') === true };
}

export function hintText(text: string, id: string): JQuery {
  return $('<div class="cloud-drive-hint">').attr('id', id).text(text);
}

/** @param fraction from 0 to 1 */
export function progressBar(fraction: number, label: string): JQuery {
  const percent = Math.round(Math.min(1, Math.max(0, fraction)) * 100);
  const element = $('<div class="cloud-drive-bar" role="progressbar" aria-valuemin="0" aria-valuemax="100">');
  return element
    .attr({ 'aria-valuenow': percent, 'aria-label': label })
    .append($('<div>').css('width', `${percent}%`));
}

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
