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

export type PropertyValidators<Config> = {
  [Name in keyof Config]?: NodeProperty<Config[Name], EditorNode & Config>['validate'];
};

export type EditorDefaults<Config> = {
  [Name in keyof Config]: NodeProperty<Config[Name], EditorNode & Config>;
};

/** Adds the validators. https://nodered.org/docs/creating-nodes/properties */
export function editorDefaults<Config extends object>(
  defaults: Config,
  validators: PropertyValidators<Config>,
): EditorDefaults<Config> {
  const properties = Object.entries(defaults).map(([name, value]: [string, unknown]) => {
    const validate = validators[name as keyof Config];
    // The editor calls `validate` if the property exists, even if it is undefined.
    return [name, validate ? { value, validate: withoutTags(validate as Validate) } : { value }];
  });
  return Object.fromEntries(properties) as EditorDefaults<Config>;
}

type Validate = (this: unknown, value: unknown, options?: { label?: string }) => boolean | string;

/**
 * Messages may quote a value, which comes from anyone in an imported flow. The sidebar of configuration nodes shows
 * them as HTML, other places as text: behind an invisible character, `<` begins no tag.
 */
function withoutTags(validate: Validate): Validate {
  // With two parameters, because the editor accepts no text from others.
  return function (value, options) {
    const result = validate.call(this, value, options);
    return typeof result === 'string' ? result.replace(/</g, '<\u2060') : result;
  };
}
