/** The pieces that the sign-in panel is made of. What comes from a server goes through `text`, never through HTML. */
import { sharedText } from '../../shared/editor/texts';

export type Part = JQuery;

export function line(text: string, kind?: 'title' | 'quiet' | 'good' | 'bad'): Part {
  const element = $('<p>').text(text);
  return kind ? element.addClass(`cloud-drive-${kind}`) : element;
}

export function actions(...parts: Part[]): Part {
  return $('<div class="cloud-drive-actions">').append(...parts);
}

export function box(name: string, ...parts: Part[]): Part {
  return $('<div>')
    .addClass(`cloud-drive-${name}`)
    .append(...parts);
}

/** What to do, one after the other. */
export function steps(...contents: Part[][]): Part {
  return $('<ol class="cloud-drive-steps">').append(...contents.map((parts) => $('<li>').append(...parts)));
}

export function button(icon: string, text: string, press: () => unknown, kind = ''): Part {
  return $('<button type="button" class="red-ui-button">')
    .addClass(kind)
    .append($('<i aria-hidden="true">').addClass(`fa fa-${icon}`), document.createTextNode(` ${text}`))
    .on('click', () => void press());
}

/** A button that puts a text into the clipboard as it is. */
export function copyButton(text: string, label = sharedText('panel.copy')): Part {
  const copy = button('copy', label, () => {
    RED.clipboard.copyText(text, copy, sharedText('panel.copied'));
  });
  return copy;
}

/** Only an address of a web page becomes a link. */
export function link(address: string, text = address): Part {
  if (!/^https?:\/\//i.test(address)) return $('<span>').text(sharedText('panel.bad_link'));
  return $('<a target="_blank" rel="noopener noreferrer">').attr('href', address).text(text);
}

export function linkButton(address: string, text: string): Part {
  const element = link(address, ` ${text}`);
  if (!element.is('a')) return element;
  return element
    .addClass('red-ui-button primary')
    .prepend('<i class="fa fa-external-link" aria-hidden="true"></i>');
}

/** Something that is opened by whoever wants to know. */
export function folded(title: string, ...parts: Part[]): Part {
  return $('<details>').append($('<summary>').text(title), ...parts);
}

export function list(...texts: string[]): Part {
  return $('<ul>').append(...texts.map((text) => $('<li>').text(text)));
}

let count = 0;

/** @returns an id for what a label belongs to, or describes it */
export function newId(): string {
  return `cloud-drive-part-${++count}`;
}

/** @param hint what it means, below it */
export function checkbox(text: string, hint: string): { element: Part; isTicked(): boolean } {
  const [id, hintId] = [newId(), newId()];
  const input = $('<input type="checkbox">').attr({ id, 'aria-describedby': hintId });
  const label = $('<label>').attr('for', id).text(text);
  const element = box('option', input, $('<div>').append(label, hintText(hint, hintId)));
  return { element, isTicked: () => input.prop('checked') === true };
}

export function hintText(text: string, id: string): Part {
  return $('<div class="cloud-drive-hint">').attr('id', id).text(text);
}

/** How full something is, from 0 to 1. */
export function bar(part: number, name: string): Part {
  const percent = Math.round(Math.min(1, Math.max(0, part)) * 100);
  const element = $('<div class="cloud-drive-bar" role="progressbar" aria-valuemin="0" aria-valuemax="100">');
  return element
    .attr({ 'aria-valuenow': percent, 'aria-label': name })
    .append($('<div>').css('width', `${percent}%`));
}
