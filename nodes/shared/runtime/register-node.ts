/** Registers a node type, and gives each deployed node its properties, account and status. */
import type { Node, NodeAPI, NodeDef } from 'node-red';
import { type AccountNode, findAccount, idleState } from './account-node';
import { Status } from './status';

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
  /** Properties that Node-RED stores encrypted. https://nodered.org/docs/creating-nodes/credentials */
  credentials?: Record<string, { type: 'password' }>;
}

type FlowNodeDef = NodeDef & { account?: string };

/** @param start called for each deployed node of the type */
export function registerNode<Config extends object>(
  RED: NodeAPI,
  { type, defaults, credentials }: NodeDefinition<Config>,
  start: (context: NodeContext<Config>) => void,
): void {
  function construct(this: Node, def: FlowNodeDef): void {
    RED.nodes.createNode(this, def);
    const account = findAccount(RED, def.account);
    const status = new Status(this, () => idleState(account));
    start({ RED, node: this, config: withDefaults(defaults, def), account, status });
  }
  RED.nodes.registerType(type, construct, { credentials });
}

function withDefaults<Config extends object>(defaults: Config, def: FlowNodeDef): Config {
  const saved = Object.entries(def).filter(([name, value]) => name in defaults && value !== undefined);
  return { ...defaults, ...Object.fromEntries(saved) };
}

/** For closing nodes: errors and statuses of aborted work must not reach the flow that starts next. */
export function muteNode(node: Node): void {
  node.error = () => undefined;
  node.status = () => undefined;
}
