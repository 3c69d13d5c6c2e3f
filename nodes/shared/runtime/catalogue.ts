/** Texts of the account's catalogue in Node-RED's language: errors, warnings and pages. */
import type { NodeAPI } from 'node-red';
import type { ErrorParams } from '../../../src/index';
import catalogue from '../../account/locales/en-US/account.json';
import { SIZE_PATTERN, localizeNumbers } from './localize-numbers';

export const CATALOGUE = 'node-red-contrib-cloud-drive/cloud-drive-account';

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

/** @returns undefined if the catalogue has no text of that key */
export function catalogueText(
  RED: NodeAPI,
  group: 'errors' | 'warnings' | 'page' | 'form' | 'result',
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
