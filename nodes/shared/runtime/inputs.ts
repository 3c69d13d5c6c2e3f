/**
 * A node's properties for one message: evaluated as in Node-RED's core nodes, then validated. An invalid value is
 * `invalid_input` with the property, a summary of the value and what to do, before anything is requested.
 */
import path from 'node:path';
import { types } from 'node:util';
import type { Node, NodeAPI, NodeMessageInFlow } from 'node-red';
import {
  type CallOptions,
  type DriveClient,
  DriveError,
  type FolderPathRequest,
  type ParamsArgument,
  type TextKey,
  abortable,
  checkLevels,
  isDriveError,
  splitPath,
  uncheckedError,
} from '../../../src/index';
import { FILE_FIELDS } from '../contract/defaults';
import { hasBalancedParentheses, referencedVariable } from '../contract/values';
import { absolutePath } from './environment';
import { type FileOrFolder, ReceivedIds, isPath, parseIdOrPath } from './id-or-path';
import { EXAMPLE, propertyName, sourceOf } from './error-message';
import {
  isPromise,
  kindOf,
  lostInJson,
  summarizePublicValue,
  summarizeText,
  summarizeValue,
} from './value-summary';

export interface InputsOptions {
  RED: NodeAPI;
  node: Node;
  config: object;
  msg: NodeMessageInFlow;
  /** Resolves paths. */
  client: DriveClient;
  call: CallOptions;
  /** From `client.paths.cacheEpoch()`: paths are resolved without folders that were cached before it. */
  cacheEpoch?: number;
  /** Properties whose values are examples that were entered in the dialog. */
  examples?: readonly string[];
}

/** Settings that are sent as they were entered, by the name of their parameter. */
const SENT_SETTINGS = ['fields', 'orderBy'] as const;
/** Characters of a setting in an error. */
const MAX_SETTING = 200;

export class Inputs {
  private readonly received = new ReceivedIds();

  constructor(private readonly options: InputsOptions) {}

  /** @returns the id of a file */
  async file(property: string): Promise<string> {
    return this.id(property, 'file', await this.value(property));
  }

  /** @returns the id of a folder, `''` for an empty string */
  async folder(property: string): Promise<string> {
    return this.id(property, 'folder', await this.value(property));
  }

  /** @param value an already evaluated one. @param source where it comes from, if not from where the property says */
  async id(property: string, kind: FileOrFolder, value: unknown, source?: string): Promise<string> {
    return this.resolveId(this.idOrPath(property, kind, value, source), kind);
  }

  /** Validates without sending requests. */
  idOrPath(property: string, kind: FileOrFolder, value: unknown, source = this.source(property)): string {
    const { service } = this.options.client;
    const idOrPath = parseIdOrPath({ property, kind, value, can: service.can, source });
    this.received.add(property, source, idOrPath);
    if (isPath(idOrPath)) {
      const names = splitPath(idOrPath).length;
      checkLevels(kind === 'folder' ? names : names - 1, { property, source });
    }
    return idOrPath;
  }

  /** A path below `/drive/v3/`, which may contain ids. */
  async apiPath(property: string): Promise<string> {
    const apiPath = await this.value(property);
    if (typeof apiPath !== 'string') throw this.invalid('invalid_input_api_path_type', property, apiPath);
    this.received.add(property, this.source(property), apiPath);
    return apiPath;
  }

  /**
   * Adds to an error about a file that wasn't found the ids and paths that were read, and to one about a request the
   * setting that the service rejects.
   * @returns the error, to be thrown
   */
  explain(error: unknown): unknown {
    const explained = this.refusedSetting(error) ?? error;
    return this.received.addTo(explained, (property, source) => this.name(property, source));
  }

  private refusedSetting(error: unknown): DriveError | undefined {
    if (!isDriveError(error, 'bad_response')) return undefined;
    const { status, reason, service, serviceMessage } = error;
    const property = SENT_SETTINGS.find((name) => name === error.parameter);
    const value = property && this.saved(property);
    if (property === undefined || typeof value !== 'string' || value.trim() === '') return undefined;
    const params = { property, reason: reason ?? '-', came: summarizeText(value, MAX_SETTING) };
    const text = 'bad_response_setting';
    const explained = new DriveError('bad_response', { text, params, status, reason, serviceMessage });
    explained.service = service;
    return explained;
  }

