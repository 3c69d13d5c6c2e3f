/** What a person does with an account in the editor: signs in, looks, signs out. */
import type { NodeAPI } from 'node-red';
import {
  type Clock,
  DriveError,
  HttpClient,
  unrefClock,
  isDriveError,
  missingScopes,
  revokeToken,
  type Tokens,
} from '../../../src/index';
import { errorSummary, warningText } from '../../shared/runtime/error-message';
import { ChangeNotifier } from './change-notifier';
import type { CredentialEntry } from '../accounts/credential-entry';
import { type AccountRegistry } from '../accounts/account-registry';
import { checkNodeId, redirectUrlIn, clientSecretFor, signInRequest } from './admin-request';
import type {
  AccountStatus,
  ConnectionStatus,
  SignInStatus,
  StartedSignIn,
} from '../../shared/contract/account-api';
import { connectionStatus } from './connection-status';
import { type DeployedAccount, deployedAccount, settingsIfValid } from '../accounts/deployed-account';
import { withEnvironment } from '../settings/environment';
import { accountSettings, isSameClient } from '../settings/settings';
import { clientForToken } from '../accounts/drive-user';
import type { SignInResult } from '../sign-in/sign-in-session';
import { SignInSessions } from '../sign-in/sign-in-sessions';
import { signInInfo, tokensIn } from '../accounts/credential-entry';
import type { CredentialStore } from '../accounts/credential-store';

/** ms; a person is waiting. */
const REVOKE_TIMEOUT = 10_000;
const NO_TOKENS: Tokens = { accessToken: '', refreshToken: '' };

export class AccountAdmin {
  private readonly sessions: SignInSessions;
  private readonly news: ChangeNotifier;

  constructor(
    private readonly RED: NodeAPI,
    private readonly accounts: AccountRegistry,
    private readonly keeper: CredentialStore,
    private readonly clock: Clock = unrefClock,
  ) {
    this.news = new ChangeNotifier((topic, data) => RED.comms.publish(topic, data, false));
    this.sessions = new SignInSessions({
      clock,
      events: RED.events,
      formatError: (error) => errorSummary(this.RED, error),
      formatWarning: (text, params) => warningText(RED, text, params),
      onSignedIn: (id, result) => this.signedIn(id, result),
      onChange: (id) => this.notifyChange(id),
    });
  }

  /** @param body of the request: the properties of the form */
  async startSignIn(id: string, body: unknown): Promise<StartedSignIn> {
    this.checkAccount(id);
    const { flow, redirectUri, config: raw, credentials } = signInRequest(body);
    const { node } = this.accounts.running(id) ?? {};
    const config = withEnvironment(this.RED, raw, node);
    const { clientId = '', clientSecret = '' } = withEnvironment(this.RED, credentials, node);
    const secret = clientSecretFor(String(clientSecret), config, this.deployed(id));
    const settings = accountSettings(config, { clientId, clientSecret: secret });
    return flow === 'browser'
      ? this.sessions.startBrowser(id, settings, redirectUri)
      : this.sessions.startDevice(id, settings);
  }

  /** Takes what a browser came back with. @returns how the sign-in ended, undefined where there is none for it */
  handleCallback(answer: URLSearchParams): Promise<SignInStatus | undefined> {
    return this.sessions.handleCallback(answer);
  }

  /** Takes the address at which a browser ended. @param body of the request */
  submitRedirectUrl(session: string, body: unknown): SignInStatus {
    this.sessions.submitRedirectUrl(session, redirectUrlIn(body));
    return this.signInStatus(session);
  }

  signInStatus(session: string): SignInStatus {
    return this.sessions.status(session) ?? unknownSession();
  }

  cancelSignIn(session: string): void {
    if (!this.sessions.cancel(session)) unknownSession();
  }

  status(id: string): AccountStatus {
    this.checkAccount(id);
    const entry = this.keeper.latestEntry(id);
    const running = this.keeper.undeployedSignIn(id)?.awaitsDeploy ? undefined : this.accounts.running(id);
    const reason = running?.node.needsSignIn();
    const { accessToken, refreshToken } = tokensIn(entry);
    const signedIn = running ? reason === undefined : accessToken !== '' || refreshToken !== '';
    const { account, scope, since } = signedIn ? signInInfo(entry) : {};
    const missing = missingScopes(this.askedScope(id), scope);
    return {
      signedIn,
      ...(account === undefined ? {} : { account }),
      ...(scope === undefined ? {} : { scope }),
      ...(missing.length === 0 ? {} : { missingScopes: missing }),
      ...(since === undefined ? {} : { since }),
      ...(reason === undefined ? {} : { needsSignIn: errorSummary(this.RED, reason) }),
      ...(reason?.text === 'sign_in_required' ? { isNew: true } : {}),
      ...(this.sessions.isPendingFor(id) ? { signingIn: true } : {}),
      topic: this.news.topic(id),
    };
  }

