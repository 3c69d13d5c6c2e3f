/**
 * The words for an error, in Node-RED's language: what happened, what it means, what to do. `src` gives the key and
 * the parameters, the account's catalogue the sentence.
 */
import type { NodeAPI } from 'node-red';
import { DriveError, type ErrorParams } from '../../../src/index';
import catalogue from '../../account/locales/en-US/account.json';
import { SIZE_PATTERN, localizeNumbers } from './localize-numbers';

export const CATALOGUE = 'node-red-contrib-cloud-drive/cloud-drive-account';

/** The only thing that a Catch node gets to see besides the message. */
export interface ErrorCause {
  code: string;
  status?: number;
  reason?: string;
  retryable: boolean;
}

export type NodeError = Error & { code: string; cause: ErrorCause };

/** Makes the error for `done`. Whatever is no DriveError is a mistake in this package: it is named, not shown. */
export function nodeError(RED: NodeAPI, error: unknown): NodeError {
  const known = error instanceof DriveError ? error : unexpected(error);
  const { code, status, reason, retryable } = known;
  const cause: ErrorCause = {
    code,
    ...(status === undefined ? {} : { status }),
    ...(reason === undefined ? {} : { reason }),
    retryable,
  };
  return Object.assign(new Error(errorText(RED, known)), { code, cause });
}

/** An error in words, for results and answers that tell of one. */
export function errorSummary(RED: NodeAPI, error: unknown): { code: string; message: string } {
  const { code, message } = nodeError(RED, error);
  return { code, message };
}

/** The sentence for an error, and how often it was tried where that was more than once. */
export function errorText(RED: NodeAPI, { text, params, message, attempts }: DriveError): string {
  const told = sentence(RED, 'errors', text, withLabels(RED, text, params)) ?? message;
  const tried = attempts > 1 ? sentence(RED, 'page', 'tried', { tries: attempts }) : undefined;
  return tried === undefined ? told : `${told} ${tried}`;
}

/** Tells what no message is the occasion of, in the log. */
export function logWarning(RED: NodeAPI, text: string, params: ErrorParams): void {
  RED.log.warn(`[cloud drive] ${warningText(RED, text, params)}`);
}

/** The sentence for a warning. */
export function warningText(RED: NodeAPI, text: string, params: ErrorParams): string {
  return sentence(RED, 'warnings', text, params) ?? text;
}

/** The language that Node-RED speaks, among those that there is a catalogue for. BCP 47 */
export function catalogueLanguage(RED: NodeAPI): string {
  return pageText(RED, 'language');
}

/** A text of the page on which a browser sign-in ends. */
export function pageText(RED: NodeAPI, text: string): string {
  return sentence(RED, 'page', text, {}) ?? text;
}

/** Errors that name a property of the account, and where in their parameters. */
const OF_ACCOUNT = /^(?:not_configured|insecure_url|bad_response|not_found)/;
const NAMING = ['property', 'address'];

/** The account's properties as its dialog calls them, besides as flows do. */
function withLabels(RED: NodeAPI, text: string, params: ErrorParams): ErrorParams {
  if (!OF_ACCOUNT.test(text)) return params;
  const entries = Object.entries(params).map(([name, value]) =>
    NAMING.includes(name) ? [name, withLabel(RED, String(value))] : [name, value],
  );
  return Object.fromEntries(entries) as ErrorParams;
}

function withLabel(RED: NodeAPI, property: string): string {
  const key = property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const label = /^[a-z_]+$/.test(key) ? sentence(RED, 'form', key, {}) : undefined;
  return label === undefined ? property : (sentence(RED, 'form', 'named', { label, property }) ?? property);
}

function sentence(
  RED: NodeAPI,
  group: 'errors' | 'warnings' | 'page' | 'form',
  text: string,
  params: ErrorParams,
): string | undefined {
  const key = `${CATALOGUE}:${group}.${text}`;
  const told: unknown = RED._(key, withoutPlaceholders(sizesIn(RED, params)));
  // Without a catalogue (in Node-RED's test helper, say) the key comes back.
  if (typeof told === 'string' && told !== key && told !== `${group}.${text}`) return told;
  const sentences: Readonly<Record<string, string>> = catalogue[group];
  const found = sentences[text];
  return found === undefined ? undefined : filledIn(found, params);
}

/** Sizes come with a decimal point. */
function sizesIn(RED: NodeAPI, params: ErrorParams): ErrorParams {
  const isSize = (value: string | number): value is string =>
    typeof value === 'string' && SIZE_PATTERN.test(value);
  const entries = Object.entries(params);
  if (!entries.some(([, value]) => isSize(value))) return params;
  const language = catalogueLanguage(RED);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isSize(value) ? localizeNumbers(value, language) : value]),
  );
}

/** A file's name may look like a placeholder, and would be filled in: an invisible mark in it keeps that from happening. */
function withoutPlaceholders(params: ErrorParams): Record<string, string | number> {
  const plain = (value: string | number): string | number =>
    typeof value === 'string' ? value.replaceAll('__', '_\u2060_') : value;
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, plain(value)]));
}

function filledIn(text: string, params: ErrorParams): string {
  return text.replace(/__(\w+?)__/g, (whole, name: string) => String(params[name] ?? whole));
}

function unexpected(error: unknown): DriveError {
  const what = error instanceof Error ? error.name : typeof error;
  return new DriveError('bad_response', { text: 'bad_response_unexpected', params: { what } });
}
