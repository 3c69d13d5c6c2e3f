/** Texts of the account's catalogue in Node-RED's language: errors, warnings and pages. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { NodeAPI } from 'node-red';
import type { ErrorParams } from '../../../src/index';
import { SIZE_PATTERN, localizeNumbers } from './localize-numbers';

export const CATALOGUE = 'node-red-contrib-cloud-drive/cloud-drive-account';

/** Characters of a value in a text. */
const MAX_VALUE = 1_000;

/** Logs a warning that doesn't belong to a message. */
export function logWarning(RED: NodeAPI, text: string, params: ErrorParams): void {
  RED.log.warn(`[cloud drive] ${warningText(RED, text, params)}`);
}

export function warningText(RED: NodeAPI, text: string, params: ErrorParams): string {
  return catalogueText(RED, 'warnings', text, params) ?? text;
}

/** The language of the catalogue that Node-RED uses, BCP 47. */
export function catalogueLanguage(RED: NodeAPI): string {
  const language: unknown = RED._(`${CATALOGUE}:language`);
  // Without a catalogue, as in Node-RED's test helper, the result is the key.
  return typeof language === 'string' && LANGUAGE.test(language) ? language : SOURCE_LANGUAGE;
}

const LANGUAGE = /^[a-z]{2}(-[A-Z]{2})?$/;
const SOURCE_LANGUAGE = 'en-US';

/** A text of the page shown at the end of a browser sign-in. */
export function pageText(RED: NodeAPI, text: string): string {
  return catalogueText(RED, 'page', text, {}) ?? text;
}

/** Groups that only the runtime uses. The build keeps them out of the catalogue that the editor loads. */
type RuntimeGroup = 'errors' | 'warnings' | 'page';
type Texts = Partial<Record<string, Readonly<Record<string, string>>>>;

/** @returns undefined if the catalogue has no text of that key */
export function catalogueText(
  RED: NodeAPI,
  group: RuntimeGroup | 'form' | 'result',
  text: string,
  params: ErrorParams,
): string | undefined {
  const localized = localizeSizes(RED, shortened(params));
  if (group === 'form' || group === 'result') {
    const key = `${CATALOGUE}:${group}.${text}`;
    const found: unknown = RED._(key, withoutPlaceholders(localized));
    // Without a catalogue, as in Node-RED's test helper, the result is the key.
    if (typeof found === 'string' && found !== key && found !== `${group}.${text}`) return found;
  }
  const template = textsOf(catalogueLanguage(RED))[group]?.[text];
  return template === undefined ? undefined : fillIn(template, localized);
}

/** By language; read on first use, because most texts are of errors. */
const texts = new Map<string, Texts>();

function textsOf(language: string): Texts {
  const found = texts.get(language) ?? readTexts(language);
  if (found) texts.set(language, found);
  return found ?? {};
}

/** @returns undefined if there is no file, as while the package is being updated: an error must not cause another one */
function readTexts(language: string): Texts | undefined {
  try {
    const folder = path.dirname(path.dirname(require.resolve('../../account/locales/en-US/account.json')));
    return JSON.parse(readFileSync(path.join(folder, language, 'account.json'), 'utf8')) as Texts;
  } catch {
    return undefined;
  }
}

/** A path or name from a message may be of any length. Its beginning and end are enough to recognize it. */
function shortened(params: ErrorParams): ErrorParams {
  const entries = Object.entries(params);
  if (!entries.some(([, value]) => String(value).length > MAX_VALUE)) return params;
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (typeof value !== 'string' || value.length <= MAX_VALUE) return [name, value];
      const [start, end] = [value.slice(0, MAX_VALUE / 2), value.slice(-MAX_VALUE / 2)];
      // Without the halves of a character that is cut in two.
      return [name, `${start.replace(/[\ud800-\udbff]$/, '')}…${end.replace(/^[\udc00-\udfff]/, '')}`];
    }),
  );
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
