/** The clients for requests of the admin API: of deployed accounts, and of sign-ins that aren't deployed yet. */
import { BoundedMap, type Clock, type DriveClient, DriveError, systemClock } from '../../../src/index';
import type { AccountRegistry } from './account-registry';
import type { AccountSettings } from '../settings/settings';
import { tokensIn } from './credential-entry';
import type { CredentialStore, UndeployedSignIn } from './credential-store';
import { RunningAccount } from './running-account';

/** The maximum number of tested service accounts that aren't deployed. */
const MAX_TESTED = 50;
const NO_TOKENS = { accessToken: '', refreshToken: '' };

export class AdminClients {
  /** Service accounts whose connection was tested before their first deploy, by node id. */
  private readonly tested = new BoundedMap<string, AccountSettings>(MAX_TESTED);

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
    if (undeployed) return this.useUndeployed(id, undeployed, operation);
    const tested = this.tested.get(id);
    if (tested) return this.useServiceAccount(tested, operation);
    throw new DriveError('not_configured', { text: 'not_configured_not_deployed' });
  }

  /** Calls a function with the client of a service account; if it succeeds, {@link use} uses it until it is deployed. */
  async useTested<Result>(
    id: string,
    settings: AccountSettings,
    operation: (client: DriveClient) => Promise<Result>,
  ): Promise<Result> {
    const result = await this.useServiceAccount(settings, operation);
    this.tested.set(id, settings);
    return result;
  }

  /** Of a deleted account. */
  forget(id: string): void {
    this.tested.delete(id);
  }

  private useServiceAccount<Result>(
    settings: AccountSettings,
    operation: (client: DriveClient) => Promise<Result>,
  ): Promise<Result> {
    const { clock } = this;
    return useOnce(
      new RunningAccount({ clock, tokens: NO_TOKENS, save: () => undefined }),
      settings,
      operation,
    );
  }

  private useUndeployed<Result>(
    id: string,
    { entry, settings }: UndeployedSignIn,
    operation: (client: DriveClient) => Promise<Result>,
  ): Promise<Result> {
    const account = new RunningAccount({
      clock: this.clock,
      tokens: tokensIn(entry),
      save: (renewed, tokens) => this.credentials.saveRefreshed(id, renewed, tokens),
    });
    return useOnce(account, settings, operation);
  }
}

/** Uses a client for this operation only: a shared one wouldn't be notified when the account is deployed or signed out. */
async function useOnce<Result>(
  account: RunningAccount,
  settings: AccountSettings,
  operation: (client: DriveClient) => Promise<Result>,
): Promise<Result> {
  try {
    return await operation(account.client(settings));
  } finally {
    await account.close();
  }
}
