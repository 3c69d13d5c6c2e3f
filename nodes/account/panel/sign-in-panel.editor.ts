/** The sign-in panel: how the account stands, signing in and out. The tokens stay on the server. */
import { RequestFailed, reasonOf } from '../../shared/editor/admin-request';
import { sharedText } from '../../shared/editor/texts';
import type { AccountStatus, SignInStatus } from '../../shared/contract/account-api';
import { Poller } from './poller.editor';
import { type Part, actions, box, button, checkbox, line } from './panel-parts.editor';
import { goOn, takeOver } from './background-sign-in.editor';
import {
  type SignInForm,
  accountState,
  cancelSignIn,
  sendRedirected,
  signInState,
  signOut,
  startSignIn,
} from './sign-in-requests.editor';
import { forgetSession, keepSession, keptSession } from './sign-in-store.editor';
import { type SignInWays, callbackAddress, loopbackAddress } from './sign-in-ways.editor';
import { accountLines, connectionView, reasonLines } from './signed-in-view.editor';
import { type WaitingView, waitingView } from './waiting-view.editor';

export interface SignInPanelOptions {
  element: JQuery;
  id: string;
  ways: SignInWays;
  /** The values of the form as they are now. */
  form(): SignInForm;
  /** Told with the time of a sign-in, with nothing when someone signed out. */
  onChange(signedInAt: string): void;
  /** Told how the account stands whenever that is shown, and whether a sign-in has ended or failed. */
  onState(signedIn: boolean, isOver: boolean): void;
}

/** ms without news: while somebody waits for the end of a sign-in, and else. */
const SOON = 2_000;
const SELDOM = 15_000;

export class SignInPanel {
  private session: string | undefined;
  /** Whether it was begun since the dialog was opened. */
  private isOwn = false;
  private waiting: WaitingView | undefined;
  private topic: string | undefined;
  private shown = '';
  private isClosed = false;
  /** Between the press of a button and its answer: what is heard meanwhile is of half of it. */
  private isBusy = false;
  private readonly live = new Poller(() => (this.session ? this.lookAtSession() : this.lookAtAccount()));

  constructor(private readonly options: SignInPanelOptions) {}

  async open(): Promise<void> {
    const { id } = this.options;
    takeOver(id);
    this.show(line(sharedText('panel.loading'), 'quiet'));
    this.session = keptSession(id);
    if (!this.session) return this.refresh();
    this.topic = (await accountState(id).catch(() => undefined))?.topic;
    this.live.follow(this.topic, SOON);
    await this.lookAtSession();
  }

  /** The dialog is closed. A session that still runs is ended only where the person gave up what they began here. */
  close(giveUp: boolean): void {
    this.isClosed = true;
    this.live.stop();
    const { id } = this.options;
    if (!this.session) return;
    if (giveUp && this.isOwn) {
      forgetSession(id);
      void cancelSignIn(this.session).catch(() => undefined);
    } else goOn(id, this.session, this.topic);
  }

  /** Shows how the account stands; `news` is what has just happened, `next` what is to be done about it. */
  private async refresh(news: Part[] = [], next: Part[] = []): Promise<void> {
    let state: AccountStatus | undefined;
    try {
      state = await accountState(this.options.id);
    } catch (error) {
      news = [...news, bad(error)];
    }
    // Meanwhile another button may have been pressed.
    if (this.isBusy || this.session) return;
    if (state) return this.showAccount(state, news, next);
    this.live.follow(this.topic, SELDOM);
    this.showSignedOut(news);
  }

  private async lookAtAccount(): Promise<void> {
    const state = await accountState(this.options.id).catch(() => undefined);
    if (!state || this.isBusy || this.session || JSON.stringify(state) === this.shown) return;
    this.showAccount(state);
  }

  private showAccount(state: AccountStatus, news: Part[] = [], next: Part[] = []): void {
    this.shown = JSON.stringify(state);
    this.topic = state.topic;
    this.live.follow(this.topic, SELDOM);
    if (this.isClosed) return;
    const hasEnded = state.needsSignIn?.code === 'sign_in_required' && !state.isNew;
    this.options.onState(state.signedIn, !state.signedIn && (hasEnded || news.length > 0));
    if (state.signedIn) return this.showSignedIn(state, news, next);
    const other = state.signingIn ? [line(sharedText('panel.signing_in_elsewhere'))] : [];
    this.showSignedOut([...(news.length > 0 ? news : reasonLines(state)), ...other]);
  }

