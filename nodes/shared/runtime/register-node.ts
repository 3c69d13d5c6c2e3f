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

/**
 * @param id of a deleted node of any type
 * @param exists whether the flows contain a node with that id
 */
type Listener = (id: string, exists: (id: string) => boolean) => void;

/** Payload of `flows:stopped`; without `diff` if the flows stopped for another reason than a deploy. */
interface FlowsStopped {
  diff?: { removed: string[] };
}

/**
 * Listeners by name, by the event emitter that all node sets of a Node-RED share. A node set that is loaded again
 * replaces its listener.
 */
const listenersByEmitter = new WeakMap<object, Map<string, Listener>>();

/**
 * Calls the listener for each node that a deploy deletes, so that state stored for it can be deleted too. The `removed`
 * flag of a node's `close` event isn't enough: it is also set for a node that is only disabled and may be enabled again.
 * https://nodered.org/docs/creating-nodes/node-js#closing-the-node
 *
 * It is called after the node has closed and before others start.
 */
export function onDeleted(RED: NodeAPI, name: string, listener: Listener): void {
  const existing = listenersByEmitter.get(RED.events);
  if (existing) {
    existing.set(name, listener);
    return;
  }
  const listeners = new Map([[name, listener]]);
  listenersByEmitter.set(RED.events, listeners);
  RED.events.on('flows:stopped', ({ diff }: FlowsStopped) => {
    const ids = new Set<string>();
    RED.nodes.eachNode(({ id }) => ids.add(id));
    const exists = (id: string): boolean => ids.has(id);
    for (const id of diff?.removed ?? []) {
      if (!exists(id)) for (const each of listeners.values()) each(id, exists);
    }
  });
}
