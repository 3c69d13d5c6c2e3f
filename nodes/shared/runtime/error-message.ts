/** Error texts in Node-RED's language. `src` provides the text key and the parameters. */
import type { NodeAPI } from 'node-red';
import { DriveError, type ErrorParams, GOOGLE_DRIVE, type TextKey } from '../../../src/index';
import { type CatalogueKey, catalogueText } from './catalogue';

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

/** @returns the error for `done`. Other errors than DriveError are bugs: only their name is shown */
export function toFailure(RED: NodeAPI, error: unknown): Failure {
  const known = error instanceof DriveError ? error : unexpected(error);
  const { code, status, reason, retryable } = known;
  // Without undefined members: flows see the object as it is.
  const cause: ErrorCause = {
    code,
    ...(status === undefined ? {} : { status }),
    ...(reason === undefined ? {} : { reason }),
    retryable,
  };
  return new Failure(errorText(RED, known), code, cause);
}

/** An error as results and admin API responses contain it. */
export function errorSummary(RED: NodeAPI, error: unknown): { code: string; message: string } {
  const { code, message } = toFailure(RED, error);
  return { code, message };
}

/** Stands for the service in the rare errors that occur before the service is known. */
const UNKNOWN_SERVICE = 'cloud drive';

/** General explanations, which the service's own message makes specific. */
const WITH_SERVICE_MESSAGE = new Set<TextKey>([
  'bad_response_refused',
  'bad_response_status',
  'conflict_refused',
  'invalid_input_query_refused',
  'not_found_request',
  'permission_denied',
  'permission_denied_sharing',
]);

/** The text of an error, with the ids received, the number of attempts if there were several, and the service's own message. */
export function errorText(RED: NodeAPI, error: DriveError): string {
  const { text, message, received, attempts, isOutcomeUnknown, serviceMessage } = error;
  const service = serviceText(RED, error.service);
  const params = { service, ...withLabels(RED, text, error.params) };
  const explanation = catalogueText(RED, 'errors', text, params) ?? message;
  const more = (key: CatalogueKey<'page'>, values: ErrorParams = {}): string =>
    catalogueText(RED, 'page', key, values) ?? '';
  return [
    explanation,
    received !== undefined && more('received', { ids: received }),
    attempts > 1 && more('tried', { tries: attempts }),
    isOutcomeUnknown && more('outcome_unknown'),
    serviceMessage &&
      WITH_SERVICE_MESSAGE.has(text) &&
      more('service_message', { service, message: serviceMessage }),
  ]
    .filter(Boolean)
    .join(' ');
}

/** Google Drive has a name of its own in some languages. */
function serviceText(RED: NodeAPI, service = UNKNOWN_SERVICE): string {
  const isGoogle = service === GOOGLE_DRIVE;
  return (isGoogle ? catalogueText(RED, 'form', 'service_google', {}) : undefined) ?? service;
}

/** Errors whose parameters name a property of the account. */
const ACCOUNT_ERRORS = /^(?:not_configured|insecure_url|bad_response|not_found)/;
const PROPERTY_PARAMS = ['property', 'address'];

/** Adds the labels that the account's dialog has for these properties. */
function withLabels(RED: NodeAPI, text: string, params: ErrorParams): ErrorParams {
  if (!ACCOUNT_ERRORS.test(text)) return params;
  const entries = Object.entries(params).map(([name, value]) =>
    PROPERTY_PARAMS.includes(name) && typeof value === 'string'
      ? [name, withLabel(RED, value)]
      : [name, value],
  );
  return Object.fromEntries(entries) as ErrorParams;
}

function withLabel(RED: NodeAPI, property: string): string {
  const key = property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  // Not every property has a label of its own.
  const label = /^[a-z_]+$/.test(key)
    ? catalogueText(RED, 'form', key as CatalogueKey<'form'>, {})
    : undefined;
  return label === undefined
    ? property
    : (catalogueText(RED, 'form', 'named', { label, property }) ?? property);
}

function unexpected(error: unknown): DriveError {
  const what = error instanceof Error ? error.name : typeof error;
  return new DriveError('bad_response', { text: 'bad_response_unexpected', params: { what } });
}
