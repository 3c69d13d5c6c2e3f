/**
 * A node's properties for one message: evaluated as Node-RED does, then checked. What doesn't fit is `invalid_input`
 * naming the property, what came and what to do; nothing has been sent then.
 */
import path from 'node:path';
import type { Node, NodeAPI, NodeMessageInFlow } from 'node-red';
import { type CallOptions, type DriveClient, DriveError } from '../../../src/index';
import { type ItemKind, parseIdOrPath, isPath } from './id-or-path';
import { isReference } from '../contract/literal-value';
import { summarizeValue } from './value-summary';

export interface InputsOptions {
  RED: NodeAPI;
  node: Node;
  config: object;
  msg: NodeMessageInFlow;
  /** Finds what is at a path. */
  client: DriveClient;
  call: CallOptions;
  /** Of `client.paths.cacheEpoch()`: ignores cached folders that were found up to then. */
  cacheEpoch?: number;
}

export class Inputs {
  constructor(private readonly options: InputsOptions) {}

  /** The id of a file. */
  async file(property: string): Promise<string> {
    return this.id(property, 'file', await this.value(property));
  }

  /** The id of a folder; `''` where an empty text was given. */
  async folder(property: string): Promise<string> {
    return this.id(property, 'folder', await this.value(property));
  }

  /** The id in a value that has been evaluated already, or of what is at its path. */
  async id(property: string, kind: ItemKind, value: unknown): Promise<string> {
    return this.resolveId(this.idOrPath(property, kind, value), kind);
  }

  /** Checked only: nothing is asked for. */
  idOrPath(property: string, kind: ItemKind, value: unknown): string {
    const { service } = this.options.client;
    return parseIdOrPath({ property, kind, value, service: service.kind, source: this.source(property) });
  }

  /** @param createMissing creates the missing folders of a path */
  async resolveId(idOrPath: string, kind: ItemKind, createMissing = false): Promise<string> {
    if (!isPath(idOrPath)) return idOrPath;
    const { client, call, cacheEpoch } = this.options;
    if (kind === 'folder')
      return client.paths.resolveFolder({ path: idOrPath, createMissing, cacheEpoch }, call);
    return (await client.paths.resolveFile(idOrPath, call, { cacheEpoch })).id;
  }

  /** A text, or a number as text. */
  async text(property: string): Promise<string> {
    return this.asText(property, await this.value(property));
  }

  asText(property: string, value: unknown): string {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return String(value);
    throw this.invalid('invalid_input_text', property, value);
  }

  /** A path on this machine, made absolute as the core file nodes do; a trailing separator stays. */
  localPath(property: string, value: unknown): string {
    if (typeof value !== 'string' || value.trim() === '' || value.includes('\0')) {
      throw this.invalid('invalid_input_filename', property, value);
    }
    const { fileWorkingDirectory: base } = this.options.RED.settings as { fileWorkingDirectory?: string };
    const absolute = path.resolve(base ?? '', value);
    return /[\\/]$/.test(value) && !absolute.endsWith(path.sep) ? absolute + path.sep : absolute;
  }

  /** What the property comes to for this message; undefined where the source has nothing. */
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
      // Node-RED's evaluation throws where a part of the path is missing: the same as nothing there.
      return undefined;
    }
  }

  /**
   * Node-RED takes an environment variable that isn't set for an empty text, which could mean a whole drive, and
   * leaves a `${NAME}` typed as a string as it is.
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

  /** Whether the property still reads what its default names. */
  readsMessagePath(property: string, path: string): boolean {
    return this.setting(property) === path && this.setting(`${property}Type`) === 'msg';
  }

  /** Whether the property is read from the message. */
  isFromMessage(property: string): boolean {
    return this.setting(`${property}Type`) === 'msg';
  }

  isString(property: string): boolean {
    return this.setting(`${property}Type`) === 'str';
  }

  /** A setting that is one of a few words. */
  oneOf<T extends string>(property: string, values: readonly T[]): T {
    const value = this.setting(property);
    const found = values.find((each) => each === value);
    if (found !== undefined) return found;
    throw this.invalid('invalid_input_choice', property, value, { values: values.join(', ') });
  }

  /** A setting that is a number of 0 or more; an empty field is 0. */
  count(property: string): number {
    const value = this.setting(property);
    const number = value === '' ? 0 : Number(value);
    if (typeof value !== 'boolean' && value !== null && Number.isFinite(number) && number >= 0) return number;
    throw this.invalid('invalid_input_count', property, value);
  }

  invalid(text: string, property: string, value: unknown, params: Record<string, string> = {}): DriveError {
    const came = summarizeValue(value);
    return new DriveError('invalid_input', {
      text,
      params: { property, source: this.source(property), came, ...params },
    });
  }

  /** Where a property comes from, as the dialog shows it: `msg.payload`. */
  private source(property: string): string {
    const type = this.setting(`${property}Type`);
    if (typeof type !== 'string') return property;
    return ['msg', 'flow', 'global'].includes(type) ? `${type}.${String(this.setting(property))}` : type;
  }

  private setting(name: string): unknown {
    return (this.options.config as Record<string, unknown>)[name];
  }
}
