/** The inputs of a node as its dialog shows them, deployed or not, for a test in the dialog. */
import type { Node, NodeAPI, NodeMessageInFlow } from 'node-red';
import {
  type CallOptions,
  type DriveClient,
  DriveError,
  type JsonObject,
  isAnyOf,
  isBoolean,
  isNumber,
  isText,
} from '../../../src/index';
import { isLiteral } from '../contract/values';
import { Inputs } from '../runtime/inputs';
import { MAX_LENGTH, REQUEST, requestText } from './admin-guard';

export interface DialogInputsOptions<Config> {
  RED: NodeAPI;
  client: DriveClient;
  call: CallOptions;
  defaults: Config;
  /** Typed inputs. Their values are the examples unless the dialog contains them. */
  typedInputs: readonly (keyof Config & string)[];
  /** Those of the dialog. */
  credentials?: Readonly<Record<string, string>>;
  /** Rejects empty examples. An empty folder would be the root of the drive. */
  requiresExamples?: boolean;
}

/**
 * @param body of the request: `settings`, the node's properties, of which missing ones have their defaults; and
 *   `examples`, values for properties that are read from a message, a context store or the environment
 * @throws `invalid_input` for a malformed request, or for an empty example if it is required
 */
export function dialogInputs<Config extends object>(
  body: unknown,
  {
    RED,
    client,
    call,
    defaults,
    typedInputs,
    credentials = {},
    requiresExamples = false,
  }: DialogInputsOptions<Config>,
): { config: Config; inputs: Inputs; msg: NodeMessageInFlow } {
  const { settings, examples = {} } = REQUEST.object(body);
  const config = toConfig(REQUEST.object(settings, 'settings'), defaults);
  const givenExamples = REQUEST.object(examples, 'examples');
  const values = config as Record<string, unknown>;
  const msg: NodeMessageInFlow = { _msgid: '' };
  const fromExamples: string[] = [];
  for (const property of typedInputs) {
    // The permission to read flows doesn't include expressions, context stores or the environment.
    if (isLiteral(String(values[`${property}Type`]), String(values[property]))) continue;
    const example = requestText(givenExamples, property);
    if (requiresExamples && example.trim() === '')
      throw new DriveError('invalid_input', { text: 'invalid_input_no_example', params: { property } });
    Object.assign(config, { [property]: property, [`${property}Type`]: 'msg' });
    (msg as unknown as Record<string, unknown>)[property] = example;
    fromExamples.push(property);
  }
  // Literals and message properties are read without a node.
  const node = { credentials } as Node;
  return {
    config,
    inputs: new Inputs({ RED, node, config, msg, client, call, examples: fromExamples }),
    msg,
  };
}

const isPlain = isAnyOf(isText(MAX_LENGTH), isAnyOf(isNumber, isBoolean));

/** Converts the strings of the editor's fields to the types of the node's properties. */
function toConfig<Config extends object>(settings: JsonObject, defaults: Config): Config {
  const values = Object.entries(defaults).map(([name, defaultValue]: [string, unknown]) => {
    const value = settings[name] === undefined ? defaultValue : settings[name];
    REQUEST.member({ [name]: value }, name, isPlain);
    return [name, typeof defaultValue === 'boolean' ? value === true : String(value)];
  });
  return Object.fromEntries(values) as Config;
}