  private showSignedIn(state: AccountStatus, news: Part[], next: Part[]): void {
    const revoke = checkbox(sharedText('panel.revoke'), sharedText('panel.revoke_hint'));
    const connection = connectionView(this.options.id);
    const buttons = actions(
      button('plug', sharedText('panel.test'), () => connection.test(true)),
      button('user', sharedText('panel.sign_in_other'), () => this.showWays()),
      button('sign-out', sharedText('panel.sign_out'), () => this.signOut(revoke.isTicked())),
    );
    this.show(...news, ...accountLines(state), connection.element, ...next, buttons, revoke.element);
    void connection.test(false);
  }

  private showSignedOut(lines: Part[]): void {
    this.show(...lines, this.options.ways.view(), actions(this.signInButton()));
  }

  /** For another sign-in over the one that there is. */
  private showWays(): void {
    const back = button('times', sharedText('panel.cancel'), () => this.refresh());
    const title = line(sharedText('panel.sign_in_other'), 'title');
    this.show(title, this.options.ways.view(), actions(this.signInButton(), back));
  }

  private signInButton(): Part {
    return button('sign-in', sharedText('panel.sign_in'), () => this.signIn(), 'primary');
  }

  private async signIn(): Promise<void> {
    const { id, ways } = this.options;
    this.show(line(sharedText('panel.starting'), 'quiet'));
    const { way } = ways;
    const redirectUri = way === 'browser' ? callbackAddress() : way === 'paste' ? loopbackAddress() : '';
    const flow = way === 'device' ? 'device' : 'browser';
    const form = { ...this.options.form(), flow, redirectUri };
    try {
      const session = await this.alone(() => startSignIn(id, form));
      if (this.isClosed) return void cancelSignIn(session).catch(() => undefined);
      this.session = session;
      this.isOwn = true;
      keepSession(id, session);
      this.live.follow(this.topic, SOON);
      await this.lookAtSession();
    } catch (error) {
      await this.refresh([line(sharedText('panel.failed'), 'title'), bad(error)]);
    }
  }

  private async alone<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.isBusy = true;
    try {
      return await ask();
    } finally {
      this.isBusy = false;
    }
  }

  private async lookAtSession(): Promise<void> {
    const { session } = this;
    if (!session) return;
    let state: SignInStatus;
    try {
      state = await signInState(session);
    } catch (error) {
      const reason = { code: '', message: reasonOf(error) };
      const isOver = error instanceof RequestFailed && error.isFinal;
      // Node-RED may be restarting.
      state = isOver ? { state: 'failed', error: reason } : { state: 'pending', pollError: reason };
    }
    if (this.isClosed || this.session !== session) return;
    if (state.state !== 'pending') await this.ended(state);
    else if (this.waiting) this.waiting.update(state);
    else if (state.flow) this.showWaiting(session, state);
  }

  private showWaiting(session: string, state: SignInStatus): void {
    const send = async (redirected: string): Promise<string | undefined> => {
      try {
        await sendRedirected(session, redirected);
      } catch (error) {
        return reasonOf(error);
      }
      await this.lookAtSession();
      return undefined;
    };
    const comesBack = state.redirectUri === callbackAddress();
    this.waiting = waitingView(state, { send, comesBack, cancel: () => this.cancel(session) });
    this.show(...this.waiting.parts);
  }

  private async ended({ state, error, warning }: SignInStatus): Promise<void> {
    this.forget();
    const warnings = warning === undefined ? [] : [line(warning, 'bad')];
    if (state === 'authorized') {
      this.options.onChange(new Date().toISOString());
      const next = box('next', line(sharedText('panel.after_deploy'), 'good'));
      return this.refresh([], [...warnings, next]);
    }
    const lines = [line(sharedText(`panel.${state}`), 'title')];
    if (error) lines.push(line(error.message, 'bad'));
    await this.refresh([...lines, ...warnings]);
  }

  private async cancel(session: string): Promise<void> {
    this.forget();
    await cancelSignIn(session).catch(() => undefined);
    await this.refresh();
  }

  private forget(): void {
    this.session = undefined;
    this.waiting = undefined;
    forgetSession(this.options.id);
  }

  private async signOut(revoke: boolean): Promise<void> {
    this.show(line(sharedText('panel.signing_out'), 'quiet'));
    try {
      await this.alone(() => signOut(this.options.id, revoke));
      // By now the fields may be another account's.
      if (this.isClosed) return;
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
  return line(reasonOf(error), 'bad');
}
