/** Requests of the restore node's dialog: its settings, deployed or not, and the secrets for encrypted backups. */
import type { Node, NodeAPI } from 'node-red';
import {
  type CallOptions,
  type DriveClient,
  DriveError,
  type JsonObject,
  isNonEmptyString,
} from '../../src/index';
import { REQUEST, requestText } from '../shared/admin/admin-guard';
import { dialogInputs } from '../shared/admin/dialog-inputs';
import { isLiteral } from '../shared/contract/values';
import { withEnvironment } from '../shared/runtime/environment';
import type { Inputs } from '../shared/runtime/inputs';
import { DEFAULTS, type RestoreConfig } from './restore.defaults';

export interface DialogContext {
  RED: NodeAPI;
  client: DriveClient;
  inputs: Inputs;
  config: RestoreConfig;
  call: CallOptions;
}

interface DialogRequest {
  client: DriveClient;
  call: CallOptions;
  /** Those that are read. */
  typedInputs: readonly ('folder' | 'select')[];
  /** Replace those of the dialog. */
  settings?: Partial<RestoreConfig>;
}

/** The editor sends this for a password that the user hasn't changed. */
const STORED_PASSWORD = '__PWRD__';
const MAX_SECRET_LENGTH = 65_536;

/** @throws `invalid_input` for a malformed request, or for a value that neither the dialog nor an example contains */
export function dialogContext(
  RED: NodeAPI,
  body: unknown,
  { client, call, typedInputs, settings }: DialogRequest,
): DialogContext {
  const request = REQUEST.object(body);
  const credentials = dialogSecrets(RED, request);
  const given = { ...request, settings: { ...REQUEST.object(request['settings'], 'settings'), ...settings } };
  const options = { RED, client, call, defaults: DEFAULTS, credentials, typedInputs, requiresExamples: true };
  const { inputs, config } = dialogInputs(given, options);
  return { RED, client, inputs, config, call };
}

/** @returns whether the value is in the dialog, not in a message or the environment */
export function isTyped(config: RestoreConfig, property: 'folder' | 'select'): boolean {
  return isLiteral(config[`${property}Type`], config[property]);
}

/**
 * The stored secrets are those of the node that is edited. They are used only on this machine, never sent to a service.
 * @throws `not_configured` if no secret is stored
 */
function dialogSecrets(RED: NodeAPI, request: JsonObject): Record<string, string> {
  const given = REQUEST.object(request['secrets'] ?? {}, 'secrets');
  const node = deployedNode(RED, requestText(request, 'node'));
  const secrets: Record<string, string> = {};
  for (const name of ['passphrase', 'identity'] as const) {
    const value = requestText(given, name, MAX_SECRET_LENGTH);
    secrets[name] = value === STORED_PASSWORD ? storedSecret(node, name) : value;
  }
  return withEnvironment(RED, secrets, node) as Record<string, string>;
}

function deployedNode(RED: NodeAPI, id: string): Node | undefined {
  const node = id === '' ? undefined : (RED.nodes.getNode(id) as Node | null | undefined);
  return node?.type === 'cloud-drive-restore' ? node : undefined;
}

function storedSecret(node: Node | undefined, name: string): string {
  const { [name]: value } = { ...(node?.credentials as JsonObject | undefined) };
  if (isNonEmptyString(value)) return value;
  throw new DriveError('not_configured', { text: 'not_configured_secret_not_deployed' });
}
