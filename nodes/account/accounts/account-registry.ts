/** The accounts that run now, by the id of their credentials entry. */
import {
  type Clock,
  type DriveClient,
  DriveError,
  type ErrorParams,
  type Tokens,
  systemClock,
} from '../../../src/index';
import type { AccountNode, AccountNodeDef } from '../../shared/runtime/account-node';
import { SharedAccount } from './shared-account';
import type { UploadSessionStore } from './upload-session-store';
import { tokenFingerprint } from './credential-entry';
import type { CredentialStore } from './credential-store';

/** A node as it was deployed, environment variables in place. */
export interface RunningAccount {
  node: AccountNode;
  config: AccountNodeDef;
}

interface Counted {
  shared: SharedAccount;
  running: Map<AccountNode, RunningAccount>;
}

export class AccountRegistry {
  private readonly byId = new Map<string, Counted>();

  constructor(
    private readonly keeper: CredentialStore,
    private readonly uploads: UploadSessionStore,
    /** Tells the log a sentence of the catalogue. */
    private readonly warn: (text: string, params: ErrorParams) => void,
    private readonly clock: Clock = systemClock,
  ) {}

  /** What the node shares with others of the same credentials; to be given back with {@link release}. */
  acquire(node: AccountNode, config: AccountNodeDef): SharedAccount {
    const id = credentialsId(node);
    const counted = this.byId.get(id) ?? { shared: this.newShared(id, node, config), running: new Map() };
    this.byId.set(id, counted);
    counted.running.set(node, { node, config });
    return counted.shared;
  }

  /** Resolves when nothing of the account is under way any more. */
  async release(node: AccountNode): Promise<void> {
    const id = credentialsId(node);
    const counted = this.byId.get(id);
    if (!counted?.running.delete(node) || counted.running.size > 0) return;
    this.byId.delete(id);
    await counted.shared.close();
  }

  /** The account was deleted, not only stopped. */
  deleteState(id: string): void {
    this.keeper.delete(id);
    this.uploads.delete(id);
  }

  /** A node that runs with these credentials; of several instances any. */
  running(id: string): RunningAccount | undefined {
    const [running] = this.byId.get(id)?.running.values() ?? [];
    return running;
  }

  /** The client of an account that runs. @throws `not_configured` where none does, and what the account lacks */
  client(id: string): DriveClient {
    const running = this.running(id);
    if (!running) throw new DriveError('not_configured', { text: 'not_configured_not_deployed' });
    return running.node.drive();
  }

  /** Lets the account that runs go on with other tokens, or with none. */
  replaceTokens(id: string, tokens: Tokens): void {
    this.byId.get(id)?.shared.replaceTokens(tokens);
  }

  private newShared(id: string, node: AccountNode, config: AccountNodeDef): SharedAccount {
    return new SharedAccount({
      clock: this.clock,
      random: Math.random,
      tokens: this.keeper.restore(id, node.credentials, { ...config }),
      signedInAt: () => this.keeper.signedInAt(id),
      onMissingScopes: (scopes) =>
        this.warn('scopes_missing', { account: node.name || id, scopes: scopes.join(', ') }),
      save: (renewed, tokens) => {
        this.keeper.saveRefreshed(id, renewed, tokens);
        this.uploads.rebind(id, tokenFingerprint({ refreshToken: renewed }), tokenFingerprint(tokens));
      },
      uploadSessions: (now) => this.uploads.forAccount(id, () => tokenFingerprint(now())),
    });
  }
}

/** In a subflow the node that was edited has the credentials, and each instance names it. */
export function credentialsId(node: AccountNode): string {
  return node._alias ?? node.id;
}
