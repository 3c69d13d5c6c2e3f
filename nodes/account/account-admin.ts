/** What a person does with an account in the editor: signs in, looks, signs out. */
import type { NodeAPI } from 'node-red';
import {
  type Clock,
  DriveError,
  HttpClient,
  isDriveError,
  missingScopes,
  revoke,
  type Tokens,
} from '../../src/index';
import { nodeError } from '../shared/runtime/error-message';
import type { Entry } from './account.types';
import { type Accounts } from './accounts';
import { checkNodeId, secretFor, signInRequest } from './admin-request';
import { withEnvironment } from './environment';
import { idleClock } from './idle-clock';
import type { Properties } from './properties';
import { type AccountSettings, accountSettings, isFor } from './settings';
import { SignInSessions, type SignInView, type SignedIn, type StartedSignIn } from './sign-in-sessions';
import type { Person } from './person';
import { type TokenKeeper, signInOf, tokensOf } from './token-keeper';

export interface AccountView {
  signedIn: boolean;
  account?: Person;
  scope?: string;
  /** What a sign-in asks for and this one was not granted. */
  missingScopes?: string[];
  since?: string;
  needsSignIn?: { code: string; message: string };
}

interface DeployedAccount {
  config: Properties;
  credentials: Properties;
}

/** ms; a person is waiting. */
const REVOKE_TIMEOUT = 10_000;
const NO_TOKENS: Tokens = { accessToken: '', refreshToken: '' };

export class AccountAdmin {
  private readonly sessions: SignInSessions;

  constructor(
    private readonly RED: NodeAPI,
    private readonly accounts: Accounts,
    private readonly keeper: TokenKeeper,
    private readonly clock: Clock = idleClock,
  ) {
    this.sessions = new SignInSessions({
      clock,
      events: RED.events,
      explain: (error) => this.explain(error),
      signedIn: (id, result) => this.signedIn(id, result),
    });
  }

  /** @param body of the request: the properties of the form */
  async startSignIn(id: string, body: unknown): Promise<StartedSignIn> {
    this.checkAccount(id);
    const { flow, config: raw, credentials } = signInRequest(body);
    if (flow === 'browser')
      throw new DriveError('not_configured', { text: 'not_configured_browser_sign_in' });
    const { node } = this.accounts.running(id) ?? {};
    const config = withEnvironment(this.RED, raw, node);
    const { clientId = '', clientSecret = '' } = withEnvironment(this.RED, credentials, node);
    const secret = secretFor(String(clientSecret), config, this.deployed(id));
    return this.sessions.startDevice(id, accountSettings(config, { clientId, clientSecret: secret }));
  }

  signIn(session: string): SignInView {
    return this.sessions.view(session) ?? unknownSession();
  }

  cancelSignIn(session: string): void {
    if (!this.sessions.cancel(session)) unknownSession();
  }

  view(id: string): AccountView {
    this.checkAccount(id);
    const entry = this.keeper.latest(id);
    const running = this.keeper.pending(id)?.waits ? undefined : this.accounts.running(id);
    const reason = running?.node.needsSignIn();
    const { accessToken, refreshToken } = tokensOf(entry);
    const signedIn = running ? reason === undefined : accessToken !== '' || refreshToken !== '';
    const { account, scope, since } = signedIn ? signInOf(entry) : {};
    const missing = missingScopes(this.askedScope(id), scope);
    return {
      signedIn,
      ...(account === undefined ? {} : { account }),
      ...(scope === undefined ? {} : { scope }),
      ...(missing.length === 0 ? {} : { missingScopes: missing }),
      ...(since === undefined ? {} : { since }),
      ...(reason === undefined ? {} : { needsSignIn: this.explain(reason) }),
    };
  }

  /** Forgets the tokens. @param atService also ends them there, as far as it can be reached */
  async signOut(id: string, atService: boolean): Promise<void> {
    this.checkAccount(id);
    const deployed = this.deployed(id);
    const pending = this.keeper.pending(id);
    const own = withEnvironment(this.RED, { ...this.keeper.entry(id) });
    const ended: [string, Entry][] = [
      [
        pending && !pending.waits ? pending.revokeUrl : (settingsOf(deployed)?.addresses.revokeUrl ?? ''),
        own,
      ],
      ...(pending?.waits ? [[pending.revokeUrl, pending.entry] as [string, Entry]] : []),
    ];
    this.sessions.cancelOf(id);
    this.keeper.forget(id);
    this.accounts.adopt(id, NO_TOKENS);
    if (atService) await Promise.all(ended.map(([url, entry]) => this.revoke(url, entry)));
  }

  explain(error: unknown): { code: string; message: string } {
    const { code, message } = nodeError(this.RED, error);
    return { code, message };
  }

  private signedIn(id: string, { tokens, account, since, settings }: SignedIn): void {
    const deployed = this.deployed(id);
    // With another client or another server its tokens are of no use to the account as it is now.
    const fits = deployed !== undefined && isFor(settings, deployed.config, deployed.credentials);
    const about = { since, ...(account === undefined ? {} : { account }) };
    const { revokeUrl } = settings.addresses;
    this.keeper.keep(id, tokens, about, {
      waits: deployed !== undefined && !fits,
      isUsed: fits,
      revokeUrl,
      settings,
    });
    if (fits) this.accounts.adopt(id, tokens);
  }

  /** An id that nobody knows is that of an account that is not deployed yet. @throws `not_found` for another node's */
  private checkAccount(id: string): void {
    checkNodeId(id);
    this.RED.nodes.eachNode((def) => {
      if (def.id === id && def.type !== 'cloud-drive-account')
        throw new DriveError('not_found', { text: 'not_found_account' });
    });
  }

  /** The account as it is deployed, also one in a flow that is disabled. */
  private deployed(id: string): DeployedAccount | undefined {
    const running = this.accounts.running(id);
    if (running) return { config: { ...running.config }, credentials: { ...running.node.credentials } };
    let config: Properties | undefined;
    this.RED.nodes.eachNode((def) => {
      if (def.id === id && def.type === 'cloud-drive-account') config = { ...def };
    });
    if (!config) return undefined;
    return {
      config: withEnvironment(this.RED, config),
      credentials: withEnvironment(this.RED, { ...this.keeper.entry(id) }),
    };
  }

  /** Of the sign-in that waits for a deploy, else of the account as it is deployed. */
  private askedScope(id: string): string {
    return this.keeper.pending(id)?.settings.scope ?? settingsOf(this.deployed(id))?.scope ?? '';
  }

  private async revoke(revokeUrl: string, entry: Entry): Promise<void> {
    const { accessToken, refreshToken } = tokensOf(entry);
    const token = refreshToken || accessToken;
    if (token === '' || revokeUrl === '') return;
    const http = new HttpClient({ timeout: REVOKE_TIMEOUT });
    try {
      await revoke({ http, clock: this.clock }, revokeUrl, token);
    } catch (error) {
      // Signed out here all the same; the person can end it at the service too.
      if (!isDriveError(error)) throw error;
    } finally {
      http.close();
    }
  }
}

/** Undefined for an account that can't work as it is set up: it can still be looked at and signed out. */
function settingsOf(deployed: DeployedAccount | undefined): AccountSettings | undefined {
  if (!deployed) return undefined;
  try {
    return accountSettings(deployed.config, deployed.credentials);
  } catch (error) {
    if (isDriveError(error)) return undefined;
    throw error;
  }
}

function unknownSession(): never {
  throw new DriveError('not_found', { text: 'not_found_sign_in' });
}
