/** The accounts: those that are running, by the id of their credentials entry, and their deployed configuration. */
import type { NodeAPI } from 'node-red';
import {
  type Clock,
  type DriveClientOptions,
  type Tokens,
  isDriveError,
  systemClock,
} from '../../../src/index';
import type { AccountNode, AccountNodeDef } from '../../shared/runtime/account-node';
import { logWarning } from '../../shared/runtime/catalogue';
import { withAccountVariable } from '../settings/account-variable';
import { withEnvironment } from '../../shared/runtime/environment';
import type { Properties } from '../settings/properties';
import { type AccountSettings, accountSettings } from '../settings/settings';
import { auditLog } from './audit-log';
import { RunningAccount } from './running-account';
import type { UploadSessionStore } from './upload-session-store';
import { tokenFingerprint } from './credential-entry';
import type { CredentialStore } from './credential-store';

/** A deployed node, with environment variables resolved, also those of the account variable. */
export interface AccountInstance {
  node: AccountNode;
  config: AccountNodeDef;
  credentials: Properties;
}

/** The deployed configuration of an account, with environment variables resolved. */
export interface DeployedConfig {
  config: Properties;
  credentials: Properties;
}

interface Registration {
  account: RunningAccount;
  instances: Map<AccountNode, AccountInstance>;
}

export class AccountRegistry {
  private readonly byId = new Map<string, Registration>();
  /** Closed accounts with a refresh in progress. */
  private readonly closing = new Map<string, RunningAccount>();

  constructor(
    private readonly RED: NodeAPI,
    private readonly credentials: CredentialStore,
    private readonly uploads: UploadSessionStore,
    private readonly swaps: DriveClientOptions['swaps'],
    private readonly clock: Clock = systemClock,
  ) {}

  /** The state that nodes with the same credentials share. Call {@link release} when the node closes. */
  acquire({ node, config, credentials }: AccountInstance): RunningAccount {
    const id = credentialsId(node);
    const registration: Registration = this.byId.get(id) ?? {
      account: this.start(id, { node, config, credentials }),
      instances: new Map(),
    };
    this.byId.set(id, registration);
    registration.instances.set(node, { node, config, credentials });
    return registration.account;
  }

  /** Resolves when the account's refreshes are finished. */
  async release(node: AccountNode): Promise<void> {
    const id = credentialsId(node);
    const registration = this.byId.get(id);
    if (!registration?.instances.delete(node) || registration.instances.size > 0) return;
    this.byId.delete(id);
    const { account } = registration;
    const closed = account.close();
    this.closing.set(id, account);
    void account.settled.then(() => this.closing.get(id) === account && this.closing.delete(id));
    await closed;
  }

  /** Deletes the stored state of a deleted account. */
  deleteState(id: string): void {
    this.credentials.delete(id);
    this.uploads.delete(id);
  }

  /** A deployed node with these credentials. Of several subflow instances, any one. */
  instance(id: string): AccountInstance | undefined {
    const [instance] = this.byId.get(id)?.instances.values() ?? [];
    return instance;
  }

  /** Whether the running account has an access token with these settings. */
  hasToken(id: string, settings: AccountSettings): boolean {
    return this.byId.get(id)?.account.hasToken(settings) ?? false;
  }

  /** Makes the running account use other tokens, or none. */
  replaceTokens(id: string, tokens: Tokens): void {
    this.byId.get(id)?.account.replaceTokens(tokens);
  }

  /** Also of an account in a disabled flow. @returns undefined if no account with that id is deployed */
  deployed(id: string): DeployedConfig | undefined {
    const instance = this.instance(id);
    if (instance) return { config: { ...instance.config }, credentials: instance.credentials };
    let config: Properties | undefined;
    this.RED.nodes.eachNode((def) => {
      if (def.id === id && def.type === 'cloud-drive-account') config = { ...def };
    });
    if (!config) return undefined;
    const credentials = withEnvironment(this.RED, { ...this.credentials.entry(id) });
    return withAccountVariable(this.RED, { config: withEnvironment(this.RED, config), credentials });
  }

  /** @returns undefined for incomplete or invalid settings: the panel can still show such an account and sign it out */
  deployedSettings(id: string): AccountSettings | undefined {
    const deployed = this.deployed(id);
    try {
      return deployed && accountSettings(deployed.config, deployed.credentials);
    } catch (error) {
      if (isDriveError(error)) return undefined;
      throw error;
    }
  }

  private start(id: string, { node, config, credentials }: AccountInstance): RunningAccount {
    const account: RunningAccount = new RunningAccount({
      clock: this.clock,
      tokens: this.credentials.restore(id, { ...credentials }, { ...config }),
      signedInAt: () => this.credentials.signedInAt(id),
      onMissingScopes: (scopes) =>
        logWarning(this.RED, 'scopes_missing', { account: node.name || id, scopes: scopes.join(', ') }),
      save: (renewed, tokens) => {
        this.credentials.saveRefreshed(id, renewed, tokens);
        // The account may have been closed and started again during the refresh.
        const started = this.byId.get(id)?.account;
        if (started !== account) started?.adoptRefreshed(renewed, tokens);
        this.uploads.rebind(id, tokenFingerprint({ refreshToken: renewed }), tokenFingerprint(tokens));
      },
      observe: auditLog(this.RED, { id, name: node.name }),
      earlier: this.closing.get(id)?.settled,
      swaps: this.swaps,
      uploadSessions: (now) => this.uploads.forAccount(id, () => tokenFingerprint(now())),
    });
    return account;
  }
}

/** Instances of a subflow share the credentials of the node in the subflow template. */
export function credentialsId(node: AccountNode): string {
  return node._alias ?? node.id;
}
