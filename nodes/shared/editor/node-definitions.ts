/**
 * The editor definitions of all nodes. The editor loads the code of all nodes once, as resources/editor.js; the editor
 * page of each node then registers its own definition: see buildEditorPage in scripts/build.mjs.
 */

/** By node type. @public the build imports it */
export const nodeDefinitions: Record<string, object> = {};

/** Adds the definition of a node type, with `this` typed as by RED.nodes.registerType. */
export function defineNode<Properties>(
  type: string,
  definition: NodeDefinition<Properties> & ThisType<EditorNode & Properties>,
): void {
  nodeDefinitions[type] = definition;
}
