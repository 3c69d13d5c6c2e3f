/** Texts of the account's catalogue in Node-RED's language: errors, warnings, pages and results. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { NodeAPI } from 'node-red';
import { type ErrorParam, type ErrorParams, LocalTime, Size } from '../../../src/index';
import type account from '../../account/locales/en-US/account.json';
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

/** As Node-RED's language writes it: `3,2` in German. @param digits after the decimal point: at least, and at most */
function localizeNumber(number: number, language: string, [least, most]: readonly [number, number]): string {
  const digits = { minimumFractionDigits: least, maximumFractionDigits: most };
  return new Intl.NumberFormat(language, { ...digits, useGrouping: false }).format(number);
}

/** French uses `o` (octet). Taken from the unit of a megabyte, because some languages spell out the unit of a byte. */
function byteSymbol(language: string): string {
  const format = new Intl.NumberFormat(language, { style: 'unit', unit: 'megabyte' });
  const unit = format.formatToParts(1).find(({ type }) => type === 'unit');
  return unit?.value.slice(1) ?? 'B';
}

const PREFIXES = ['', 'k', 'M', 'G', 'T', 'P'];

/** @returns a file size as browsers show it, such as `3.2 MB`, in French `3,2 Mo` */
export function localizeSize(bytes: number, language: string): string {
  const power = bytes < 1 ? 0 : Math.min(PREFIXES.length - 1, Math.floor(Math.log10(bytes) / 3));
  const rounded = Math.round((bytes / 1_000 ** power) * 10) / 10;
  return `${localizeNumber(rounded, language, [0, 1])} ${PREFIXES[power]}${byteSymbol(language)}`;
}

/** @returns megabytes with one decimal, such as `3.0 MB`: a text that changes often keeps its width */
export function localizeMegabytes(bytes: number, language: string): string {
  return `${localizeNumber(bytes / 1_000_000, language, [1, 1])} M${byteSymbol(language)}`;
}

const BINARY_PREFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti'];

/** @returns a size of an error with at most one decimal, such as `256.1 MiB`. Limits may be fractions of a MiB */
export function localizeBinarySize(
  { bytes, round }: Pick<Size, 'bytes' | 'round'>,
  language: string,
): string {
  const roundToInteger = round === 'up' ? Math.ceil : Math.floor;
  let number = roundToInteger(bytes);
  let power = 0;
  // By the rounded number: a size is never 1024 MiB.
  while (number >= 1_024 && power < BINARY_PREFIXES.length - 1) {
    power += 1;
    number = roundToInteger((bytes * 10) / 1_024 ** power) / 10;
  }
  return `${localizeNumber(number, language, [0, 1])} ${BINARY_PREFIXES[power]}${byteSymbol(language)}`;
}

/** @returns a rounded duration such as `4 min` */
export function localizeDuration(seconds: number, language: string): string {
  const [unit, length] = seconds < 60 ? ['second', 1] : seconds < 5_400 ? ['minute', 60] : ['hour', 3_600];
  const format = new Intl.NumberFormat(language, {
    style: 'unit',
    unit: String(unit),
    unitDisplay: 'short',
    maximumFractionDigits: 0,
  });
  return format.format(seconds / Number(length));
}
