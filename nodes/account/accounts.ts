/** The accounts that run now, by the id of their credentials entry. */
import { type Clock, type Tokens, systemClock } from '../../src/index';
import type { AccountNode } from './account.types';
import { SharedAccount } from './shared-account';
import { type TokenKeeper, tokensOf } from './token-keeper';

interface Counted {
  shared: SharedAccount;
  nodes: Set<AccountNode>;
}

export class Accounts {
  private readonly byId = new Map<string, Counted>();

  constructor(
    private readonly keeper: TokenKeeper,
    private readonly clock: Clock = systemClock,
  ) {}

  /** What the node shares with others of the same credentials; to be given back with {@link release}. */
  acquire(node: AccountNode): SharedAccount {
    const id = credentialsId(node);
    const counted = this.byId.get(id) ?? { shared: this.newShared(id, node), nodes: new Set() };
    this.byId.set(id, counted);
    counted.nodes.add(node);
    return counted.shared;
  }

  release(node: AccountNode): void {
    const id = credentialsId(node);
    const counted = this.byId.get(id);
    if (!counted?.nodes.delete(node) || counted.nodes.size > 0) return;
    counted.shared.close();
    this.byId.delete(id);
  }

  /** A node that runs with these credentials; of several instances any. */
  node(id: string): AccountNode | undefined {
    const [node] = this.byId.get(id)?.nodes ?? [];
    return node;
  }

  /** Lets the account that runs go on with other tokens, or with none. */
  adopt(id: string, tokens: Tokens): void {
    this.byId.get(id)?.shared.adopt(tokens);
  }

  private newShared(id: string, node: AccountNode): SharedAccount {
    const shared: SharedAccount = new SharedAccount({
      clock: this.clock,
      random: Math.random,
      tokens: tokensOf(node.credentials),
      save: (renewed, tokens) => {
        this.keeper.update(id, renewed, tokens);
        // A refresh may outlast its node: what it brought is for the node that runs now.
        const current = this.byId.get(id)?.shared;
        if (current && current !== shared) current.renewed(renewed, tokens);
      },
    });
    return shared;
  }
}

/** In a subflow the node that was edited has the credentials, and each instance names it. */
export function credentialsId(node: AccountNode): string {
  return node._alias ?? node.id;
}
