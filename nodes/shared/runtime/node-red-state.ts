/** State files of this Node-RED: its user directory, its credential secret and its log. */
import path from 'node:path';
import type { NodeAPI } from 'node-red';
import { isObject } from '../contract/values';
import { logWarning } from './catalogue';
import { StateFile, type StateFileOptions } from './state-file';

interface Settings {
  userDir?: string;
  editorTheme?: { projects?: { enabled?: boolean } };
  flowFile?: string;
  credentialSecret?: string | false;
  /** The secret that Node-RED generated itself. @throws before the settings are loaded */
  get(name: '_credentialSecret' | 'instanceId' | 'projects'): unknown;
}

/** @returns undefined for a Node-RED without a user directory, as in tests */
export function userFolder(RED: NodeAPI): string | undefined {
  return (RED.settings as unknown as Settings).userDir;
}

/**
 * Names the flows, without spaces. Another Node-RED with the same user directory, or another project, may have nodes with
 * the same IDs, so this is part of the key of what is stored for a node.
 */
function flowsName(RED: NodeAPI): string {
  const settings = RED.settings as unknown as Settings;
  const { userDir = '', flowFile = 'flows.json' } = settings;
  const project = activeProject(settings);
  const name = project === undefined ? flowFile : path.join('projects', project);
  return encodeURIComponent(path.relative(userDir, path.resolve(userDir, name)));
}

/** Of a container in Docker, the start of its ID; of one in Kubernetes, with two generated parts. */
const GENERATED_NAME = /^[\da-f]{12}$|-[b-df-hj-np-tv-xz2456789]{8,10}-[b-df-hj-np-tv-xz2456789]{5}$/;

/**
 * @param host name of this machine
 * @returns a name that stays: a container gets another one each time it is created, as for an update, and only the user
 *   directory stays
 */
export function machineName(RED: NodeAPI, host: string): string {
  const id = GENERATED_NAME.test(host) ? storedSetting(RED.settings, 'instanceId') : undefined;
  return id === undefined ? host : `Node-RED ${id}`;
}

/** @returns the key of what is stored for a node */
export function stateKey(RED: NodeAPI, id: string): string {
  return `${id} ${flowsName(RED)}`;
}

/** What an entry of a former key becomes, and whether it belongs to no other node. */
export interface Adopted {
  value: unknown;
  isMoved: boolean;
}

/**
 * Takes over what is stored for a node under a former key: older versions used the ID alone, and the name of the flow
 * file or the project may have changed.
 * @param key of the node, or of an instance of a subflow: with another name after a space
 * @param take decides whether an entry is this node's, in the order in which they were stored
 * @param ownerOf returns the key in front of an entry's name, if the entry has one
 */
export function adoptState(
  state: StateFile,
  [section, key]: readonly [section: string, key: string],
  take: (value: unknown, isOlderVersion: boolean) => Adopted | undefined,
  ownerOf: (entry: string, value: unknown) => string = (entry) => entry,
): void {
  const [id, , instance] = key.split(' ');
  for (const [entry, value] of state.entries(section)) {
    const owner = ownerOf(entry, value);
    const [otherId, flows, otherInstance] = owner.split(' ');
    const isOlder = flows === undefined;
    if (owner === key || otherId !== id || !(isOlder || otherInstance === instance)) continue;
    const adopted = take(value, isOlder);
    if (!adopted) continue;
    void state.set(section, key + entry.slice(owner.length), adopted.value);
    if (adopted.isMoved) void state.set(section, entry, undefined);
  }
}

/** https://nodered.org/docs/user-guide/projects/ */
function activeProject(settings: Settings): string | undefined {
  if (settings.editorTheme?.projects?.enabled !== true) return undefined;
  const projects = settings.get('projects');
  const active = isObject(projects) && 'activeProject' in projects ? projects.activeProject : undefined;
  return typeof active === 'string' && active !== '' ? active : undefined;
}

/** Warnings already logged, by the event emitter that all node sets of a Node-RED share. */
const warningsByEmitter = new WeakMap<object, Set<string>>();

/**
 * @param options name the file, and its secret if it isn't the credential secret; the default is the file of the
 *   accounts
 */
export function stateFile(
  RED: NodeAPI,
  options: Partial<Pick<StateFileOptions, 'name' | 'unreadableText' | 'notWritableText' | 'secret'>> = {},
): StateFile {
  const settings = RED.settings as unknown as Settings;
  const warned = warningsByEmitter.get(RED.events) ?? new Set<string>();
  warningsByEmitter.set(RED.events, warned);
  // Several files usually share one cause, which is logged once.
  const warnOnce: StateFileOptions['warn'] = (text, params) => {
    if (!warned.has(text)) logWarning(RED, text, params);
    warned.add(text);
  };
  return new StateFile({
    secret: () => credentialSecret(settings),
    ...(options.secret ? {} : { formerSecret: () => formerSecret(settings) }),
    ...options,
    userDir: settings.userDir,
    flowFile: settings.flowFile,
    warn: warnOnce,
    resolved: (text) => warned.delete(text),
  });
}

/** @returns undefined if Node-RED doesn't encrypt its credentials */
function credentialSecret(settings: Settings): string | undefined {
  const { credentialSecret: configured } = settings;
  if (configured === false) return undefined;
  return isSecret(configured) ? configured : storedSetting(settings, '_credentialSecret');
}

/** @returns the generated secret if another one is configured, or none. Node-RED deletes it with the next deploy. */
function formerSecret(settings: Settings): string | undefined {
  const { credentialSecret: configured } = settings;
  const isReplaced = configured === false || isSecret(configured);
  return isReplaced ? storedSetting(settings, '_credentialSecret') : undefined;
}

/** What Node-RED generated itself, and keeps in the user directory. */
function storedSetting(settings: Settings, name: '_credentialSecret' | 'instanceId'): string | undefined {
  try {
    const generated = settings.get(name);
    return isSecret(generated) ? generated : undefined;
  } catch {
    return undefined;
  }
}

function isSecret(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
