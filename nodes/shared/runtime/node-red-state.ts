/** The state file of this Node-RED. */
import type { NodeAPI } from 'node-red';
import type { ErrorParams } from '../../../src/index';
import { logWarning } from './error-message';
import { StateFile, type StateFileOptions } from './state-file';

interface Settings {
  userDir?: string;
  credentialSecret?: string | false;
  /** Node-RED's name for the secret it has made itself. @throws before the settings are loaded */
  get(name: '_credentialSecret'): unknown;
}

/** By what is one for all node sets of a Node-RED: what has been said there. */
const said = new WeakMap<object, Set<string>>();

/** Says once what is so for each of the files: whoever reads it has one cause to look for. */
function warnOnce(RED: NodeAPI, text: string, params: ErrorParams): void {
  const before = said.get(RED.events) ?? new Set();
  said.set(RED.events, before);
  if (before.has(text)) return;
  before.add(text);
  logWarning(RED, text, params);
}

/** @param other than the file of the accounts */
export function stateFile(
  RED: NodeAPI,
  other: Pick<StateFileOptions, 'name' | 'unreadableText'> = {},
): StateFile {
  const settings = RED.settings as unknown as Settings;
  return new StateFile({
    ...other,
    userDir: settings.userDir,
    secret: () => secretOf(settings),
    warn: (text, params) => warnOnce(RED, text, params),
  });
}

/** What Node-RED encrypts its credentials with; undefined where it doesn't. */
function secretOf(settings: Settings): string | undefined {
  const { credentialSecret } = settings;
  if (credentialSecret === false) return undefined;
  if (typeof credentialSecret === 'string' && credentialSecret !== '') return credentialSecret;
  try {
    const own = settings.get('_credentialSecret');
    return typeof own === 'string' && own !== '' ? own : undefined;
  } catch {
    return undefined;
  }
}
