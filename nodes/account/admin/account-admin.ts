/** Operations of the account's panel in the editor: sign in, show the status, sign out. */
import { randomUUID } from 'node:crypto';
import type { NodeAPI } from 'node-red';
import {
  BoundedMap,
  type Clock,
  DriveError,
  HttpClient,
  isDriveError,
  missingScopes,
  revokeToken,
  type Tokens,
  unrefClock,
} from '../../../src/index';
import { clientFingerprint } from '../accounts/account-key';
import type { AccountRegistry } from '../accounts/account-registry';
import type { AdminClients } from '../accounts/admin-clients';
import type { CredentialStore } from '../accounts/credential-store';
import { signInInfo, tokenFingerprint, tokensIn } from '../accounts/stored-sign-in';
import { type AccountForm, accountForm, checkNodeId, secretFor, signInRequest } from './admin-request';
import { connectionStatus } from './connection-status';
import { errorWithStep } from './setup-step';
import { accountValues } from '../settings/account-variable';
import { readableKeyWarning } from '../settings/service-account';
import { type AccountSettings, type AccountValues, isSameClient } from '../settings/settings';
import { SignInSessions } from '../sign-in/sign-in-sessions';
import type { SignInResult } from '../sign-in/sign-in-status';
import { invalidRequest } from '../../shared/admin/admin-guard';
import type {
  AccountStatus,
  ConnectionStatus,
  ServiceAccountIdentity,
  StartedSignIn,
} from '../../shared/contract/account-api';
import { warningText } from '../../shared/runtime/catalogue';
import { withEnvironment } from '../../shared/runtime/environment';

/** ms. Short, because a user is waiting. */
const REVOKE_TIMEOUT = 10_000;
const NO_TOKENS: Tokens = { accessToken: '', refreshToken: '' };

export class AccountAdmin {
  readonly sessions: SignInSessions;
  readonly notifier: ChangeNotifier;

  constructor(
    private readonly RED: NodeAPI,
    private readonly accounts: AccountRegistry,
    private readonly credentials: CredentialStore,
    private readonly clients: AdminClients,
    private readonly clock: Clock = unrefClock,
  ) {
    this.notifier = new ChangeNotifier((topic, data) => RED.comms.publish(topic, data, false));
    this.sessions = new SignInSessions({
      clock,
      events: RED.events,
      formatError: (error) => errorWithStep(RED, error),
      formatWarning: (text, params) => warningText(RED, text, params),
      onSignedIn: (id, result) => this.saveSignIn(id, result),
      onChange: (id) => this.notifier.notify(id),
    });
  }

  /** @param body of the request: the properties of the form */
  async startSignIn(id: string, body: unknown): Promise<StartedSignIn> {
    this.checkAccount(id);
    const { flow, redirectUri, chooseFiles, ...form } = signInRequest(body);
    const filled = this.filledForm(id, form);
    if (filled.usesServiceAccount) throw noSignIn();
    const { clientId } = filled.texts;
    const clientSecret = secretFor('clientSecret', filled, this.accounts.deployed(id));
    const settings = filled.withCredentials({ clientId, clientSecret }).settings();
    return flow === 'browser'
      ? this.sessions.startBrowser(id, settings, { redirectUri, chooseFiles })
      : this.sessions.startDevice(id, settings);
  }

  /** @returns the form with environment variables and the account variable resolved. @throws the error of the latter */
  private filledForm(id: string, { config, credentials }: AccountForm): AccountValues {
    this.accounts.checkUnambiguous(id);
    const { node } = this.accounts.instance(id) ?? {};
    const given = {
      config: withEnvironment(this.RED, config, node),
      credentials: withEnvironment(this.RED, credentials, node),
    };
    const filled = accountValues(this.RED, given, node);
    filled.checkVariable();
    return filled;
  }

