/**
 * Error and warning texts in Node-RED's language. `src` provides the text key and the parameters, the account's catalogue
 * the text.
 */
import type { NodeAPI } from 'node-red';
import { DriveError, type ErrorParams } from '../../../src/index';
import catalogue from '../../account/locales/en-US/account.json';
import { SIZE_PATTERN, localizeNumbers } from './localize-numbers';

export const CATALOGUE = 'node-red-contrib-cloud-drive/cloud-drive-account';

/** All details that a Catch node gets besides the message. Never contains requests, URLs or tokens. */
export interface ErrorCause {
  code: string;
  status?: number;
  reason?: string;
  retryable: boolean;
}

export type NodeError = Error & { code: string; cause: ErrorCause };

/** @returns the error for `done`. Other errors than DriveError are bugs: only their name is shown */
export function nodeError(RED: NodeAPI, error: unknown): NodeError {
  const known = error instanceof DriveError ? error : unexpected(error);
  const { code, status, reason, retryable } = known;
  // Without undefined members: flows see the object as it is.
  const cause: ErrorCause = {
    code,
    ...(status === undefined ? {} : { status }),
    ...(reason === undefined ? {} : { reason }),
    retryable,
  };
  return Object.assign(new Error(errorText(RED, known)), { code, cause });
}

/** An error as results and admin API responses contain it. */
export function errorSummary(RED: NodeAPI, error: unknown): { code: string; message: string } {
  const { code, message } = nodeError(RED, error);
  return { code, message };
}

/** The text of an error, with the number of attempts if there were several. */
export function errorText(RED: NodeAPI, { text, params, message, attempts }: DriveError): string {
  const explanation = catalogueText(RED, 'errors', text, withLabels(RED, text, params)) ?? message;
  const attemptsText = attempts > 1 ? catalogueText(RED, 'page', 'tried', { tries: attempts }) : undefined;
  return attemptsText === undefined ? explanation : `${explanation} ${attemptsText}`;
}

/** Logs a warning that doesn't belong to a message. */
export function logWarning(RED: NodeAPI, text: string, params: ErrorParams): void {
  RED.log.warn(`[cloud drive] ${warningText(RED, text, params)}`);
}

export function warningText(RED: NodeAPI, text: string, params: ErrorParams): string {
  return catalogueText(RED, 'warnings', text, params) ?? text;
}

/** The language of the catalogue that Node-RED uses, BCP 47. */
export function catalogueLanguage(RED: NodeAPI): string {
  return pageText(RED, 'language');
}

/** A text of the page shown at the end of a browser sign-in. */
export function pageText(RED: NodeAPI, text: string): string {
  return catalogueText(RED, 'page', text, {}) ?? text;
}

/** Errors whose parameters name a property of the account. */
const ACCOUNT_ERRORS = /^(?:not_configured|insecure_url|bad_response|not_found)/;
const PROPERTY_PARAMS = ['property', 'address'];

/** Adds the labels that the account's dialog has for these properties. */
function withLabels(RED: NodeAPI, text: string, params: ErrorParams): ErrorParams {
  if (!ACCOUNT_ERRORS.test(text)) return params;
  const entries = Object.entries(params).map(([name, value]) =>
    PROPERTY_PARAMS.includes(name) ? [name, withLabel(RED, String(value))] : [name, value],
  );
  return Object.fromEntries(entries) as ErrorParams;
}

function withLabel(RED: NodeAPI, property: string): string {
  const key = property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const label = /^[a-z_]+$/.test(key) ? catalogueText(RED, 'form', key, {}) : undefined;
  return label === undefined
    ? property
    : (catalogueText(RED, 'form', 'named', { label, property }) ?? property);
}

function catalogueText(
  RED: NodeAPI,
  group: 'errors' | 'warnings' | 'page' | 'form',
  text: string,
  params: ErrorParams,
): string | undefined {
  const key = `${CATALOGUE}:${group}.${text}`;
  const localized: unknown = RED._(key, withoutPlaceholders(localizeSizes(RED, params)));
  // Without a catalogue, as in Node-RED's test helper, the result is the key.
  if (typeof localized === 'string' && localized !== key && localized !== `${group}.${text}`)
    return localized;
  const texts: Readonly<Record<string, string>> = catalogue[group];
  const template = texts[text];
  return template === undefined ? undefined : fillIn(template, params);
}

/** `src` formats sizes with a decimal point. */
function localizeSizes(RED: NodeAPI, params: ErrorParams): ErrorParams {
  const isSize = (value: string | number): value is string =>
    typeof value === 'string' && SIZE_PATTERN.test(value);
  const entries = Object.entries(params);
  if (!entries.some(([, value]) => isSize(value))) return params;
  const language = catalogueLanguage(RED);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isSize(value) ? localizeNumbers(value, language) : value]),
  );
}

/** Separates `__` in values by a word joiner (U+2060): in a file name it would otherwise look like a placeholder. */
function withoutPlaceholders(params: ErrorParams): Record<string, string | number> {
  const plain = (value: string | number): string | number =>
    typeof value === 'string' ? value.replaceAll('__', '_\u2060_') : value;
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, plain(value)]));
}

function fillIn(text: string, params: ErrorParams): string {
  return text.replace(/__(\w+?)__/g, (whole, name: string) => String(params[name] ?? whole));
}

function unexpected(error: unknown): DriveError {
  const what = error instanceof Error ? error.name : typeof error;
  return new DriveError('bad_response', { text: 'bad_response_unexpected', params: { what } });
}
