/** Texts of the account's catalogue in Node-RED's language: errors, warnings, pages and results. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { NodeAPI } from 'node-red';
import { type ErrorParam, type ErrorParams, LocalTime, Size } from '../../../src/index';
import type account from '../../account/locales/en-US/account.json';
import { localizeBinarySize, localizeNumber } from './localize-numbers';
import type { WarningTexts } from '../../../generated/text-params';

export const CATALOGUE = 'node-red-contrib-cloud-drive/cloud-drive-account';

/** Characters of a value in a text. */
const MAX_VALUE = 1_000;

export type WarningKey = keyof WarningTexts;
/** The parameters of a warning, or of several of which one is chosen. */
export type WarningParams<Text extends WarningKey> = Readonly<Record<WarningTexts[Text], ErrorParam>>;

/** Logs a warning that doesn't belong to a message. */
export function logWarning<Text extends WarningKey>(
  RED: NodeAPI,
  text: Text,
  params: WarningParams<Text>,
): void {
  RED.log.warn(`[cloud drive] ${warningText(RED, text, params)}`);
}

export function warningText<Text extends WarningKey>(
  RED: NodeAPI,
  text: Text,
  params: WarningParams<Text>,
): string {
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

/** A text of the page shown at the end of a browser sign-in, or a part of errors. */
export function pageText(RED: NodeAPI, text: CatalogueKey<'page'>): string {
  return catalogueText(RED, 'page', text, {}) ?? text;
}

/** The build keeps all but the form, as only the runtime uses them, out of the catalogue that the editor loads. */
type Group = 'errors' | 'warnings' | 'page' | 'form' | 'result';
export type CatalogueKey<In extends Group> = keyof (typeof account)[In] & string;
type Texts = Partial<Record<string, Readonly<Record<string, string>>>>;

/** @returns undefined if the catalogue has no text of that key */
export function catalogueText<In extends Group>(
  RED: NodeAPI,
  group: In,
  text: CatalogueKey<In>,
  params: ErrorParams,
): string | undefined {
  const language = catalogueLanguage(RED);
  const values = Object.entries(params).map(([name, value]) => [name, valueText(value, language)]);
  const shown = Object.fromEntries(values) as Values;
  if (group === 'form') {
    const found = editorText(RED, CATALOGUE, `${group}.${text}`);
    if (found !== undefined) return found;
  }
  const template = textsOf(language)[group]?.[text];
  return template === undefined ? undefined : fillIn(template, shown);
}

/** A text of the catalogue that the editor loads. @returns undefined if there is none */
export function editorText(RED: NodeAPI, catalogue: string, key: string): string | undefined {
  const found: unknown = RED._(`${catalogue}:${key}`);
  // Without a text, or without a catalogue as in Node-RED's test helper, the result is the key.
  return typeof found === 'string' && !found.endsWith(key) ? found : undefined;
}

/** By language; read on first use, because most texts are of errors. */
const texts = new Map<string, Texts>();

function textsOf(language: string): Texts {
  const found = texts.get(language) ?? readTexts(language);
  if (found) texts.set(language, found);
  return found ?? {};
}

/**
 * @returns undefined if there is no file, as while the package is being updated: an error must not cause another one
 */
function readTexts(language: string): Texts | undefined {
  try {
    const folder = path.dirname(path.dirname(require.resolve('../../account/locales/en-US/account.json')));
    return JSON.parse(readFileSync(path.join(folder, language, 'account.json'), 'utf8')) as Texts;
  } catch {
    return undefined;
  }
}

type Values = Readonly<Record<string, string>>;

/**
 * Formats numbers, sizes and times. A path or name from a message may be of any length: its beginning and end are enough
 * to recognize it.
 */
function valueText(value: ErrorParam, language: string): string {
  if (value instanceof Size) return localizeBinarySize(value, language);
  if (value instanceof LocalTime) return String(value);
  if (typeof value === 'number') return localizeNumber(value, language, [0, 2]);
  if (value.length <= MAX_VALUE) return value;
  const [start, end] = [value.slice(0, MAX_VALUE / 2), value.slice(-MAX_VALUE / 2)];
  // Without the halves of a character that is cut in two.
  return `${start.replace(/[\ud800-\udbff]$/, '')}…${end.replace(/^[\udc00-\udfff]/, '')}`;
}

/** An empty value in parentheses is omitted with them. */
function fillIn(text: string, values: Values): string {
  return text
    .replace(/\s?[(（]__(\w+?)__[)）]/g, (whole, name: string) => (values[name] === '' ? '' : whole))
    .replace(/__(\w+?)__/g, (whole, name: string) => values[name] ?? whole);
}
