/**
 * Nodes that a deploy has taken out of the flows: what is kept for them is of no use to anyone. To a node that is only
 * disabled, or whose flow is, Node-RED says on closing that it is removed; it may come back, and then go on.
 * https://nodered.org/docs/creating-nodes/node-js#closing-the-node
 */
import type { NodeAPI } from 'node-red';

/**
 * @param id of a node of any type
 * @param isThere whether the flows have a node of that id now
 */
type Forget = (id: string, isThere: (id: string) => boolean) => void;

/** What comes with `flows:stopped`; where it was no deploy, nothing is removed. */
interface Stopped {
  diff?: { removed: string[] };
}

/** By what is one for all node sets of a Node-RED. A set may be loaded more than once: the last one counts. */
const known = new WeakMap<object, Map<string, Forget>>();

/**
 * Calls back for each node that is gone, when it has closed and before others start.
 * @param name of what forgets
 */
export function onDeleted(RED: NodeAPI, name: string, forget: Forget): void {
  const all = known.get(RED.events);
  if (all) {
    all.set(name, forget);
    return;
  }
  const first = new Map([[name, forget]]);
  known.set(RED.events, first);
  RED.events.on('flows:stopped', ({ diff }: Stopped) => {
    const there = new Set<string>();
    RED.nodes.eachNode(({ id }) => there.add(id));
    const isThere = (id: string): boolean => there.has(id);
    for (const id of diff?.removed ?? []) {
      if (!isThere(id)) for (const each of first.values()) each(id, isThere);
    }
  });
}
