/**
 * Nodes that a deploy deleted, so that state stored for them can be deleted too. The `removed` flag of a node's `close`
 * event isn't enough: it is also set for a node that is only disabled and may be enabled again.
 * https://nodered.org/docs/creating-nodes/node-js#closing-the-node
 */
import type { NodeAPI } from 'node-red';

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

/** Calls the listener for each deleted node, after it has closed and before others start. */
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
