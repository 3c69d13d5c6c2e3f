/** What every node of a flow begins and ends with: its properties, the account that it names, its status. */
import type { Node, NodeAPI, NodeDef } from 'node-red';
import { type DriveClient, DriveError } from '../../../src/index';
import type { AccountNode } from './account-node';
import { type IdleState, Status } from './status';

/** A node as it was deployed, for as long as that lasts. */
export interface NodeContext<Config> {
  RED: NodeAPI;
  node: Node;
  config: Config;
  /** Undefined where the node names none that there is. */
  account: AccountNode | undefined;
  status: Status;
}

export interface NodeDefinition<Config> {
  type: string;
  /** Every property with its default; a saved flow may lack any of them. */
  defaults: Config;
}

type FlowNodeDef = NodeDef & { account?: string };

/** Registers a node with Node-RED. @param start called with each one that is deployed */
export function registerNode<Config extends object>(
  RED: NodeAPI,
  { type, defaults }: NodeDefinition<Config>,
  start: (deployed: NodeContext<Config>) => void,
): void {
  RED.nodes.registerType(type, function (this: Node, def: FlowNodeDef) {
    RED.nodes.createNode(this, def);
    const account = accountOf(RED, def);
    const status = new Status(this, () => idleState(account));
    start({ RED, node: this, config: withDefaults(defaults, def), account, status });
  });
}

function accountOf(RED: NodeAPI, def: FlowNodeDef): AccountNode | undefined {
  const node = def.account ? (RED.nodes.getNode(def.account) as Node | null) : null;
  return node && 'drive' in node ? (node as AccountNode) : undefined;
}

function withDefaults<Config extends object>(defaults: Config, def: FlowNodeDef): Config {
  const given = Object.entries(def).filter(([name, value]) => name in defaults && value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}

/** What a node shows while nothing goes on. */
function idleState(account: AccountNode | undefined): IdleState {
  const missing = account ? account.needsSignIn() : new DriveError('not_configured');
  if (!missing) return 'idle';
  if (missing.code !== 'sign_in_required') return 'notConfigured';
  // Any other text says why a sign-in that there was is over.
  return missing.text === 'sign_in_required' ? 'notSignedIn' : 'signInNeeded';
}

/** @throws `not_configured`, `insecure_url` where there is no account, or it can't work as it is set up */
export function clientFor({ account }: Pick<NodeContext<unknown>, 'account'>): DriveClient {
  if (account) return account.drive();
  throw new DriveError('not_configured', { text: 'not_configured_no_account' });
}

/** What is ended by a close has no one left to tell: its error must not reach the flow that starts next. */
export function muteNode(node: Node): void {
  node.error = () => undefined;
  node.status = () => undefined;
}
