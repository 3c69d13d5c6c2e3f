/**
 * A node's properties for one message: evaluated as in Node-RED's core nodes, then validated. An invalid value is
 * `invalid_input` with the property, a summary of the value and what to do, before anything is requested.
 */
import path from 'node:path';
import type { Node, NodeAPI, NodeMessageInFlow } from 'node-red';
import { type CallOptions, type DriveClient, DriveError, type FolderPathRequest } from '../../../src/index';
import { isReference } from '../contract/literal-value';
import { absolutePath } from './local-path';
import { type ItemKind, isPath, parseIdOrPath } from './id-or-path';
import { ReceivedIds } from './received-ids';
import { summarizePublicValue, summarizeValue } from './value-summary';

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
}

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

  /** @param value an already evaluated one */
  async id(property: string, kind: ItemKind, value: unknown): Promise<string> {
    return this.resolveId(this.idOrPath(property, kind, value), kind);
  }

  /** Validates without sending requests. */
  idOrPath(property: string, kind: ItemKind, value: unknown): string {
    const { service } = this.options.client;
    const source = this.source(property);
    const idOrPath = parseIdOrPath({ property, kind, value, service: service.kind, source });
    this.received.add(property, source, idOrPath);
    return idOrPath;
  }

  /** A path below `/drive/v3/`, which may contain ids. */
  async apiPath(property: string): Promise<string> {
    const apiPath = await this.text(property);
    this.received.add(property, this.source(property), apiPath);
    return apiPath;
  }

  /** Adds the ids and paths that were read to an error about a file that wasn't found. @returns the error, to be thrown */
  withReceivedIds(error: unknown): unknown {
    return this.received.addTo(error);
  }

  /** @param createMissing creates the missing folders of a path */
  async resolveId(idOrPath: string, kind: ItemKind, createMissing = false): Promise<string> {
    if (!isPath(idOrPath)) return idOrPath;
    const { client, call, cacheEpoch } = this.options;
    if (kind === 'folder') return client.paths.resolveFolder(this.folderPath(idOrPath, createMissing), call);
    return (await client.paths.resolveFile(idOrPath, call, { cacheEpoch })).id;
  }

  folderPath(path: string, createMissing: boolean): FolderPathRequest {
    return { path, createMissing, cacheEpoch: this.options.cacheEpoch };
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

  /** An object that can be sent as JSON, or its JSON. @returns undefined for an empty string */
  async object(property: string): Promise<Record<string, unknown> | undefined> {
    const value = await this.value(property);
    if (value === '') return undefined;
    const object = parseObject(value);
    if (object === undefined || Array.isArray(object))
      throw this.invalid('invalid_input_metadata', property, value);
    if (!isSerializable(object)) throw this.invalid('invalid_input_object_not_json', property, value);
    return object as Record<string, unknown>;
  }

  /** An object or array, or its JSON. @returns undefined for an empty string */
  async objectOrArray(property: string): Promise<object | undefined> {
    const value = await this.value(property);
    const object = value === '' ? undefined : parseObject(value);
    if (value === '' || object !== undefined) return object;
    throw this.invalid('invalid_input_object_or_array', property, value);
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
    const value = this.setting(property);
    const type = this.setting(`${property}Type`);
    if (type === 'drive') return value;
    this.checkReferences(property, String(value), type);
    try {
      return await this.evaluate(String(value), String(type));
    } catch (error) {
      if (type === 'jsonata') {
        const reason =
          error instanceof Error ? error.message : String((error as { message?: unknown }).message);
        throw this.invalid('invalid_input_expression', property, undefined, { reason });
      }
      // For `msg`, Node-RED throws if a part of the path is missing.
      return undefined;
    }
  }

  /**
   * Node-RED evaluates an unset environment variable as an empty string, which could mean the whole drive, and doesn't
   * substitute `${NAME}` in a string.
   */
  private checkReferences(property: string, value: string, type: unknown): void {
    if (type !== 'env' && !(type === 'str' && isReference(value))) return;
    const references = [...value.matchAll(/\$\{([^}]+)\}/g)].flatMap(([, name]) => name ?? []);
    const names = references.length > 0 ? references : [value];
    const { RED, node } = this.options;
    const name = names.find((each) => RED.util.getSetting(node, each) === undefined);
    if (name !== undefined)
      throw new DriveError('invalid_input', { text: 'invalid_input_env', params: { property, name } });
  }

  private evaluate(value: string, type: string): Promise<unknown> {
    const { RED, node, msg } = this.options;
    return new Promise((resolve, reject) => {
      RED.util.evaluateNodeProperty(value, type, node, msg, (error: Error | null, result: unknown) => {
        if (error) reject(error);
        else resolve(result);
      });
    });
  }

  /** Whether the property reads that path of the message. */
  readsMessagePath(property: string, messagePath: string): boolean {
    return this.isFromMessage(property) && this.setting(property) === messagePath;
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

  /** @returns NaN for anything but a number and its text */
  private number(property: string): number {
    const value = this.setting(property);
    return typeof value === 'string' || typeof value === 'number' ? Number(value) : NaN;
  }

  private invalidNumber(text: string, property: string): DriveError {
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
    const value = credentials?.[property];
    if (typeof value !== 'string' || value.trim() === '') return undefined;
    if (!isReference(value)) return value;
    const params = { property, name: value.slice(2, -1) };
    throw new DriveError('not_configured', { text: 'not_configured_node_env', params });
  }

  invalid(text: string, property: string, value: unknown, params: Record<string, string> = {}): DriveError {
    return new DriveError('invalid_input', {
      text,
      params: { property, source: this.source(property), came: summarizeValue(value), ...params },
    });
  }

  /** Where a property's value comes from, as the dialog shows it: `msg.payload`. */
  private source(property: string): string {
    const type = this.setting(`${property}Type`);
    if (typeof type !== 'string') return property;
    return ['msg', 'flow', 'global'].includes(type) ? `${type}.${String(this.setting(property))}` : type;
  }

  private setting(name: string): unknown {
    return (this.options.config as Record<string, unknown>)[name];
  }
}

function isText(value: unknown): value is string | number {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}

/** @returns undefined if the value is neither a plain object or array nor its JSON */
function parseObject(value: unknown): object | undefined {
  const parsed: unknown = typeof value === 'string' ? tryParse(value) : value;
  // Objects of a function node have another prototype.
  const kind = Object.prototype.toString.call(parsed).slice('[object '.length, -1);
  return kind === 'Object' || kind === 'Array' ? (parsed as object) : undefined;
}

/** False for an object with a circular reference or a BigInt. */
function isSerializable(object: object): boolean {
  try {
    JSON.stringify(object);
    return true;
  } catch {
    return false;
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
