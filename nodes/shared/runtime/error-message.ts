/** Error texts in Node-RED's language. `src` provides the text key and the parameters. */
import { types } from 'node:util';
import type { NodeAPI } from 'node-red';
import {
  DriveError,
  type ErrorParam,
  type ErrorParams,
  GOOGLE_DRIVE,
  type TextKey,
  withService,
} from '../../../src/index';
import { type CatalogueKey, catalogueText, warningText } from './catalogue';
import { type NodeProperties, labelKey, propertyName, quoteLabel } from './property-name';

/** All details that a Catch node gets besides the message. Never contains requests, URLs or tokens. */
export interface ErrorCause {
  code: string;
  status?: number;
  reason?: string;
  retryable: boolean;
}

/**
 * An error for `done`. It isn't an instance of Error and has no stack, because the debug sidebar shows those as an
 * object with a shortened message (`encodeObject` of @node-red/util). Of this one it shows the text. Catch nodes take
 * the message from `toString`, and copy `code` and `cause`.
 */
export class Failure implements Error {
  readonly name = 'Error';

  constructor(
    readonly message: string,
    readonly code: string,
    readonly cause: ErrorCause,
  ) {}

  toString(): string {
    return `${this.name}: ${this.message}`;
  }
}

/**
 * @param node whose properties the error may name
 * @returns the error for `done`. Other errors than DriveError are bugs: only their name is shown
 */
export function toFailure(RED: NodeAPI, error: unknown, node?: NodeProperties): Failure {
  const known = error instanceof DriveError ? error : unexpected(error);
  const { code, status, reason, retryable } = known;
  // Without undefined members: flows see the object as it is.
  const cause: ErrorCause = {
    code,
    ...(status === undefined ? {} : { status }),
    ...(reason === undefined ? {} : { reason }),
    retryable,
  };
  return new Failure(errorText(RED, known, node), code, cause);
}

/** An error as results and admin API responses contain it. */
export function errorSummary(
  RED: NodeAPI,
  error: unknown,
  node?: NodeProperties,
): { code: string; message: string } {
  const { code, message } = toFailure(RED, error, node);
  return { code, message };
}

/** @returns the warning that a call is repeated after an error of the service with this URL */
export function retryWarning(RED: NodeAPI, error: unknown, url: string): string {
  return warningText(RED, 'retrying', { reason: errorSummary(RED, withService(error, url)).message });
}

/** Stands for the service in the rare errors that occur before the service is known. */
const UNKNOWN_SERVICE = 'cloud drive';

/** General explanations, which the service's own message makes specific. */
const WITH_SERVICE_MESSAGE = new Set<TextKey>([
  'bad_response_refused',
  'bad_response_setting',
  'bad_response_status',
  'conflict_refused',
  'invalid_input_query_refused',
  'not_found_request',
  'permission_denied',
  'permission_denied_sharing',
]);

/** The text of an error, with received ids, the number of attempts if several, and the service's own message. */
export function errorText(RED: NodeAPI, error: DriveError, node?: NodeProperties): string {
  const { text, message, received, attempts, isOutcomeUnknown, mayBeOtherProject, serviceMessage } = error;
  const service = serviceText(RED, error.service);
  const account = ABOUT_ACCOUNT.test(text) ? accountName(node) : undefined;
  const params = { service, ...withLabels(RED, error, node) };
  const explanation = catalogueText(RED, 'errors', text, params) ?? message;
  const more = (key: CatalogueKey<'page'>, values: ErrorParams = {}): string =>
    catalogueText(RED, 'page', key, values) ?? '';
  return [
    explanation,
    account && more('account', { name: account }),
    received !== undefined && more('received', { ids: received }),
    attempts > 1 && more('tried', { tries: attempts }),
    isOutcomeUnknown && more('outcome_unknown'),
    mayBeOtherProject && more('own_project'),
    serviceMessage &&
      WITH_SERVICE_MESSAGE.has(text) &&
      more('service_message', { service, message: serviceMessage }),
  ]
    .filter(Boolean)
    .join(' ');
}

/** Errors about the account itself: a user may have several. The others are about the node or the service. */
const ABOUT_ACCOUNT = /^(?:sign_in_required|not_configured(?!_(?:node_env|secret_not_deployed|no_changes)$))/;

/** Node-RED also accepts flows whose names aren't text. */
function accountName(node: NodeProperties | undefined): string | undefined {
  const name: unknown = node?.account?.name;
  return typeof name === 'string' && name.trim() !== '' ? name : undefined;
}

/** Google Drive has a name of its own in some languages. */
function serviceText(RED: NodeAPI, service = UNKNOWN_SERVICE): string {
  const isGoogle = service === GOOGLE_DRIVE;
  return (isGoogle ? catalogueText(RED, 'form', 'service_google', {}) : undefined) ?? service;
}

/** Errors whose parameters name a property of the account. */
const ACCOUNT_ERRORS = /^(?:not_configured(?!_node)|insecure_url|bad_response(?!_setting)|not_found)/;
const PROPERTY_PARAMS = ['property', 'address', 'setting'];

/** Replaces names of properties by the labels of the dialog. */
function withLabels(
  RED: NodeAPI,
  { text, params }: DriveError,
  node: NodeProperties | undefined,
): ErrorParams {
  const labelled: Record<string, ErrorParam> = { ...params };
  for (const [name, value] of Object.entries(params)) {
    if (!PROPERTY_PARAMS.includes(name) || typeof value !== 'string') continue;
    const label = ACCOUNT_ERRORS.test(text)
      ? accountLabel(RED, value)
      : node && propertyName(RED, node, value, params['source']?.toString());
    if (label === undefined) continue;
    labelled[name] = label;
    // The name contains the source.
    labelled['source'] = '';
  }
  return labelled;
}

/** @returns undefined if the property has no label of its own */
function accountLabel(RED: NodeAPI, property: string): string | undefined {
  const key = labelKey(property);
  const label = /^[a-z_]+$/.test(key)
    ? catalogueText(RED, 'form', key as CatalogueKey<'form'>, {})
    : undefined;
  return label === undefined ? undefined : quoteLabel(RED, label, property);
}

function unexpected(error: unknown): DriveError {
  const what = types.isNativeError(error) ? error.name : typeof error;
  return new DriveError('bad_response', { text: 'bad_response_unexpected', params: { what } });
}
