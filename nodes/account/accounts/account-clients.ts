/** The clients for requests from the editor: of deployed accounts, and of sign-ins that aren't deployed yet. */
import {
  type Clock,
  DriveClient,
  DriveError,
  HttpClient,
  TokenSource,
  systemClock,
} from '../../../src/index';
import type { AccountRegistry } from './account-registry';
import { tokensIn } from './credential-entry';
import type { CredentialStore, UndeployedSignIn } from './credential-store';

export class AccountClients {
  constructor(
    private readonly accounts: AccountRegistry,
    private readonly credentials: CredentialStore,
    private readonly clock: Clock = systemClock,
  ) {}

  /**
   * Calls a function with the client of an account. A sign-in takes effect at once, although the flows use it only after
   * the next deploy: users choose folders and test the connection before they deploy a new account.
   * @throws `not_configured` for an account that is neither deployed nor signed in
   */
  async use<Result>(id: string, operation: (client: DriveClient) => Promise<Result>): Promise<Result> {
    const undeployed = this.credentials.undeployedSignIn(id);
    const instance = undeployed?.awaitsDeploy ? undefined : this.accounts.instance(id);
    if (instance) return operation(instance.node.drive());
    if (!undeployed) throw new DriveError('not_configured', { text: 'not_configured_not_deployed' });
    return this.useUndeployed(id, undeployed, operation);
  }

  /** Uses a client for this operation only: a shared one wouldn't be notified when the account is deployed or signed out. */
  private async useUndeployed<Result>(
    id: string,
    { entry, settings }: UndeployedSignIn,
    operation: (client: DriveClient) => Promise<Result>,
  ): Promise<Result> {
    const { clock, credentials } = this;
    const { client: oauthClient, urls: _urls, scope: _scope, timeout, ...options } = settings;
    const http = new HttpClient({ timeout });
    let current = tokensIn(entry);
    const tokens = new TokenSource({
      http,
      clock,
      random: Math.random,
      retryFor: settings.retryFor,
      client: () => oauthClient,
      store: {
        load: () => current,
        save: (renewed) => {
          credentials.saveRefreshed(id, current.refreshToken, renewed);
          current = renewed;
        },
      },
      onSignInRequired: () => undefined,
    });
    try {
      return await operation(new DriveClient({ ...options, http, tokens, clock, random: Math.random }));
    } finally {
      await tokens.close();
      http.close();
    }
  }
}
