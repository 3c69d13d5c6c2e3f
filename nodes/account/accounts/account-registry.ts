/** The accounts: those that are running, and their deployed configuration. */
import type { NodeAPI } from 'node-red';
import {
  type Clock,
  type DriveClientOptions,
  DriveError,
  type Tokens,
  isDriveError,
  systemClock,
} from '../../../src/index';
import type { AccountNode, AccountNodeDef } from '../../shared/runtime/account-node';
import { logWarning } from '../../shared/runtime/catalogue';
import { stateKey } from '../../shared/runtime/node-red-state';
import { withAccountVariable } from '../settings/account-variable';
import { withEnvironment } from '../../shared/runtime/environment';
import type { Properties } from '../settings/properties';
import { type AccountSettings, accountSettings } from '../settings/settings';
import {
  type AccountKey,
  type AccountValues,
  type Template,
  accountKey,
  credentialsId,
  templateKey,
} from './account-key';
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
export interface DeployedConfig extends AccountValues {
  key: AccountKey;
}

interface Registration {
  key: AccountKey;
  account: RunningAccount;
  instances: Map<AccountNode, AccountInstance>;
}

export class AccountRegistry {
  private readonly byKey = new Map<string, Registration>();
  /** Closed accounts with a refresh in progress, by key. */
  private readonly closing = new Map<string, RunningAccount>();

  constructor(
    private readonly RED: NodeAPI,
    private readonly credentials: CredentialStore,
    private readonly uploads: UploadSessionStore,
    private readonly swaps: DriveClientOptions['swaps'],
    private readonly clock: Clock = systemClock,
  ) {}

  /** The state that nodes with the same credentials share. Call {@link release} when the node closes. */
  acquire(instance: AccountInstance): RunningAccount {
    const key = this.keyOf(instance);
    const registration: Registration = this.byKey.get(key.key) ?? {
      key,
      account: this.start(key, instance),
      instances: new Map(),
    };
    this.byKey.set(key.key, registration);
    registration.instances.set(instance.node, instance);
    return registration.account;
  }

  /** Resolves when the account's refreshes are finished. */
  async release(node: AccountNode): Promise<void> {
    const registration = [...this.byKey.values()].find(({ instances }) => instances.has(node));
    if (!registration?.instances.delete(node) || registration.instances.size > 0) return;
    const { account } = registration;
    const { key } = registration.key;
    this.byKey.delete(key);
    const closed = account.close();
    this.closing.set(key, account);
    void account.settled.then(() => this.closing.get(key) === account && this.closing.delete(key));
    await closed;
  }

  /** Deletes the stored state of a deleted account. */
  deleteState(id: string): void {
    this.credentials.delete(this.templateKey(id));
    this.uploads.delete(this.templateKey(id));
  }

  /** A deployed node with these credentials. Of several subflow instances, any one: see {@link checkUnambiguous}. */
  instance(id: string): AccountInstance | undefined {
    const [instance] = this.registrations(id)[0]?.instances.values() ?? [];
    return instance;
  }

  /** @throws `not_configured` if instances of a subflow have different accounts, of which the editor can't choose one */
  checkUnambiguous(id: string): void {
    if (this.registrations(id).length > 1)
      throw new DriveError('not_configured', { text: 'not_configured_instances' });
  }

  /** Why the first node with these credentials that can't be used needs a sign-in. */
  needsSignIn(id: string): DriveError | undefined {
    const instances = this.registrations(id).flatMap((each) => [...each.instances.values()]);
    return instances.map(({ node }) => node.needsSignIn()).find((error) => error !== undefined);
  }

  /** The keys of the deployed accounts with these credentials, and of the credentials themselves. */
  keys(id: string): [AccountKey, ...AccountKey[]] {
    const template = this.templateKey(id);
    const [first = template, ...others] = this.registrations(id).map(({ key }) => key);
    const isRunning = [first, ...others].some(({ key }) => key === template.key);
    return [first, ...others, ...(isRunning ? [] : [template])];
  }

