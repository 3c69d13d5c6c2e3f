/** What a person sees while a sign-in waits for them: what to do, how long there is, what went wrong on the way. */
import { sharedText } from '../../shared/editor/texts';
import {
  type Part,
  actions,
  bar,
  box,
  button,
  copyButton,
  folded,
  line,
  link,
  linkButton,
  list,
  newId,
  steps,
} from './panel-parts.editor';
import { qrCode } from './qr-code.editor';
import type { SignInStatus } from '../../shared/contract/account-api';

export interface WaitingActions {
  cancel(): unknown;
  /** Sends the address that was pasted. @returns what is wrong with it */
  send(redirected: string): Promise<string | undefined>;
  /** Whether the browser comes back by itself. */
  comesBack: boolean;
}

export interface WaitingView {
  parts: Part[];
  /** Shows what is new of a sign-in that goes on. */
  update(state: SignInStatus): void;
}

export function waitingView(state: SignInStatus, doing: WaitingActions): WaitingView {
  const news = box('news');
  const update = ({ pollError, warning }: SignInStatus): void => {
    const lines = [
      ...(pollError ? [line(sharedText('panel.trouble', { reason: pollError.message }), 'bad')] : []),
      ...(warning === undefined ? [] : [line(warning, 'bad')]),
    ];
    // What is there already is not read out again.
    if (news.text() !== lines.map((each) => each.text()).join('')) news.empty().append(...lines);
  };
  update(state);
  const what = state.flow === 'browser' ? browserSteps(state, doing) : deviceSteps(state);
  const cancel = button('times', sharedText('panel.cancel'), () => doing.cancel());
  return { parts: [what, timeLeft(state.expiresIn ?? 0), news, actions(cancel)], update };
}

function deviceSteps({ userCode = '', verificationUrl = '', verificationUrlComplete }: SignInStatus): Part {
  const page = verificationUrlComplete ?? verificationUrl;
  const complete = verificationUrlComplete
    ? [line('').append(link(verificationUrlComplete, sharedText('panel.open')))]
    : [];
  const todo = steps(
    [line(sharedText('panel.step_open')), line('').append(link(verificationUrl)), ...complete],
    [line(sharedText('panel.step_code')), box('code-row', codeView(userCode), copyButton(userCode))],
    [line(sharedText('panel.step_approve'))],
  );
  if (!/^https?:\/\//i.test(page)) return todo;
  const picture = box('picture', qrCode(page), line(sharedText('panel.qr_hint'), 'quiet'));
  return box('device', todo, picture);
}

/** The code in groups that the eye can keep, with nothing put between them: it is copied as it is. */
function codeView(code: string): Part {
  return $('<span class="cloud-drive-code">').append(
    ...groupsOf(code).map((group) => $('<span>').text(group)),
  );
}

function groupsOf(code: string): string[] {
  // One that the service has grouped itself stays so.
  if (code.length <= 5 || /[^A-Za-z0-9]/.test(code)) return [code];
  const size = code.length % 4 !== 0 && code.length % 3 === 0 ? 3 : 4;
  return code.match(new RegExp(`.{1,${size}}`, 'g')) ?? [code];
}

function browserSteps(
  { authorizationUrl = '', redirectUri = '' }: SignInStatus,
  doing: WaitingActions,
): Part {
  const open = actions(
    linkButton(authorizationUrl, sharedText('panel.open_page')),
    copyButton(authorizationUrl, sharedText('panel.copy_link')),
  );
  const help = folded(
    sharedText('panel.page_trouble'),
    list(
      sharedText('panel.page_mismatch', { address: redirectUri }),
      sharedText('panel.page_unverified'),
      sharedText('panel.page_testing'),
      sharedText('panel.page_blocked'),
    ),
  );
  const approve = line(sharedText('panel.step_approve_page'));
  const last = doing.comesBack ? [line(sharedText('panel.step_back'))] : pasteField(doing);
  return box('browser', steps([line(sharedText('panel.step_page')), open], [approve], last), help);
}

function pasteField(doing: WaitingActions): Part[] {
  const [id, problemId] = [newId(), newId()];
  const problem = $('<div class="cloud-drive-message cloud-drive-bad" role="alert">').attr('id', problemId);
  const input = $('<input type="text" autocomplete="off" spellcheck="false">').attr({
    ...{ id, 'aria-describedby': problemId },
    placeholder: sharedText('panel.redirected_placeholder'),
  });
  const press = async (): Promise<void> => {
    problem.text('');
    const wrong = await doing.send(String(input.val()).trim());
    problem.text(wrong ?? '');
    if (wrong !== undefined) input.trigger('select');
  };
  input.on('paste', () => void setTimeout(() => void press()));
  input.on('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    void press();
  });
  const label = $('<label>').attr('for', id).text(sharedText('panel.step_paste'));
  return [label, box('paste-row', input, button('check', sharedText('panel.go_on'), press)), problem];
}

/** The time that is left, as a bar and in figures. It is not read out every second. */
function timeLeft(seconds: number): Part {
  const end = performance.now() + seconds * 1_000;
  const text = $('<span aria-live="off">');
  const left = bar(1, sharedText('panel.time'));
  const update = (): void => {
    const now = Math.max(0, Math.round((end - performance.now()) / 1_000));
    text.text(sharedText('panel.time_left', { time: clock(now) }));
    const percent = seconds > 0 ? (100 * now) / seconds : 0;
    left.attr('aria-valuenow', Math.round(percent)).children().css('width', `${percent}%`);
  };
  const timer = window.setInterval(() => {
    if (text[0]?.isConnected) update();
    else clearInterval(timer);
  }, 1_000);
  update();
  const waiting = $('<span>').text(sharedText('panel.waiting'));
  return box('time', left, box('time-text', waiting, text).attr('aria-live', 'off'));
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