  /** Asks the service as the signed-in account. @throws what it answered, `not_configured` where none can be asked */
  async connection(id: string): Promise<ConnectionStatus> {
    this.checkAccount(id);
    const pending = this.keeper.undeployedSignIn(id);
    const running = pending?.awaitsDeploy ? undefined : this.accounts.running(id);
    if (running) return connectionStatus(running.node.drive());
    if (!pending) throw new DriveError('not_configured', { text: 'not_configured_not_deployed' });
    const http = new HttpClient({ timeout: pending.settings.timeout });
    const { accessToken } = tokensIn(pending.entry);
    try {
      return await connectionStatus(
        clientForToken(accessToken, pending.settings, { http, clock: this.clock }),
      );
    } finally {
      http.close();
    }
  }

  /** Something about an account's sign-in has changed: whoever looks at it in an editor gets to know. */
  notifyChange(id: string): void {
    this.news.notify(id);
  }

  /** An account was deleted: nobody shall be signed in to it any more. */
  accountDeleted(id: string): void {
    this.sessions.cancelAll(id);
    this.accounts.deleteState(id);
  }

  /** Forgets the tokens. @param atService also ends them there, as far as it can be reached */
  async signOut(id: string, atService: boolean): Promise<void> {
    this.checkAccount(id);
    const deployed = this.deployed(id);
    const pending = this.keeper.undeployedSignIn(id);
    const own = withEnvironment(this.RED, { ...this.keeper.entry(id) });
    const ended: [string, CredentialEntry][] = [
      [
        pending && !pending.awaitsDeploy
          ? pending.revokeUrl
          : (settingsIfValid(deployed)?.urls.revokeUrl ?? ''),
        own,
      ],
      ...(pending?.awaitsDeploy ? [[pending.revokeUrl, pending.entry] as [string, CredentialEntry]] : []),
    ];
    this.sessions.cancelAll(id);
    this.keeper.clearTokens(id);
    this.accounts.replaceTokens(id, NO_TOKENS);
    this.notifyChange(id);
    if (atService) await Promise.all(ended.map(([url, entry]) => this.revoke(url, entry)));
  }

  private signedIn(id: string, { tokens, account, since, settings }: SignInResult): void {
    const deployed = this.deployed(id);
    // With another client or another server its tokens are of no use to the account as it is now.
    const fits = deployed !== undefined && isSameClient(settings, deployed.config, deployed.credentials);
    const about = { since, ...(account === undefined ? {} : { account }) };
    const { revokeUrl } = settings.urls;
    this.keeper.saveSignIn(id, tokens, about, {
      awaitsDeploy: deployed !== undefined && !fits,
      isUsed: fits,
      revokeUrl,
      settings,
    });
    if (fits) this.accounts.replaceTokens(id, tokens);
  }

  /** An id that nobody knows is that of an account that is not deployed yet. @throws `not_found` for another node's */
  private checkAccount(id: string): void {
    checkNodeId(id);
    this.RED.nodes.eachNode((def) => {
      if (def.id === id && def.type !== 'cloud-drive-account')
        throw new DriveError('not_found', { text: 'not_found_account' });
    });
  }

  private deployed(id: string): DeployedAccount | undefined {
    return deployedAccount(this.RED, { accounts: this.accounts, keeper: this.keeper, id });
  }

  /** Of the sign-in that waits for a deploy, else of the account as it is deployed. */
  private askedScope(id: string): string {
    return (
      this.keeper.undeployedSignIn(id)?.settings.scope ?? settingsIfValid(this.deployed(id))?.scope ?? ''
    );
  }

  private async revoke(revokeUrl: string, entry: CredentialEntry): Promise<void> {
    const { accessToken, refreshToken } = tokensIn(entry);
    const token = refreshToken || accessToken;
    if (token === '' || revokeUrl === '') return;
    const http = new HttpClient({ timeout: REVOKE_TIMEOUT });
    try {
      await revokeToken({ http, clock: this.clock }, revokeUrl, token);
    } catch (error) {
      // Signed out here all the same; the person can end it at the service too.
      if (!isDriveError(error)) throw error;
    } finally {
      http.close();
    }
  }
}

function unknownSession(): never {
  throw new DriveError('not_found', { text: 'not_found_sign_in' });
}
