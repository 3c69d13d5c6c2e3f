/** `${NAME}` in what comes from the editor, replaced as Node-RED does for a node that is deployed. */
import type { Node, NodeAPI } from 'node-red';
import { type Properties, isReference } from './properties';

/**
 * @param node whose surroundings count (its flow may set variables); without one, those that are set globally do
 * @returns the properties with the references replaced; one that isn't set stays as it is
 */
export function withEnvironment(RED: NodeAPI, properties: Properties, node?: Node): Record<string, unknown> {
  const from = node ?? globalConfig(RED);
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [
      name,
      isReference(value) ? look(RED, value, from) : value,
    ]),
  );
}

function look(RED: NodeAPI, value: unknown, node: Node | undefined): unknown {
  const reference = String(value)
    .trim()
    .replace(/^\$\((.+)\)$/, '${$1}');
  type Found = string | number | boolean | undefined;
  const found = RED.util.evaluateNodeProperty(reference, 'env', node as Node, {}) as Found;
  // Node-RED makes an empty text of what isn't set.
  return found === '' || found === undefined ? value : String(found);
}

/** The node that holds the variables of the user settings' page "Environment". */
function globalConfig(RED: NodeAPI): Node | undefined {
  let found: Node | undefined;
  RED.nodes.eachNode(({ id, type }) => {
    if (type === 'global-config') found = RED.nodes.getNode(id) ?? undefined;
  });
  return found;
}