  /** Whether the running account has an access token with these settings. */
  hasToken(id: string, settings: AccountSettings): boolean {
    return this.registrations(id)[0]?.account.hasToken(settings) ?? false;
  }

  /** Makes a running account use other tokens, or none. */
  replaceTokens({ key }: AccountKey, tokens: Tokens): void {
    this.byKey.get(key)?.account.replaceTokens(tokens);
  }

  /** The deployed accounts with these credentials: several if the instances of a subflow have different ones. */
  allDeployed(id: string): DeployedConfig[] {
    const running = this.registrations(id).flatMap(({ key, instances }) =>
      [...instances.values()]
        .slice(0, 1)
        .map(({ config, credentials }) => ({ key, config: { ...config }, credentials })),
    );
    if (running.length > 0) return running;
    const template = this.template(id);
    return template ? [{ key: this.templateKey(id), ...template.resolved }] : [];
  }

  /** The first one, also of an account in a disabled flow. @returns undefined if no account with that id is deployed */
  deployed(id: string): DeployedConfig | undefined {
    return this.allDeployed(id)[0];
  }

  /** @returns undefined for incomplete or invalid settings: the panel can still show such an account and sign it out */
  deployedSettings(id: string): AccountSettings | undefined {
    const deployed = this.deployed(id);
    return deployed && settingsOf(deployed);
  }

  /** The key of an account in the flows that are active now. */
  templateKey(id: string): AccountKey {
    return templateKey(id, stateKey(this.RED, id));
  }

  private registrations(id: string): Registration[] {
    return [...this.byKey.values()].filter(({ key }) => key.id === id);
  }

  private keyOf({ node, config, credentials }: AccountInstance): AccountKey {
    const id = credentialsId(node);
    const template = node._alias === undefined ? undefined : this.template(id);
    const shared = this.templateKey(id);
    return template ? accountKey(shared, { config: { ...config }, credentials }, template) : shared;
  }

  /** The values in the flow and the credentials: as they are stored, and resolved without the variables of a flow. */
  private template(id: string): Template | undefined {
    let config: Properties | undefined;
    this.RED.nodes.eachNode((def) => {
      if (def.id === id && def.type === 'cloud-drive-account') config = { ...def };
    });
    if (!config) return undefined;
    const credentials: Properties = { ...this.credentials.entry(id) };
    const resolved = withAccountVariable(this.RED, {
      config: withEnvironment(this.RED, config),
      credentials: withEnvironment(this.RED, credentials),
    });
    return { stored: { config, credentials }, resolved };
  }

  private start(account: AccountKey, { node, config, credentials }: AccountInstance): RunningAccount {
    const { id, key } = account;
    const running: RunningAccount = new RunningAccount({
      clock: this.clock,
      tokens: this.credentials.restore(account, { ...credentials }, { ...config }),
      signedInAt: () => this.credentials.signedInAt(account),
      onMissingScopes: (scopes) =>
        logWarning(this.RED, 'scopes_missing', { account: node.name || id, scopes: scopes.join(', ') }),
      save: (renewed, tokens) => {
        this.credentials.saveRefreshed(account, renewed, tokens);
        // The account may have been closed and started again during the refresh.
        const started = this.byKey.get(key)?.account;
        if (started !== running) started?.adoptRefreshed(renewed, tokens);
        this.uploads.rebind(account, tokenFingerprint({ refreshToken: renewed }), tokenFingerprint(tokens));
      },
      observe: auditLog(this.RED, { id, name: node.name }),
      earlier: this.closing.get(key)?.settled,
      swaps: this.swaps,
      uploadSessions: (now) => this.uploads.forAccount(account, () => tokenFingerprint(now())),
    });
    return running;
  }
}

/** @returns undefined for incomplete or invalid settings */
export function settingsOf({ config, credentials }: DeployedConfig): AccountSettings | undefined {
  try {
    return accountSettings(config, credentials);
  } catch (error) {
    if (isDriveError(error)) return undefined;
    throw error;
  }
}
