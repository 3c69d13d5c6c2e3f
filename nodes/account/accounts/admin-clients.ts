/** The clients for requests of the admin API: of deployed accounts, and of sign-ins that aren't deployed yet. */
import {
  BoundedMap,
  type Clock,
  type DriveClient,
  DriveError,
  systemClock,
  unrefClock,
} from '../../../src/index';
import type { AccountRegistry } from './account-registry';
import type { AccountSettings } from '../settings/settings';
import { tokensIn } from './stored-sign-in';
import type { CredentialStore, UndeployedSignIn } from './credential-store';
import { RunningAccount } from './running-account';

/** The maximum number of tested service accounts that aren't deployed. */
const MAX_TESTED = 50;
/** ms since it was last used. A user may fill in another dialog before the first deploy. */
const TESTED_FOR = 30 * 60_000;
const NO_TOKENS = { accessToken: '', refreshToken: '' };

/** A service account whose connection was tested before its first deploy. The settings contain its key. */
interface Tested {
  settings: AccountSettings;
  /** Ends the time after which it is forgotten. */
  timer: AbortController;
}

export class AdminClients {
  /** By node id. */
  private readonly tested = new BoundedMap<string, Tested>(MAX_TESTED);

  constructor(
    private readonly accounts: AccountRegistry,
    private readonly credentials: CredentialStore,
    private readonly clock: Clock = systemClock,
    private readonly timers: Clock = unrefClock,
  ) {}

  /**
   * Calls a function with the client of an account. A sign-in takes effect at once, although the flows use it only
   * after the next deploy: users choose folders and test the connection before they deploy a new account.
   * @throws `not_configured` for an account that is neither deployed nor signed in, or that differs in the instances of
   *   a subflow
   */
  async use<Result>(id: string, operation: (client: DriveClient) => Promise<Result>): Promise<Result> {
    const undeployed = this.credentials.undeployedSignIn(id);
    const instance = undeployed?.awaitsDeploy ? undefined : this.accounts.instance(id);
    this.accounts.checkUnambiguous(id);
    if (instance) return operation(instance.node.drive());
    if (undeployed) return this.useUndeployed(id, undeployed, operation);
    const tested = this.tested.get(id);
    if (tested) {
      this.keep(id, tested.settings);
      return this.useServiceAccount(tested.settings, operation);
    }
    throw new DriveError('not_configured', { text: 'not_configured_not_deployed' });
  }

  /** Calls a function with a service account's client. If it succeeds, {@link use} uses it until it is deployed. */
  async useTested<Result>(
    id: string,
    settings: AccountSettings,
    operation: (client: DriveClient) => Promise<Result>,
  ): Promise<Result> {
    const result = await this.useServiceAccount(settings, operation);
    if (!this.accounts.instance(id)) this.keep(id, settings);
    return result;
  }

  /** Call it for an account that was deployed or deleted. */
  forget(id: string): void {
    this.tested.get(id)?.timer.abort();
    this.tested.delete(id);
  }

  private keep(id: string, settings: AccountSettings): void {
    this.forget(id);
    const timer = new AbortController();
    this.tested.set(id, { settings, timer });
    this.timers.sleep(TESTED_FOR, timer.signal).then(
      () => this.tested.delete(id),
      () => undefined,
    );
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
      save: (renewed, tokens) =>
        this.credentials.saveRefreshed(this.accounts.templateKey(id), renewed, tokens),
    });
    return useOnce(account, settings, operation);
  }
}

/**
 * Uses a client for this operation only: a shared one wouldn't be notified when the account is deployed or signed out.
 */
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
