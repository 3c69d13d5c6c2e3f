/**
 * The sign-in panel: how the account stands, and signing in with a device code. What it shows of the service goes
 * through `text`, never through HTML. The tokens stay on the server.
 */
import { sharedText } from '../shared/editor/texts';
import {
  type DeviceSession,
  type SignInForm,
  type SignInState,
  RequestFailed,
} from './sign-in-requests.editor';
import { accountState, cancelSignIn, signInState, signOut, startSignIn } from './sign-in-requests.editor';
import { type Part, accountLines, actions, button, checkbox, codeView, line } from './sign-in-view.editor';

export interface SignInPanelOptions {
  element: JQuery;
  id: string;
  /** The values of the form as they are now. */
  form(): SignInForm;
  /** Told with the time of a sign-in, with nothing when someone signed out. */
  onChange(signedInAt: string): void;
}

/** ms; the server polls the service at the service's pace, asking it costs nothing. */
const ASK_EVERY = 2_000;

export class SignInPanel {
  private session: DeviceSession | undefined;
  private timer: number | undefined;
  private isClosed = false;

  constructor(private readonly options: SignInPanelOptions) {}

  /** Shows how the account stands; `news` is what has just happened, `next` what is to be done about it. */
  async refresh(news: Part[] = [], next: Part[] = []): Promise<void> {
    this.show(line(sharedText('panel.loading'), 'quiet'));
    try {
      const state = await accountState(this.options.id);
      if (state.signedIn) this.showSignedIn([...news, ...accountLines(state), ...next]);
      else this.showSignedOut(news.length > 0 ? news : this.reason(state.needsSignIn));
    } catch (error) {
      this.showSignedOut([...news, bad(error)]);
    }
  }

  /** The dialog is closed. A session that still runs is ended only where the person gave up. */
  close(giveUp: boolean): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    if (giveUp && this.session) void cancelSignIn(this.session.session).catch(() => undefined);
    this.session = undefined;
  }

  private reason(needs: { code: string; message: string } | undefined): Part[] {
    // Where nobody ever signed in, the sentence tells to open this very panel.
    if (!needs || needs.message === sharedText('errors.sign_in_required')) {
      return [line(sharedText('panel.not_signed_in'), 'title')];
    }
    return [line(sharedText('panel.needs_sign_in'), 'title'), line(needs.message)];
  }

  private showSignedIn(lines: Part[]): void {
    const revoke = checkbox(sharedText('panel.revoke'), sharedText('panel.revoke_hint'));
    this.show(
      ...lines,
      actions(
        button('refresh', sharedText('panel.sign_in_again'), () => this.signIn()),
        button('sign-out', sharedText('panel.sign_out'), () => this.signOut(revoke.isTicked())),
        revoke.element,
      ),
    );
  }

  private showSignedOut(lines: Part[]): void {
    this.show(
      ...lines,
      actions(button('sign-in', sharedText('panel.sign_in'), () => this.signIn(), 'primary')),
    );
  }

  private async signIn(): Promise<void> {
    this.show(line(sharedText('panel.starting'), 'quiet'));
    try {
      const session = await startSignIn(this.options.id, this.options.form());
      if (this.isClosed) return void cancelSignIn(session.session).catch(() => undefined);
      this.session = session;
      this.showCode(session);
      this.askSoon(session, Date.now() + session.expiresIn * 1_000);
    } catch (error) {
      this.showSignedOut([line(sharedText('panel.failed'), 'title'), bad(error)]);
    }
  }

  private showCode(session: DeviceSession): void {
    this.show(
      ...codeView(session),
      actions(button('times', sharedText('panel.cancel'), () => this.cancel(session))),
    );
  }

  private askSoon(session: DeviceSession, end: number): void {
    this.timer = window.setTimeout(
      () => void this.ask(session, end),
      Math.min(ASK_EVERY, session.interval * 1_000),
    );
  }

  private async ask(session: DeviceSession, end: number): Promise<void> {
    let answer: SignInState;
    try {
      answer = await signInState(session.session);
    } catch (error) {
      // Node-RED may be restarting; a session that it doesn't know is over.
      const isOver = error instanceof RequestFailed && error.status >= 400 && error.status < 500;
      answer = isOver || Date.now() > end ? { state: 'failed' } : { state: 'pending' };
    }
    if (this.isClosed || this.session !== session) return;
    if (answer.state === 'pending') return this.askSoon(session, end);
    this.session = undefined;
    if (answer.state === 'authorized') return this.signedIn();
    const lines = [line(sharedText(`panel.${answer.state}`), 'title')];
    if (answer.error) lines.push(line(answer.error.message, 'bad'));
    this.showSignedOut(lines);
  }

  private async signedIn(): Promise<void> {
    this.options.onChange(new Date().toISOString());
    await this.refresh([], [line(sharedText('panel.after_deploy'), 'good')]);
  }

  private async cancel({ session }: DeviceSession): Promise<void> {
    this.session = undefined;
    clearTimeout(this.timer);
    await cancelSignIn(session).catch(() => undefined);
    await this.refresh();
  }

  private async signOut(revoke: boolean): Promise<void> {
    this.show(line(sharedText('panel.signing_out'), 'quiet'));
    try {
      await signOut(this.options.id, revoke);
      this.options.onChange('');
      await this.refresh([line(sharedText(revoke ? 'panel.revoked' : 'panel.signed_out'), 'title')]);
    } catch (error) {
      await this.refresh([bad(error)]);
    }
  }

  private show(...parts: Part[]): void {
    if (this.isClosed) return;
    const { element } = this.options;
    // The button that was pressed is about to go: the keyboard must not fall back to the top of the page.
    const hadFocus = element.is(':focus') || element.find(':focus').length > 0;
    element.empty().append(...parts);
    if (!hadFocus) return;
    element.trigger('focus');
    element[0]?.scrollIntoView({ block: 'nearest' });
  }
}

function bad(error: unknown): Part {
  return line(error instanceof Error ? error.message : sharedText('panel.unknown'), 'bad');
}
