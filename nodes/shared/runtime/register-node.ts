/** Registers a node type, and gives each deployed node its properties, account and status. */
import type { Node, NodeAPI, NodeDef } from 'node-red';
import { type DriveClient, DriveError } from '../../../src/index';
import type { AccountNode } from './account-node';
import { type IdleState, Status } from './status';

/** A deployed node, until it is closed. */
export interface NodeContext<Config> {
  RED: NodeAPI;
  node: Node;
  config: Config;
  /** Undefined if the node has no account, or the account doesn't exist. */
  account: AccountNode | undefined;
  status: Status;
}

export interface NodeDefinition<Config> {
  type: string;
  /** Every property with its default. A saved flow may lack any of them. */
  defaults: Config;
}

type FlowNodeDef = NodeDef & { account?: string };

/** @param start called for each deployed node of the type */
export function registerNode<Config extends object>(
  RED: NodeAPI,
  { type, defaults }: NodeDefinition<Config>,
  start: (context: NodeContext<Config>) => void,
): void {
  RED.nodes.registerType(type, function (this: Node, def: FlowNodeDef) {
    RED.nodes.createNode(this, def);
    const account = findAccount(RED, def);
    const status = new Status(this, () => idleState(account));
    start({ RED, node: this, config: withDefaults(defaults, def), account, status });
  });
}

function findAccount(RED: NodeAPI, def: FlowNodeDef): AccountNode | undefined {
  const node = def.account ? (RED.nodes.getNode(def.account) as Node | null) : null;
  return node && 'drive' in node ? (node as AccountNode) : undefined;
}

function withDefaults<Config extends object>(defaults: Config, def: FlowNodeDef): Config {
  const saved = Object.entries(def).filter(([name, value]) => name in defaults && value !== undefined);
  return { ...defaults, ...Object.fromEntries(saved) };
}

function idleState(account: AccountNode | undefined): IdleState {
  const missing = account ? account.needsSignIn() : new DriveError('not_configured');
  if (!missing) return 'idle';
  if (missing.code !== 'sign_in_required') return 'notConfigured';
  // Every other text says why an earlier sign-in is no longer valid.
  return missing.text === 'sign_in_required' ? 'notSignedIn' : 'signInNeeded';
}

/** @throws `not_configured`, `insecure_url` without an account, or if its settings are incomplete or invalid */
export function clientFor({ account }: Pick<NodeContext<unknown>, 'account'>): DriveClient {
  if (account) return account.drive();
  throw new DriveError('not_configured', { text: 'not_configured_no_account' });
}

/** For closing nodes: errors and statuses of aborted work must not reach the flow that starts next. */
export function muteNode(node: Node): void {
  node.error = () => undefined;
  node.status = () => undefined;
}
