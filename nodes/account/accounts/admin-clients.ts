/** The clients for requests of the admin API: of deployed accounts, and of sign-ins that aren't deployed yet. */
import { type Clock, type DriveClient, DriveError, systemClock } from '../../../src/index';
import type { AccountRegistry } from './account-registry';
import { tokensIn } from './credential-entry';
import type { CredentialStore, UndeployedSignIn } from './credential-store';
import { RunningAccount } from './running-account';

export class AdminClients {
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
    const account = new RunningAccount({
      clock: this.clock,
      tokens: tokensIn(entry),
      save: (renewed, tokens) => this.credentials.saveRefreshed(id, renewed, tokens),
    });
    try {
      return await operation(account.client(settings));
    } finally {
      await account.close();
    }
  }
}
