/** The accounts: those that are running, and their deployed configuration. */
import type { NodeAPI } from 'node-red';
import {
  type Clock,
  type DriveClientOptions,
  DriveError,
  type Observe,
  systemClock,
  type Tokens,
} from '../../../src/index';
import { type AccountKey, accountKey, credentialsId, type Template, templateKey } from './account-key';
import type { CredentialStore } from './credential-store';
import { RunningAccount } from './running-account';
import { tokenFingerprint } from './stored-sign-in';
import type { UploadSessionStore } from './upload-session-store';
import { accountValues } from '../settings/account-variable';
import { type AccountSettings, AccountValues, type Properties } from '../settings/settings';
import type { AccountNode } from '../../shared/runtime/account-node';
import { logWarning } from '../../shared/runtime/catalogue';
import { withEnvironment } from '../../shared/runtime/environment';
import { stateKey } from '../../shared/runtime/node-red-state';

/** A deployed node, with the account variable filled in. */
export interface AccountInstance {
  node: AccountNode;
  values: AccountValues;
}

export interface DeployedAccount {
  key: AccountKey;
  values: AccountValues;
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
  allDeployed(id: string): DeployedAccount[] {
    const running = this.registrations(id).flatMap(({ key, instances }) =>
      [...instances.values()].slice(0, 1).map(({ values }) => ({ key, values })),
    );
    if (running.length > 0) return running;
    const template = this.template(id);
    return template ? [{ key: this.templateKey(id), values: template.resolved }] : [];
  }

  /** The first one, also of an account in a disabled flow. @returns undefined if no account with that id is deployed */
  deployed(id: string): AccountValues | undefined {
    return this.allDeployed(id)[0]?.values;
  }

  /** @returns undefined for incomplete or invalid settings: the panel can still show such an account and sign it out */
  deployedSettings(id: string): AccountSettings | undefined {
    return this.deployed(id)?.usableSettings();
  }

  /** The key of an account in the flows that are active now. */
  templateKey(id: string): AccountKey {
    return templateKey(id, stateKey(this.RED, id));
  }

  private registrations(id: string): Registration[] {
    return [...this.byKey.values()].filter(({ key }) => key.id === id);
  }

  private keyOf({ node, values }: AccountInstance): AccountKey {
    const id = credentialsId(node);
    const template = node._alias === undefined ? undefined : this.template(id);
    const shared = this.templateKey(id);
    return template ? accountKey(shared, values, template) : shared;
  }

  /** The values in the flow and the credentials: as they are stored, and resolved without the variables of a flow. */
  private template(id: string): Template | undefined {
    let config: Properties | undefined;
    this.RED.nodes.eachNode((def) => {
      if (def.id === id && def.type === 'cloud-drive-account') config = { ...def };
    });
    if (!config) return undefined;
    const credentials: Properties = { ...this.credentials.entry(id) };
    const resolved = accountValues(this.RED, {
      config: withEnvironment(this.RED, config),
      credentials: withEnvironment(this.RED, credentials),
    });
    return { stored: new AccountValues({ config, credentials }), resolved };
  }

  private start(account: AccountKey, { node, values }: AccountInstance): RunningAccount {
    const { id, key } = account;
    const running: RunningAccount = new RunningAccount({
      clock: this.clock,
      tokens: this.credentials.restore(account, values),
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

/**
 * Lines in Node-RED's audit log: what an account sends to the drive. They contain no secret, ID or name of a file.
 * https://nodered.org/docs/user-guide/runtime/logging#audit
 * @returns undefined if no logger of Node-RED reports audit events, as by default
 */
function auditLog(RED: NodeAPI, account: { id: string; name?: string | undefined }): Observe | undefined {
  const loggers: Record<string, { audit?: unknown } | undefined> = { ...RED.settings.logging };
  if (!Object.values(loggers).some((logger) => logger?.audit)) return undefined;
  return ({ event, ...detail }) => {
    const name = account.name ? { name: account.name } : {};
    const line = { event: `cloud-drive.${event}`, account: account.id, ...name, ...detail };
    // Node-RED sets the level itself.
    RED.log.audit(line as unknown as Parameters<typeof RED.log.audit>[0]);
  };
}
