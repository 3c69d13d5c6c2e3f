/** The sign-in panel: shows the state of the account, and signs in and out. Tokens never leave the server. */
import { adminRequest, errorText } from '../../shared/editor/admin-request';
import { sharedText } from '../../shared/editor/shared-text';
import type { AccountStatus, SignInStatus } from '../../shared/contract/account-api';
import { isServiceAccount } from './account-fields.editor';
import { accountDetails, connectionView, serviceAccountDetails, signInReason } from './account-view.editor';
import {
  cancelSignIn,
  fetchSignIn,
  Poller,
  pollInBackground,
  removeSessionId,
  stopBackgroundPolling,
  storedSessionId,
  storeSessionId,
} from './background-sign-in.editor';
import { block, button, buttonRow, checkbox, errorView, paragraph } from './panel-elements.editor';
import { type PendingView, pendingView } from './pending-view.editor';
import {
  type SignInMethod,
  type SignInMethodChoice,
  callbackUrl,
  loopbackRedirectUrl,
} from './sign-in-methods.editor';

export interface SignInPanelOptions {
  element: JQuery;
  accountId: string;
  methods: SignInMethodChoice;
  /** The current values of the properties that a sign-in uses, deployed or not. */
  settings: () => Readonly<Record<string, string>>;
  /** Whether the form has the values that are deployed. */
  isDeployed: () => boolean;
  /** Called after a sign-in with its time, after a sign-out with `''`. */
  onChange(signedInAt: string): void;
  /** Called when the account's state is shown. `hasEnded` says whether a sign-in has ended or failed. */
  onState(account: AccountStatus, hasEnded: boolean): void;
}

/** Milliseconds between two polls. */
const PENDING_INTERVAL = 2_000;
const IDLE_INTERVAL = 15_000;

export class SignInPanel {
  /** Id of the pending sign-in session. */
  private sessionId: string | undefined;
  /** Whether the session was started since the dialog was opened. */
  private isOwnSession = false;
  private pending: PendingView | undefined;
  private topic: string | undefined;
  /** The state that is shown. */
  private account: AccountStatus | undefined;
  /** The settings of the service account that is shown, as JSON. */
  private shownSettings = '';
  private isSignedIn = false;
  /** Why the latest sign-in failed, if it is shown. */
  private failure: JQuery | undefined;
  private isClosed = false;
  /** While a request changes the account, notifications may describe an intermediate state. */
  private isChanging = false;
  /** Number of such requests. */
  private changes = 0;
  private readonly poller = new Poller(() => (this.sessionId ? this.pollSession() : this.pollAccount()));

  constructor(private readonly options: SignInPanelOptions) {}

  async open(): Promise<void> {
    const { accountId } = this.options;
    stopBackgroundPolling(accountId);
    this.show(paragraph(sharedText('panel.loading'), 'quiet'));
    this.sessionId = storedSessionId(accountId);
    if (!this.sessionId) return this.refresh();
    this.topic = (await this.fetchAccount().catch(() => undefined))?.topic;
    this.poller.start(this.topic, PENDING_INTERVAL);
    await this.pollSession();
  }

  /** Cancels a pending session only if the user cancels the dialog in which it was started. */
  close(isCancelled: boolean): void {
    this.isClosed = true;
    this.poller.stop();
    const { accountId } = this.options;
    if (!this.sessionId) return;
    if (isCancelled && this.isOwnSession) {
      removeSessionId(accountId);
      void cancelSignIn(this.sessionId);
    } else pollInBackground(accountId, this.sessionId, this.topic);
  }

  /** Removes the reason of a failed sign-in, because the changed settings may have caused it. */
  settingsChanged(): void {
    if (isServiceAccount()) return this.keyChanged();
    this.failure?.replaceWith(this.isSignedIn ? '' : paragraph(sharedText('panel.not_signed_in'), 'title'));
    this.failure = undefined;
  }

  /**
   * Fetches and shows the state of the account.
   * @param news what has just happened
   * @param next what to do next
   */
  private async refresh(news: JQuery[] = [], next: JQuery[] = []): Promise<void> {
    let account: AccountStatus | undefined;
    try {
      account = await this.fetchAccount();
    } catch (error) {
      news = [...news, ...errorView(error)];
    }
    // The user may have pressed another button meanwhile.
    if (this.isChanging || this.sessionId) return;
    if (account) return this.showAccount(account, news, next);
    this.poller.start(this.topic, IDLE_INTERVAL);
    this.showSignedOut(news);
  }