  status(id: string): AccountStatus {
    this.checkAccount(id);
    if (this.isServiceAccount(id)) return this.serviceAccountStatus(id);
    const entry = this.credentials.latestEntry(id);
    const undeployed = this.credentials.undeployedSignIn(id);
    const instance = undeployed?.awaitsDeploy ? undefined : this.accounts.instance(id);
    const error = instance && this.accounts.needsSignIn(id);
    const { accessToken, refreshToken } = tokensIn(entry);
    const signedIn = instance ? error === undefined : accessToken !== '' || refreshToken !== '';
    const { account, scope, since } = signedIn ? signInInfo(entry) : {};
    const requestedScope = (undeployed?.settings ?? this.accounts.deployedSettings(id))?.scope ?? '';
    const missing = missingScopes(requestedScope, scope);
    return {
      signedIn,
      account,
      scope,
      missingScopes: missing.length === 0 ? undefined : missing,
      since,
      needsSignIn: error && errorWithStep(this.RED, error),
      isNew: error?.text === 'sign_in_required' ? true : undefined,
      signingIn: this.sessions.isPendingFor(id) ? true : undefined,
      topic: this.notifier.topic(id),
    };
  }

  private isServiceAccount(id: string): boolean {
    return this.accounts.deployed(id)?.usesServiceAccount ?? false;
  }

  /** Usable until the service refuses the key: it is asked for a token with the first request only. */
  private serviceAccountStatus(id: string): AccountStatus {
    const error = this.accounts.needsSignIn(id);
    const settings = this.accounts.deployedSettings(id);
    const serviceAccount = identityOf(settings);
    const signedIn = serviceAccount !== undefined && error === undefined;
    return {
      signedIn,
      isUntested: signedIn && settings && !this.accounts.hasToken(id, settings) ? true : undefined,
      auth: 'service-account',
      serviceAccount,
      account: serviceAccount && { emailAddress: serviceAccount.subject || serviceAccount.address },
      scope: serviceAccount?.scope,
      needsSignIn: error && errorWithStep(this.RED, error),
      topic: this.notifier.topic(id),
    };
  }

  /**
   * Sends a request as the signed-in user.
   * @throws its error, `not_configured` for an account that is neither deployed nor signed in
   */
  async connection(id: string): Promise<ConnectionStatus> {
    this.checkAccount(id);
    const status = await this.clients.use(id, connectionStatus);
    const { file } = this.accounts.deployedSettings(id)?.serviceAccount ?? {};
    return { ...status, warning: readableKeyWarning(this.RED, file) };
  }

  /**
   * Tests the connection of a service account as the form describes it, before it is deployed. Until then, the editor
   * browses the drive with these settings.
   * @param body of the request: the properties of the form
   * @throws as {@link connection}
   */
  async testForm(id: string, body: unknown): Promise<ConnectionStatus> {
    this.checkAccount(id);
    const filled = this.filledForm(id, accountForm(body));
    if (!filled.usesServiceAccount) throw invalidRequest('auth');
    const serviceAccountKey = secretFor('serviceAccountKey', filled, this.accounts.deployed(id));
    const settings = filled.withCredentials({ serviceAccountKey }).settings();
    const status = await this.clients.useTested(id, settings, connectionStatus);
    const warning = readableKeyWarning(this.RED, settings.serviceAccount?.file);
    return { ...status, warning, serviceAccount: identityOf(settings) };
  }

  /** Cancels pending sign-ins of a deleted account and removes its state. */
  accountDeleted(id: string): void {
    this.sessions.cancelAll(id);
    this.clients.forget(id);
    this.accounts.deleteState(id);
  }

  /**
   * Deletes the tokens.
   * @param revoke also revokes them at the service, if it can be reached
   * @throws `local_file` if the sign-out isn't on the disk: after a restart, the account would be signed in again
   */
  async signOut(id: string, revoke: boolean): Promise<void> {
    this.checkAccount(id);
    if (this.isServiceAccount(id)) throw noSignIn();
    const undeployed = this.credentials.undeployedSignIn(id);
    const accounts = this.accounts.keys(id);
    const revocations = undeployed
      ? [{ tokens: tokensIn(undeployed.entry), revokeUrl: undeployed.revokeUrl }]
      : [];
    for (const deployed of this.accounts.allDeployed(id)) {
      const tokens = this.credentials.tokens(deployed.key);
      const isSame = undeployed && tokenFingerprint(tokens) === tokenFingerprint(undeployed.entry);
      if (!isSame)
        revocations.push({ tokens, revokeUrl: deployed.values.usableSettings()?.urls.revokeUrl ?? '' });
    }
    this.sessions.cancelAll(id);
    const cleared = this.credentials.clearTokens(accounts);
    for (const account of accounts) this.accounts.replaceTokens(account, NO_TOKENS);
    this.notifier.notify(id);
    const problem = await cleared;
    if (revoke) await Promise.all(revocations.map((each) => this.revoke(each)));
    if (!problem) return;
    const params = { path: problem.file, reason: problem.reason };
    throw new DriveError('local_file', { text: 'local_file_sign_out', params, reason: problem.reason });
  }