  /** @param createMissing creates the missing folders of a path; undefined for a node that has no such setting */
  async resolveId(idOrPath: string, kind: FileOrFolder, createMissing?: boolean): Promise<string> {
    if (!isPath(idOrPath)) return idOrPath;
    const { client, call, cacheEpoch } = this.options;
    if (kind === 'folder') return client.paths.resolveFolder(this.folderPath(idOrPath, createMissing), call);
    return (await client.paths.resolveFile(idOrPath, call, { cacheEpoch })).id;
  }

  /** @param createMissing as in {@link resolveId} */
  folderPath(path: string, createMissing?: boolean): FolderPathRequest {
    const { cacheEpoch } = this.options;
    const isTarget = createMissing !== undefined;
    const request = { path, createMissing: createMissing ?? false, cacheEpoch };
    return { ...request, refusesFiles: true, mayAllowCreation: isTarget };
  }

  /** A string, or a number as a string. */
  async text(property: string): Promise<string> {
    return this.asText(property, await this.value(property));
  }

  asText(property: string, value: unknown): string {
    if (isText(value)) return String(value);
    const isTypedInput = typeof this.setting(`${property}Type`) === 'string';
    throw this.invalid(isTypedInput ? 'invalid_input_text' : 'invalid_input_setting_text', property, value);
  }

  /** A text of the dialog, without spaces around it. A flow made elsewhere may contain anything. */
  settingText(property: string): string {
    return this.asText(property, this.setting(property)).trim();
  }

  /** The `fields` of files, by default those of a list. */
  fields(): string {
    const fields = this.settingText('fields') || FILE_FIELDS;
    // An extra closing parenthesis would end the `files(…)` around a list.
    if (hasBalancedParentheses(fields)) return fields;
    throw this.invalid('invalid_input_fields', 'fields', fields, { came: summarizeText(fields) });
  }

  /** An object that can be sent as JSON, or its JSON. @returns undefined for an empty string */
  async object(property: string): Promise<Record<string, unknown> | undefined> {
    const value = await this.value(property);
    if (value === '') return undefined;
    const object = parseObject(value);
    if (object === undefined || Array.isArray(object))
      throw this.invalid('invalid_input_metadata', property, value, { came: summarizeText(value) });
    if (this.toJson(property, object) === undefined)
      throw this.invalid('invalid_input_object_not_json', property, value);
    return object as Record<string, unknown>;
  }

  /** An object or array, or its JSON. @returns undefined for an empty string */
  async objectOrArray(property: string): Promise<object | undefined> {
    const value = await this.value(property);
    const object = value === '' ? undefined : parseObject(value);
    if (value === '') return undefined;
    if (object === undefined)
      throw this.invalid('invalid_input_object_or_array', property, value, { came: summarizeText(value) });
    this.toJson(property, object);
    return object;
  }

  /**
   * @returns undefined for an object with a circular reference or a BigInt.
   * @throws `invalid_input` for a promise in it, and for a Map or another object that would become `{}`
   */
  toJson(property: string, object: object): string | undefined {
    let json: string | undefined;
    try {
      json = JSON.stringify(object);
    } catch {
      return undefined;
    }
    const lost = lostInJson(object);
    if (lost !== undefined) throw this.invalid('invalid_input_lost_in_json', property, lost);
    return json;
  }

  /** A local path, made absolute as in the core file nodes. A trailing separator is preserved. */
  localPath(property: string, value: unknown): string {
    if (typeof value !== 'string' || value.trim() === '') {
      const came = summarizePublicValue(value);
      throw this.invalid('invalid_input_filename', property, value, { came });
    }
    const position = value.indexOf('\0') + 1;
    if (position > 0)
      throw this.invalid('invalid_input_filename_nul', property, value, { position: String(position) });
    const absolute = absolutePath(this.options.RED, value);
    return /[\\/]$/.test(value) && !absolute.endsWith(path.sep) ? absolute + path.sep : absolute;
  }

  /** Evaluates a typed input. @returns undefined if its source has no value */
  async value(property: string): Promise<unknown> {
    const value = await this.content(property);
    const mayBeReference = ['env', 'str'].includes(String(this.setting(`${property}Type`)));
    return mayBeReference && typeof value === 'string' ? withoutLineBreak(value) : value;
  }