  private fetchAccount(): Promise<AccountStatus> {
    return adminRequest('GET', [this.options.accountId]);
  }

  private async pollAccount(): Promise<void> {
    const { changes } = this;
    const account = await this.fetchAccount().catch(() => undefined);
    if (!account || this.isChanging || this.sessionId || isSame(account, this.account)) return;
    // A response from before a change would replace its result.
    if (changes === this.changes) this.showAccount(account);
  }

  private showAccount(account: AccountStatus, news: JQuery[] = [], next: JQuery[] = []): void {
    this.account = account;
    this.topic = account.topic;
    this.isSignedIn = account.signedIn;
    this.poller.start(this.topic, IDLE_INTERVAL);
    if (this.isClosed) return;
    const hasEnded = account.needsSignIn?.code === 'sign_in_required' && !account.isNew;
    this.options.onState(account, !account.signedIn && (hasEnded || news.length > 0));
    if (isServiceAccount()) return this.showServiceAccount(account);
    // Selected in the dialog, but not deployed yet.
    if (account.auth) return this.showSignedOut([paragraph(sharedText('panel.not_signed_in'), 'title')]);
    if (account.signedIn) return this.showSignedIn(account, news, next);
    const reason = news.length > 0 ? news : signInReason(account);
    const other = account.signingIn ? [paragraph(sharedText('panel.signing_in_elsewhere'))] : [];
    this.showSignedOut([...reason, ...other]);
  }

  private showSignedIn(account: AccountStatus, news: JQuery[], next: JQuery[]): void {
    const revoke = checkbox(sharedText('panel.revoke'), sharedText('panel.revoke_hint'));
    const connection = connectionView(this.options.accountId);
    const buttons = buttonRow(
      button('plug', sharedText('panel.test'), () => connection.test(true)),
      button('user', sharedText('panel.sign_in_other'), () => this.showMethods()),
      button('sign-out', sharedText('panel.sign_out'), () => this.signOut(revoke.isChecked())),
    );
    this.show(...news, ...accountDetails(account), connection.element, ...next, buttons, revoke.element);
    void connection.test(false);
  }

  private keyChanged(): void {
    const isShown = JSON.stringify(this.options.settings()) === this.shownSettings;
    if (this.account && !isShown) this.showServiceAccount(this.account);
  }

  /** The connection of an account that was changed is tested with the values in the form. */
  private showServiceAccount(account: AccountStatus): void {
    const { accountId, settings, isDeployed } = this.options;
    // Leaving a field triggers another change event, and a button that is replaced then doesn't get the click.
    this.shownSettings = JSON.stringify(settings());
    const form = account.auth && isDeployed() ? undefined : settings();
    const connection = connectionView(accountId, form);
    const test = button('plug', sharedText('panel.test'), () => connection.test(true));
    // The result of the test replaces it.
    if (!form && account.isUntested)
      connection.element.append(paragraph(sharedText('panel.key_not_tested'), 'quiet'));
    const details = form ? [paragraph(sharedText('panel.key_not_deployed'))] : serviceAccountDetails(account);
    this.show(...details, connection.element, buttonRow(test));
  }

  private showSignedOut(reason: JQuery[]): void {
    this.show(...reason, this.options.methods.view(), buttonRow(this.signInButton()));
  }

  /** For a sign-in that replaces the present one. */
  private showMethods(): void {
    const cancel = button('times', sharedText('panel.cancel'), () => this.refresh());
    const title = paragraph(sharedText('panel.sign_in_other'), 'title');
    this.show(title, this.options.methods.view(), buttonRow(this.signInButton(), cancel));
  }

  private signInButton(): JQuery {
    return button('sign-in', sharedText('panel.sign_in'), () => this.signIn(), 'primary');
  }

  private async signIn(): Promise<void> {
    const { accountId, methods, settings } = this.options;
    this.show(paragraph(sharedText('panel.starting'), 'quiet'));
    const body = { ...settings(), ...flowOf(methods.method), chooseFiles: methods.chooseFiles };
    try {
      const { session } = await this.change(() =>
        adminRequest<{ session: string }>('POST', [accountId, 'sign-in'], { body }),
      );
      if (this.isClosed) return void cancelSignIn(session);
      this.sessionId = session;
      this.isOwnSession = true;
      storeSessionId(accountId, session);
      this.poller.start(this.topic, PENDING_INTERVAL);
      await this.pollSession();
    } catch (error) {
      await this.showFailure(paragraph(sharedText('panel.failed'), 'title'), ...errorView(error));
    }
  }

