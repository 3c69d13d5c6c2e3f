/** The `defaults` of a node's definition, made from the defaults that the runtime uses. */

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
    return [name, validate ? { value, validate } : { value }];
  });
  return Object.fromEntries(properties) as EditorDefaults<Config>;
}
