/** The running accounts, by the id of their credentials entry. */
import { type Clock, type ErrorParams, type Tokens, systemClock } from '../../../src/index';
import type { AccountNode, AccountNodeDef } from '../../shared/runtime/account-node';
import { SharedAccount } from './shared-account';
import type { UploadSessionStore } from './upload-session-store';
import { tokenFingerprint } from './credential-entry';
import type { CredentialStore } from './credential-store';

/** A deployed node, with environment variables resolved. */
export interface AccountInstance {
  node: AccountNode;
  config: AccountNodeDef;
}

interface Registration {
  shared: SharedAccount;
  instances: Map<AccountNode, AccountInstance>;
}

export class AccountRegistry {
  private readonly byId = new Map<string, Registration>();

  constructor(
    private readonly credentials: CredentialStore,
    private readonly uploads: UploadSessionStore,
    /** Logs a warning of the catalogue. */
    private readonly warn: (text: string, params: ErrorParams) => void,
    private readonly clock: Clock = systemClock,
  ) {}

  /** The state that nodes with the same credentials share. Call {@link release} when the node closes. */
  acquire(node: AccountNode, config: AccountNodeDef): SharedAccount {
    const id = credentialsId(node);
    const registration = this.byId.get(id) ?? {
      shared: this.newShared(id, node, config),
      instances: new Map(),
    };
    this.byId.set(id, registration);
    registration.instances.set(node, { node, config });
    return registration.shared;
  }

  /** Resolves when the account's refreshes are finished. */
  async release(node: AccountNode): Promise<void> {
    const id = credentialsId(node);
    const registration = this.byId.get(id);
    if (!registration?.instances.delete(node) || registration.instances.size > 0) return;
    this.byId.delete(id);
    await registration.shared.close();
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

  /** Makes the running account use other tokens, or none. */
  replaceTokens(id: string, tokens: Tokens): void {
    this.byId.get(id)?.shared.replaceTokens(tokens);
  }

  private newShared(id: string, node: AccountNode, config: AccountNodeDef): SharedAccount {
    return new SharedAccount({
      clock: this.clock,
      random: Math.random,
      tokens: this.credentials.restore(id, node.credentials, { ...config }),
      signedInAt: () => this.credentials.signedInAt(id),
      onMissingScopes: (scopes) =>
        this.warn('scopes_missing', { account: node.name || id, scopes: scopes.join(', ') }),
      save: (renewed, tokens) => {
        this.credentials.saveRefreshed(id, renewed, tokens);
        this.uploads.rebind(id, tokenFingerprint({ refreshToken: renewed }), tokenFingerprint(tokens));
      },
      uploadSessions: (now) => this.uploads.forAccount(id, () => tokenFingerprint(now())),
    });
  }
}

/** Instances of a subflow share the credentials of the node in the subflow template. */
export function credentialsId(node: AccountNode): string {
  return node._alias ?? node.id;
}
