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
import { CATALOGUE, type CatalogueKey, catalogueText, editorText, pageText, warningText } from './catalogue';

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

/** A node, or its dialog. Errors name a property by the label of the dialog. */
export interface NodeProperties {
  /** `cloud-drive-upload` */
  type: string;
  config: object;
  account?: { name?: string | undefined } | undefined;
}

/** The source of a value that stands in a dialog for one that only a message, a context store … contains. */
export const EXAMPLE = 'example';

/** Settings on which the label of another depends. Its key has their value: `which_snapshots`. */
const LABELLED_BY: Readonly<Record<string, string>> = { which: 'from', select: 'which' };

/**
 * @param source where the value comes from; by default, where the property says
 * @returns the label, followed by the source if that is a message, a context store or an example:
 *   `“Save as” (msg.name)`. undefined if the property has no label
 */
export function propertyName(
  RED: NodeAPI,
  { type, config }: NodeProperties,
  property: string,
  source = sourceOf(config, property),
): string | undefined {
  const key = labelKey(property);
  const ownText = (name: string): string | undefined =>
    editorText(RED, CATALOGUE.replace('cloud-drive-account', type), `field.${name}`);
  const label =
    ownText(`${key}_${String(valueOf(config, LABELLED_BY[property]))}`) ??
    ownText(key) ??
    editorText(RED, CATALOGUE, `row.${key}`) ??
    editorText(RED, CATALOGUE, `retention.${key}`);
  return label === undefined ? undefined : quoteLabel(RED, label, shownSource(RED, source));
}

function shownSource(RED: NodeAPI, source: string): string {
  if (source === EXAMPLE) return pageText(RED, 'example');
  return isFromFlow(source) ? source : '';
}

/** The key of a property's label: `target_name` */
function labelKey(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** @param property in parentheses after the label, `''` for none */
function quoteLabel(RED: NodeAPI, label: string, property: string): string | undefined {
  return catalogueText(RED, 'page', 'named', { label, property });
}

/** Where a property's value comes from, as the dialog shows it: `msg.payload`, or the type of another input. */
export function sourceOf(config: object, property: string): string {
  const type = valueOf(config, `${property}Type`);
  if (typeof type !== 'string') return property;
  return isFromFlow(`${type}.`) ? `${type}.${String(valueOf(config, property))}` : type;
}

function valueOf(config: object, property = ''): unknown {
  return (config as Readonly<Record<string, unknown>>)[property];
}

function isFromFlow(source: string): boolean {
  return /^(?:msg|flow|global)\./.test(source);
}
