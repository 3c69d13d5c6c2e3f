/** The panel while a sign-in is pending: instructions, the remaining time, and problems so far. */
import { encode } from 'uqr';
import {
  block,
  button,
  buttonRow,
  collapsible,
  copyButton,
  link,
  linkButton,
  list,
  orderedSteps,
  paragraph,
  progressBar,
  setupLink,
  uniqueId,
  webUrl,
} from './panel-elements.editor';
import type { SignInStatus } from '../../shared/contract/account-api';
import { sharedText } from '../../shared/editor/shared-text';

export interface PendingViewOptions {
  onCancel(): unknown;
  /** Sends the redirect URL that the user pasted. Resolves with the problem if it can't be used. */
  sendRedirectUrl: (url: string) => Promise<string | undefined>;
  /** Whether the service redirects the browser to Node-RED. Otherwise the user pastes the redirect URL. */
  isRedirected: boolean;
}

export interface PendingView {
  elements: JQuery[];
  update(view: SignInStatus): void;
}

export function pendingView(view: SignInStatus, options: PendingViewOptions): PendingView {
  const problems = block('news');
  const update = ({ pollError, warning }: SignInStatus): void => {
    const paragraphs = [
      ...(pollError ? [paragraph(sharedText('panel.trouble', { reason: pollError.message }), 'bad')] : []),
      ...(warning === undefined ? [] : [paragraph(warning, 'bad')]),
    ];
    // Replacing the same text would make screen readers announce it again.
    if (problems.text() !== paragraphs.map((each) => each.text()).join(''))
      problems.empty().append(...paragraphs);
  };
  update(view);
  const instructions = view.flow === 'browser' ? browserSteps(view, options) : deviceSteps(view);
  const cancel = button('times', sharedText('panel.cancel'), () => options.onCancel());
  const elements = [instructions, timeLeft(view.expiresIn ?? 0), problems, buttonRow(cancel)];
  return { elements, update };
}

function deviceSteps({ userCode = '', verificationUrl = '', verificationUrlComplete }: SignInStatus): JQuery {
  const complete = verificationUrlComplete ? [completeLink(verificationUrl, verificationUrlComplete)] : [];
  const steps = orderedSteps(
    [paragraph(sharedText('panel.step_open')), paragraph('').append(link(verificationUrl)), ...complete],
    [
      paragraph(sharedText('panel.step_code')),
      block('code-row', codeElement(userCode), copyButton(userCode)),
    ],
    [paragraph(sharedText('panel.step_approve'))],
  );
  const qrUrl = webUrl(verificationUrlComplete ?? verificationUrl);
  if (!qrUrl) return steps;
  const picture = block('picture', qrCode(qrUrl.href), paragraph(sharedText('panel.qr_hint'), 'quiet'));
  return block('device', steps, picture);
}

/**
 * RFC 8628 section 3.2: a link that contains the user code. Its text hides the URL only if the host is already shown.
 */
function completeLink(verificationUrl: string, complete: string): JQuery {
  const isSameHost = webUrl(complete)?.origin === webUrl(verificationUrl)?.origin;
  return paragraph('').append(link(complete, isSameHost ? sharedText('panel.open') : undefined));
}

/** Shows the code in groups for readability, without separators in the text: it is copied unchanged. */
function codeElement(code: string): JQuery {
  return $('<span class="cloud-drive-code">').append(
    ...codeGroups(code).map((group) => $('<span>').text(group)),
  );
}

function codeGroups(code: string): string[] {
  // A code with a separator is already grouped by the service.
  if (code.length <= 5 || /[^A-Za-z0-9]/.test(code)) return [code];
  const size = code.length % 4 !== 0 && code.length % 3 === 0 ? 3 : 4;
  return code.match(new RegExp(`.{1,${size}}`, 'g')) ?? [code];
}

function browserSteps(
  { authorizationUrl = '', redirectUri = '' }: SignInStatus,
  options: PendingViewOptions,
): JQuery {
  const open = buttonRow(
    linkButton(authorizationUrl, sharedText('panel.open_page')),
    copyButton(authorizationUrl, sharedText('panel.copy_link')),
  );
  const help = collapsible(
    sharedText('panel.page_trouble'),
    list(
      [sharedText('panel.page_mismatch', { address: redirectUri }), ...setupLink('clients')],
      [sharedText('panel.page_unverified')],
      [sharedText('panel.page_testing'), ...setupLink('audience')],
      [sharedText('panel.page_blocked')],
    ),
  );
  const approve = paragraph(sharedText('panel.step_approve_page'));
  const last = options.isRedirected ? [paragraph(sharedText('panel.step_back'))] : redirectUrlField(options);
  const steps = orderedSteps([paragraph(sharedText('panel.step_page')), open], [approve], last);
  return block('browser', steps, help);
}

function redirectUrlField({ sendRedirectUrl }: PendingViewOptions): JQuery[] {
  const [id, problemId] = [uniqueId(), uniqueId()];
  const problem = $('<div class="cloud-drive-message cloud-drive-bad" role="alert">').attr('id', problemId);
  const input = $('<input type="text" autocomplete="off" spellcheck="false">').attr({
    ...{ id, 'aria-describedby': problemId },
    placeholder: sharedText('panel.redirected_placeholder'),
  });
  const send = async (): Promise<void> => {
    problem.text('');
    const message = await sendRedirectUrl(String(input.val()).trim());
    problem.text(message ?? '');
    if (message !== undefined) input.trigger('select');
  };
  // The value changes after the paste event.
  input.on('paste', () => void setTimeout(() => void send()));
  input.on('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    void send();
  });
  const label = $('<label>').attr('for', id).text(sharedText('panel.step_paste'));
  return [label, block('paste-row', input, button('check', sharedText('panel.go_on'), send)), problem];
}

/** The remaining time as a bar and a text. Screen readers don't announce each second. */
function timeLeft(seconds: number): JQuery {
  const end = performance.now() + seconds * 1_000;
  const text = $('<span aria-live="off">');
  const bar = progressBar(1, sharedText('panel.time'));
  const update = (): void => {
    const remaining = Math.max(0, Math.round((end - performance.now()) / 1_000));
    text.text(sharedText('panel.time_left', { time: formatDuration(remaining) }));
    const percent = seconds > 0 ? (100 * remaining) / seconds : 0;
    bar.attr('aria-valuenow', Math.round(percent)).children().css('width', `${percent}%`);
  };
  const timer = window.setInterval(() => {
    if (text[0]?.isConnected) update();
    else clearInterval(timer);
  }, 1_000);
  update();
  const waiting = $('<span>').text(sharedText('panel.waiting'));
  return block('time', bar, block('time-text', waiting, text).attr('aria-live', 'off'));
}

/** @returns minutes and seconds: `4:05` */
function formatDuration(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

const SVG = 'http://www.w3.org/2000/svg';
/** Width of the white margin in modules, required by ISO/IEC 18004. */
const QUIET_ZONE = 4;

/** A URL as a QR code (ISO/IEC 18004). Dark on white in every theme, because many readers don't recognize inverted codes. */
function qrCode(url: string): JQuery {
  const { data, size } = encode(url, { ecc: 'M', border: QUIET_ZONE });
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', squares(data));
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${size} ${size}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', sharedText('panel.qr_code'));
  svg.setAttribute('class', 'cloud-drive-qr');
  svg.setAttribute('shape-rendering', 'crispEdges');
  svg.append(path);
  return $(svg as unknown as HTMLElement);
}

function squares(rows: boolean[][]): string {
  return rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
}