  private async saveSignIn(id: string, { tokens, account, since, settings }: SignInResult): Promise<void> {
    const deployed = this.accounts.allDeployed(id);
    // The deployed account can't use tokens of another client or server.
    const [first, ...others] = deployed
      .filter(({ values }) => isSameClient(settings, values))
      .map(({ key }) => key);
    const isUsed = first !== undefined;
    const awaitsDeploy = deployed.length > 0 && !isUsed;
    const { revokeUrl } = settings.urls;
    const client = clientFingerprint(settings.client.clientId, settings.urls);
    const saved = this.credentials.saveSignIn(
      [first ?? this.accounts.templateKey(id), ...others],
      tokens,
      { since, account, client },
      { awaitsDeploy, isUsed, revokeUrl, settings },
    );
    for (const key of first ? [first, ...others] : []) this.accounts.replaceTokens(key, tokens);
    await saved;
  }

  /** Accepts an unknown id, which may belong to a new account. @throws `not_found` for the id of another node */
  private checkAccount(id: string): void {
    checkNodeId(id);
    this.RED.nodes.eachNode((def) => {
      if (def.id === id && def.type !== 'cloud-drive-account')
        throw new DriveError('not_found', { text: 'not_found_account' });
    });
  }

  private async revoke({ tokens, revokeUrl }: { tokens: Tokens; revokeUrl: string }): Promise<void> {
    const { accessToken, refreshToken } = tokens;
    const token = refreshToken || accessToken;
    if (token === '' || revokeUrl === '') return;
    const http = new HttpClient({ timeout: REVOKE_TIMEOUT });
    // The client's timeout starts again with each byte of the response.
    const [limit, finished] = [new AbortController(), new AbortController()];
    this.clock.sleep(REVOKE_TIMEOUT, finished.signal).then(
      () => limit.abort(),
      () => undefined,
    );
    try {
      await revokeToken({ http, clock: this.clock }, revokeUrl, token, limit.signal);
    } catch (error) {
      // The local sign-out has succeeded; users can also revoke access on the service's page.
      if (!isDriveError(error)) throw error;
    } finally {
      finished.abort();
      http.close();
    }
  }
}

/** A key file may have been replaced since the settings were read. */
function identityOf(settings: AccountSettings | undefined): ServiceAccountIdentity | undefined {
  if (!settings?.serviceAccount) return undefined;
  const { key, subject, scope } = settings.serviceAccount.current();
  return { address: key.email, subject, scope };
}

/** A service account signs in with its key. */
function noSignIn(): DriveError {
  return new DriveError('invalid_input', { text: 'invalid_input_service_account' });
}

type Publish = (topic: string, data: object) => void;

/** Number of accounts. Editors still poll the status of older ones. */
const MAX_TOPICS = 500;

/**
 * Notifies open editors that the status of an account has changed, so that they request it again. Node-RED publishes to
 * every editor, so the event is empty. Only users who may read the account's status know its topic.
 */
class ChangeNotifier {
  private readonly topics = new BoundedMap<string, string>(MAX_TOPICS);
  private count = 0;

  constructor(private readonly publish: Publish) {}

  topic(id: string): string {
    const existing = this.topics.get(id);
    if (existing !== undefined) return existing;
    const topic = `cloud-drive-account/${randomUUID()}`;
    this.topics.set(id, topic);
    return topic;
  }

  notify(id: string): void {
    const topic = this.topics.get(id);
    if (topic !== undefined) this.publish(topic, { change: ++this.count });
  }
}