  private async change<Response>(request: () => Promise<Response>): Promise<Response> {
    this.isChanging = true;
    this.changes += 1;
    try {
      return await request();
    } finally {
      this.isChanging = false;
    }
  }

  private async pollSession(): Promise<void> {
    const { sessionId } = this;
    if (!sessionId) return;
    const view = await fetchSignIn(sessionId);
    if (this.isClosed || this.sessionId !== sessionId) return;
    if (view.state !== 'pending') await this.showResult(view);
    else if (this.pending) this.pending.update(view);
    else if (view.flow) this.showPending(sessionId, view);
  }

  private showPending(sessionId: string, view: SignInStatus): void {
    const sendRedirectUrl = async (redirected: string): Promise<string | undefined> => {
      try {
        await adminRequest('POST', ['sign-in', sessionId], { body: { redirected } });
      } catch (error) {
        return errorText(error);
      }
      await this.pollSession();
      return undefined;
    };
    this.pending = pendingView(view, {
      sendRedirectUrl,
      isRedirected: view.redirectUri === callbackUrl(),
      onCancel: () => this.cancel(sessionId),
    });
    this.show(...this.pending.elements);
  }

  private async showResult({ state, error, warning, chosenFiles }: SignInStatus): Promise<void> {
    this.clearSession();
    const warnings = warning === undefined ? [] : [paragraph(warning, 'bad')];
    if (state === 'authorized') {
      this.options.onChange(new Date().toISOString());
      const next = block('next', paragraph(sharedText('panel.after_deploy'), 'good'));
      const chosen =
        chosenFiles === undefined
          ? []
          : [paragraph(sharedText('panel.chosen_files', { count: chosenFiles }))];
      return this.refresh([], [...warnings, ...chosen, next]);
    }
    const title = paragraph(sharedText(`panel.${state as Exclude<typeof state, 'pending'>}`), 'title');
    await this.showFailure(title, ...(error ? errorView(error) : []), ...warnings);
  }

  private showFailure(...reason: JQuery[]): Promise<void> {
    this.failure = block('failed-sign-in', ...reason);
    return this.refresh([this.failure]);
  }

  private async cancel(sessionId: string): Promise<void> {
    this.clearSession();
    await cancelSignIn(sessionId);
    await this.refresh();
  }

  private clearSession(): void {
    this.sessionId = undefined;
    this.pending = undefined;
    removeSessionId(this.options.accountId);
  }

  private async signOut(revoke: boolean): Promise<void> {
    this.show(paragraph(sharedText('panel.signing_out'), 'quiet'));
    const query = revoke ? { revoke: 'true' } : undefined;
    try {
      await this.change(() => adminRequest('DELETE', [this.options.accountId, 'sign-in'], { query }));
      // Meanwhile, the dialog of another account may have been opened.
      if (this.isClosed) return;
      this.options.onChange('');
      await this.refresh([paragraph(sharedText(revoke ? 'panel.revoked' : 'panel.signed_out'), 'title')]);
    } catch (error) {
      await this.refresh(errorView(error));
    }
  }

  private show(...contents: JQuery[]): void {
    if (this.isClosed) return;
    const { element } = this.options;
    // Removing the focused button would move the focus to the top of the page.
    const hadFocus = element.is(':focus') || element.find(':focus').length > 0;
    const focusedButton = element.find('button:focus').text();
    element.empty().append(...contents);
    if (!hadFocus) return;
    const sameButton = element.find('button').filter((_, each) => $(each).text() === focusedButton);
    if (sameButton.length > 0) return void sameButton.first().trigger('focus');
    element.trigger('focus');
    element[0]?.scrollIntoView({ block: 'nearest' });
  }
}

/** The first token doesn't count: the result of the test that received it is shown. */
function isSame(first: AccountStatus, second: AccountStatus | undefined): boolean {
  const compared = (status: AccountStatus): string => JSON.stringify({ ...status, isUntested: undefined });
  return second !== undefined && compared(first) === compared(second);
}

function flowOf(method: SignInMethod): { flow: 'device' | 'browser'; redirectUri: string } {
  if (method === 'device') return { flow: 'device', redirectUri: '' };
  return { flow: 'browser', redirectUri: method === 'browser' ? callbackUrl() : loopbackRedirectUrl() };
}
