/** The pieces that the sign-in panel is made of. */
import { sharedText } from '../shared/editor/texts';
import type { AccountState, DeviceSession } from './sign-in-requests.editor';

export type Part = JQuery;

export function line(text: string, kind?: 'title' | 'quiet' | 'good' | 'bad'): Part {
  const element = $('<p>').text(text);
  return kind ? element.addClass(`cloud-drive-${kind}`) : element;
}

export function actions(...parts: Part[]): Part {
  return $('<div class="cloud-drive-actions">').append(...parts);
}

export function button(icon: string, text: string, press: () => unknown, kind = ''): Part {
  return $('<button type="button" class="red-ui-button">')
    .addClass(kind)
    .append($('<i aria-hidden="true">').addClass(`fa fa-${icon}`), document.createTextNode(` ${text}`))
    .on('click', () => void press());
}

export function checkbox(text: string, hint: string): { element: Part; isTicked(): boolean } {
  const box = $('<input type="checkbox">');
  const element = $('<label>').attr('title', hint).append(box, document.createTextNode(text));
  return { element, isTicked: () => box.prop('checked') === true };
}

/** Who is signed in, since when and for what. */
export function accountLines({ account, scope, missingScopes = [], since }: AccountState): Part[] {
  const who = nameOf(account);
  const title = who ? sharedText('panel.signed_in_as', { who }) : sharedText('panel.signed_in');
  const lines = [
    line(title, 'title').prepend('<i class="fa fa-check-circle cloud-drive-good" aria-hidden="true"></i> '),
  ];
  const time = since === undefined ? undefined : new Date(since);
  if (time && !Number.isNaN(time.getTime())) {
    lines.push(line(sharedText('panel.since', { time: time.toLocaleString() }), 'quiet'));
  }
  if (scope) lines.push(line(sharedText('panel.scope', { scope: scope.split(' ').join(', ') }), 'quiet'));
  if (missingScopes.length > 0) {
    lines.push(line(sharedText('panel.missing_scopes', { scopes: missingScopes.join(', ') }), 'bad'));
  }
  return lines;
}

function nameOf(account: AccountState['account']): string {
  if (account === undefined || typeof account === 'string') return account ?? '';
  const { displayName = '', emailAddress = '' } = account;
  return displayName && emailAddress ? `${displayName} <${emailAddress}>` : displayName || emailAddress;
}

/** Where to go, what to type there, and how long it is good for. */
export function codeView({
  userCode,
  verificationUrl,
  verificationUrlComplete,
  expiresIn,
}: DeviceSession): Part[] {
  const copy = button('copy', sharedText('panel.copy'), () => {
    RED.clipboard.copyText(userCode, copy, sharedText('panel.copied'));
  });
  const code = $('<span class="cloud-drive-code">')
    .attr('aria-label', sharedText('panel.code'))
    .text(userCode);
  const complete = verificationUrlComplete
    ? [line('').append(link(verificationUrlComplete, sharedText('panel.open')))]
    : [];
  return [
    line(sharedText('panel.step')),
    line('').append(link(verificationUrl)),
    line('').append(code, copy),
    ...complete,
    waiting(expiresIn),
  ];
}

/** Only an address of a web page becomes a link. */
function link(address: string, text = address): Part {
  if (!/^https?:\/\//i.test(address)) return $('<span>').text(sharedText('panel.bad_link'));
  return $('<a target="_blank" rel="noopener noreferrer">').attr('href', address).text(text);
}

function waiting(seconds: number): Part {
  const end = Date.now() + seconds * 1_000;
  // The count is not read out every second.
  const left = $('<span aria-live="off">');
  const update = (): void => {
    left.text(
      sharedText('panel.time_left', { time: clock(Math.max(0, Math.round((end - Date.now()) / 1_000))) }),
    );
  };
  const timer = window.setInterval(() => {
    if (left[0]?.isConnected) update();
    else clearInterval(timer);
  }, 1_000);
  update();
  return line('', 'quiet').append(
    $('<i class="fa fa-spinner fa-pulse" aria-hidden="true">'),
    document.createTextNode(` ${sharedText('panel.waiting')} `),
    left,
  );
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