  /** Like {@link value}, but keeps a line break at the end: it may be part of a file's content. */
  async content(property: string): Promise<unknown> {
    const type = this.setting(`${property}Type`);
    if (type === 'drive') return this.setting(property);
    const value = String(type === 'str' ? this.setting(property) : this.saved(property));
    if (type === 'env') this.checkVariables(property, value);
    try {
      const source = this.promiseIn(value, type);
      if (source !== undefined) throw this.invalid('invalid_input_promise', property, undefined, { source });
      const { result } = await this.evaluate(value, String(type));
      if (isPromise(result)) throw this.invalid('invalid_input_promise', property, undefined);
      return result;
    } catch (error) {
      if (error instanceof DriveError) throw error;
      if (type === 'jsonata') {
        const reason = types.isNativeError(error)
          ? error.message
          : String((error as { message?: unknown }).message);
        throw this.invalid('invalid_input_expression', property, undefined, { reason });
      }
      // For `msg`, Node-RED throws if a part of the path is missing.
      return undefined;
    }
  }

  /** Node-RED evaluates an unset environment variable as an empty string, which could mean the whole drive. */
  private checkVariables(property: string, value: string): void {
    const references = [...value.matchAll(/\$\{([^}]+)\}/g)].flatMap(([, name]) => name ?? []);
    const names = references.length > 0 ? references : [value];
    const { RED, node } = this.options;
    const name = names.find((each) => RED.util.getSetting(node, each) === undefined);
    if (name !== undefined)
      throw new DriveError('invalid_input', { text: 'invalid_input_env', params: { property, name } });
  }

  /** @returns what the property reads of the message if it is a promise: `msg.payload`. JSONata would wait for it */
  private promiseIn(value: string, type: unknown): string | undefined {
    const path = type === 'msg' ? value.replace(/^msg\./, '').split(/[.[]/, 1) : [];
    const names = type === 'jsonata' ? (value.match(/\w+/g) ?? []) : path;
    const msg = this.options.msg as unknown as Readonly<Record<string, unknown>>;
    const found = names.find((name) => Object.hasOwn(msg, name) && isPromise(msg[name]));
    return found === undefined ? undefined : `msg.${found}`;
  }

  /** @returns the result in an object, because a promise would be awaited. @throws `cancelled` */
  private evaluate(value: string, type: string): Promise<{ result: unknown }> {
    const { RED, node, msg, call } = this.options;
    const evaluated = new Promise<{ result: unknown }>((resolve, reject) => {
      RED.util.evaluateNodeProperty(value, type, node, msg, (error: Error | null, result: unknown) => {
        if (error) reject(error);
        else resolve({ result });
      });
    });
    return abortable(evaluated, call.signal);
  }

  /** Whether the property reads that path of the message. */
  readsMessagePath(property: string, messagePath: string): boolean {
    return this.isFromMessage(property) && this.saved(property) === messagePath;
  }

  isFromMessage(property: string): boolean {
    return this.setting(`${property}Type`) === 'msg';
  }

  /** Whether the property is a string typed into the dialog. */
  isString(property: string): boolean {
    return this.setting(`${property}Type`) === 'str';
  }

  oneOf<T extends string>(property: string, values: readonly T[]): T {
    const value = this.setting(property);
    const found = values.find((each) => each === value);
    if (found !== undefined) return found;
    const choices = values.map((each) => each || "''").join(', ');
    const came = summarizePublicValue(value);
    throw this.invalid('invalid_input_choice', property, value, { values: choices, came });
  }

  /** Also `true` and `false` as text, which is what Node-RED substitutes for `${NAME}` in a flow made elsewhere. */
  flag(property: string): boolean {
    const value = this.setting(property);
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    const came = summarizePublicValue(value);
    throw this.invalid('invalid_input_setting_flag', property, value, { came });
  }

  /** Any value but false is a dry run, so that a flow with a broken setting changes nothing. */
  isDryRun(): boolean {
    return this.setting('dryRun') !== false;
  }

  isEmpty(property: string): boolean {
    return String(this.setting(property)).trim() === '';
  }

  /** A number of at least 0. An empty field is 0. */
  nonNegative(property: string): number {
    const number = this.number(property);
    if (Number.isFinite(number) && number >= 0) return number;
    throw this.invalidNumber('invalid_input_setting_count', property);
  }

  /** A whole number of at least 0. An empty field is 0. */
  wholeNumber(property: string): number {
    const number = this.number(property);
    if (Number.isInteger(number) && number >= 0) return number;
    throw this.invalidNumber('invalid_input_setting_whole', property);
  }

  /** A number from `least` to `most`. An empty field is the default. */
  inRange(property: string, [least, most]: readonly [number, number], byDefault: number): number {
    if (this.isEmpty(property)) return byDefault;
    const number = this.number(property);
    if (number >= least && number <= most) return number;
    const value = this.setting(property);
    const params = { least, most, came: summarizePublicValue(value) };
    throw this.invalid('invalid_input_setting_range', property, value, params);
  }

  /** @returns NaN for anything but a number and its text */
  private number(property: string): number {
    const value = this.setting(property);
    return typeof value === 'string' || typeof value === 'number' ? Number(value) : NaN;
  }

  private invalidNumber(
    text: 'invalid_input_setting_count' | 'invalid_input_setting_whole',
    property: string,
  ): DriveError {
    const value = this.setting(property);
    return this.invalid(text, property, value, { came: summarizePublicValue(value) });
  }

  /** A property with one value per line. Spaces around values, and empty lines, are ignored. */
  lines(property: string): string[] {
    const value = this.setting(property);
    if (!isText(value)) throw this.invalid('invalid_input_setting_lines', property, value);
    const lines = String(value).split('\n');
    return lines.map((line) => line.trim()).filter((line) => line !== '');
  }

  /**
   * A credential, for which Node-RED has substituted an environment variable.
   * @returns undefined if it is empty
   * @throws `not_configured` naming a variable that isn't set
   */
  secret(property: string): string | undefined {
    const credentials = this.options.node.credentials as Readonly<Record<string, unknown>> | undefined;
    const value = resolved(property, credentials?.[property]);
    return isText(value) && String(value).trim() !== '' ? withoutLineBreak(String(value)) : undefined;
  }

  /** A {@link secret} of one line. @throws `invalid_input` for one that can't be typed */
  passphrase(property: string): string | undefined {
    const passphrase = this.secret(property);
    const position = (passphrase ?? '').search(/\p{Cc}/u) + 1;
    if (position === 0) return passphrase;
    throw this.invalid('invalid_input_secret_control', property, '', { position: String(position) });
  }

  invalid<Text extends TextKey>(
    text: Text,
    property: string,
    value: unknown,
    ...[params]: ParamsArgument<Text, 'property' | 'source' | 'came'>
  ): DriveError {
    const known = { property, source: this.source(property), came: summarizeValue(value) };
    return uncheckedError('invalid_input', isPromise(value) ? 'invalid_input_promise' : text, {
      ...known,
      ...params,
    });
  }

  private source(property: string): string {
    const { config, examples = [] } = this.options;
    return examples.includes(property) ? EXAMPLE : sourceOf(config, property);
  }

  /** The name of a property for users. */
  private name(property: string, source: string): string {
    const { RED, node, config } = this.options;
    return propertyName(RED, { type: node.type, config }, property, source) ?? `${property} (${source})`;
  }

  /** A value of the dialog. @throws `not_configured` naming an environment variable that isn't set */
  setting(name: string): unknown {
    return resolved(name, this.saved(name));
  }

  private saved(name: string): unknown {
    return (this.options.config as Record<string, unknown>)[name];
  }
}

/** Node-RED has substituted environment variables: a remaining reference names a variable that isn't set. */
function resolved(property: string, value: unknown): unknown {
  const name = referencedVariable(value);
  if (name === undefined) return value;
  throw new DriveError('not_configured', { text: 'not_configured_node_env', params: { property, name } });
}

/** A variable ends in a line break if it was set from the output of a command such as `echo`. */
function withoutLineBreak(value: string): string {
  return value.replace(/\r?\n$/, '');
}

function isText(value: unknown): value is string | number {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}

/** @returns undefined if the value is neither a plain object or array nor its JSON */
function parseObject(value: unknown): object | undefined {
  const parsed: unknown = typeof value === 'string' ? tryParse(value) : value;
  const kind = kindOf(parsed);
  return kind === 'Object' || kind === 'Array' ? (parsed as object) : undefined;
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
