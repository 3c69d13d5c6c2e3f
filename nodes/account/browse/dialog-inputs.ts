/** The inputs of a node as its dialog shows them, deployed or not, for a test in the dialog. */
import type { Node, NodeAPI, NodeMessageInFlow } from 'node-red';
import { type CallOptions, type DriveClient, DriveError } from '../../../src/index';
import { isLiteral } from '../../shared/contract/literal-value';
import { Inputs } from '../../shared/runtime/inputs';
import type { TestRequest } from './browse-request';

export interface DialogInputsOptions<Config> {
  RED: NodeAPI;
  client: DriveClient;
  call: CallOptions;
  defaults: Config;
  /** Typed inputs. Their values are the examples unless the dialog contains them. */
  typedInputs: readonly (keyof Config & string)[];
  /** Rejects empty examples. An empty folder would be the root of the drive. */
  requiresExamples?: boolean;
}

/** @throws `invalid_input` for an empty example, if it is required */
export function dialogInputs<Config extends object>(
  { settings, examples }: TestRequest,
  { RED, client, call, defaults, typedInputs, requiresExamples = false }: DialogInputsOptions<Config>,
): { config: Config; inputs: Inputs; msg: NodeMessageInFlow } {
  const config = toConfig(settings, defaults);
  const values = config as Record<string, unknown>;
  const msg: NodeMessageInFlow = { _msgid: '' };
  for (const property of typedInputs) {
    // The permission to read flows doesn't include expressions, context stores or the environment.
    if (isLiteral(String(values[`${property}Type`]), String(values[property]))) continue;
    const example = examples[property] ?? '';
    if (requiresExamples && example.trim() === '')
      throw new DriveError('invalid_input', { text: 'invalid_input_no_example', params: { property } });
    Object.assign(config, { [property]: property, [`${property}Type`]: 'msg' });
    (msg as unknown as Record<string, unknown>)[property] = example;
  }
  return { config, inputs: new Inputs({ RED, node: NO_NODE, config, msg, client, call }), msg };
}

/** Converts the strings of the editor's fields to the types of the node's properties. */
function toConfig<Config extends object>(settings: TestRequest['settings'], defaults: Config): Config {
  const values = Object.entries(defaults).map(([name, defaultValue]: [string, unknown]) => {
    const value = settings[name] ?? defaultValue;
    return [name, typeof defaultValue === 'boolean' ? value === true : String(value)];
  });
  return Object.fromEntries(values) as Config;
}

/** Literals and message properties are read without a node. */
const NO_NODE = {} as Node;
