/** Variables and paths in properties from the editor, as Node-RED resolves them. */
import type { Node, NodeAPI } from 'node-red';
import { isReference } from '../contract/values';
import path from 'node:path';

type Properties = Readonly<Record<string, unknown>>;

/**
 * Resolves `${NAME}`.
 * @param node whose flow may set variables; without it, only global variables are used
 * @returns the properties with resolved references; a reference to an unset variable is unchanged
 */
export function withEnvironment(RED: NodeAPI, properties: Properties, node?: Node): Record<string, unknown> {
  const from = node ?? globalConfig(RED);
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [
      name,
      isReference(value) ? resolve(RED, value, from) : value,
    ]),
  );
}

function resolve(RED: NodeAPI, value: unknown, node: Node | undefined): unknown {
  const reference = String(value)
    .trim()
    .replace(/^\$\((.+)\)$/, '${$1}');
  type Found = string | number | boolean | undefined;
  const found = RED.util.evaluateNodeProperty(reference, 'env', node as Node, {}) as Found;
  // Node-RED returns an empty string for an unset variable.
  return found === '' || found === undefined ? value : String(found);
}

/** The config node with the global environment variables. */
function globalConfig(RED: NodeAPI): Node | undefined {
  let found: Node | undefined;
  RED.nodes.eachNode(({ id, type }) => {
    if (type === 'global-config') found = RED.nodes.getNode(id) ?? undefined;
  });
  return found;
}

/** @returns the absolute path, relative to the same folder as in Node-RED's core file nodes */
export function absolutePath(RED: NodeAPI, localPath: string): string {
  const { fileWorkingDirectory: base } = RED.settings as { fileWorkingDirectory?: string };
  return path.resolve(base ?? '', localPath);
}
