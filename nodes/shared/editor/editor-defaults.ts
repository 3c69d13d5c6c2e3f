/** The `defaults` of a flow node's definition, made from the defaults that the runtime uses. */
import type { Validator } from './validators';

type Properties<Config> = Config & { name: string; account: string };

export type EditorDefaults<Config> = {
  [Name in keyof Properties<Config>]: NodeProperty<Properties<Config>[Name], EditorNode & Properties<Config>>;
};

/** Adds the name, the account and the validators. https://nodered.org/docs/creating-nodes/properties */
export function editorDefaults<Config extends object>(
  defaults: Config,
  validators: { [Name in keyof Config]?: Validator },
): EditorDefaults<Config> {
  const properties = Object.entries(defaults).map(([name, value]) => {
    const validate = validators[name as keyof Config];
    // The editor calls `validate` if the property exists, even if it is undefined.
    return [name, validate ? { value: value as unknown, validate } : { value: value as unknown }];
  });
  return {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    ...Object.fromEntries(properties),
  } as EditorDefaults<Config>;
}
