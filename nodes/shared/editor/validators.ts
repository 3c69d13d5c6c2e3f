/**
 * Validators of properties, in the form that the editor calls: they return true, or the reason why the value is
 * invalid. An empty value is valid and means the default.
 */
import { isBalancedQuery, isMimeType, isMimeTypePattern, isReference } from '../contract/values';
import { parseTime } from '../contract/parse-time';
import type { RETENTION_DEFAULTS } from '../contract/defaults';
import {
  type InputKind,
  type PatternProblem,
  fieldsProblem,
  inputProblem,
  isOrderBy,
  isTimeZone,
  metadataProblem,
  parseJson,
  pathPatternsProblem,
  patternProblem,
} from './input-checks';
import { fieldValue } from './fields';
import { sharedText } from './shared-text';

/** Only for functions with two parameters does the editor accept a text as the result. */
export type Validator = (this: object, value: unknown, options?: { label?: string }) => boolean | string;

/** A number that is at least `min`. */
export function atLeast(min: number, kind?: 'whole'): Validator {
  const key = kind === 'whole' ? 'validation.whole_number' : 'validation.number';
  return (value, _options) => {
    const number = parseNumber(value);
    const isValid = number === undefined || (number >= min && (kind !== 'whole' || Number.isInteger(number)));
    return isValid || sharedText(key, { least: min });
  };
}

const wholeNumber = atLeast(0, 'whole');

/** How many backups are kept: the properties of `RETENTION_DEFAULTS`. */
export const retentionRules: Readonly<Record<keyof typeof RETENTION_DEFAULTS, Validator>> = {
  keepNewest: wholeNumber,
  keepDays: atLeast(0),
  daily: wholeNumber,
  weekly: wholeNumber,
  monthly: wholeNumber,
  yearly: wholeNumber,
  minimum: wholeNumber,
};

/** A number greater than `min`. */
export function above(min: number): Validator {
  return (value, _options) => {
    const number = parseNumber(value);
    return number === undefined || number > min || sharedText('validation.number_above', { least: min });
  };
}

export function between(least: number, most: number): Validator {
  return (value, _options) => {
    const number = parseNumber(value);
    const isValid = number === undefined || (number >= least && number <= most);
    return isValid || sharedText('validation.number_between', { least, most });
  };
}

/** @returns undefined for an empty field, NaN for anything that isn't a number */
function parseNumber(value: unknown): number | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string') return value.trim() === '' ? NaN : Number(value);
  return typeof value === 'number' ? value : NaN;
}

/** The value of a TypedInput: checked by this package, then by Node-RED's own rules for the type. */
export function typedInput(property: string, kind: InputKind): Validator {
  const nodeRedValidator = RED.validators.typedInput(`${property}Type`);
  return function (value, options) {
    const problem = inputProblem(kind, currentValue(this, `${property}Type`), toText(value));
    return problem === undefined
      ? nodeRedValidator.call(this, value, options)
      : sharedText(`validation.${problem}`);
  };
}

/** The text to search for, which is a pattern for some values of `match`. */
export const searchText: Validator = function (value, options) {
  const result = currentValue(this, 'textType') === 'str' ? namePattern.call(this, value, options) : true;
  return result === true ? typedInput('text', 'anything').call(this, value, options) : result;
};

/** A typed text with a validator of its own. Other types are checked as {@link typedInput} does. */
export function typedText(property: string, validator: Validator): Validator {
  const typed = typedInput(property, 'anything');
  return function (value, options) {
    // A flow saved by an older version has no type.
    const isText = ['str', ''].includes(currentValue(this, `${property}Type`)) && !isReference(toText(value));
    return (isText ? validator : typed).call(this, value, options);
  };
}

/** An expression of Google Drive's query language. */
export const searchQuery: Validator = (value, _options) =>
  isReference(toText(value)) || isBalancedQuery(toText(value)) || sharedText('validation.query');

/** A pattern for names, of the kind that `match` says. */
export const namePattern: Validator = function (value, _options) {
  const pattern = toText(value);
  const inputError = inputProblem('anything', 'str', pattern);
  if (inputError) return sharedText(`validation.${inputError}`);
  // The runtime checks a pattern that comes from the environment.
  return explained(isReference(pattern) ? undefined : patternProblem(currentValue(this, 'match'), pattern));
};

function explained(problem: PatternProblem | undefined): true | string {
  return problem === undefined || sharedText(`validation.${problem[0]}`, problem[1]);
}

/** A glob for names. */
export const globPattern: Validator = (value, _options) => explained(patternProblem('glob', toText(value)));

/** Globs for paths, one per line. */
export const pathPatterns: Validator = (value, _options) =>
  explained(isReference(toText(value)) ? undefined : pathPatternsProblem(toText(value)));

/** A comma-separated list of the service's field names. */
export const fieldList: Validator = (value, _options) => {
  const problem = fieldsProblem(toText(value));
  return problem === undefined || sharedText(`validation.${problem}`);
};

export const orderBy: Validator = (value, _options) =>
  isOrderBy(toText(value)) || sharedText('validation.order');

export const mimeType: Validator = (value, _options) =>
  isMimeType(toText(value)) || sharedText('validation.media_type');

/** A MIME type or a prefix of one: `image/*`. */
export const mimeTypePattern: Validator = (value, _options) =>
  isMimeTypePattern(toText(value)) || sharedText('validation.media_type_pattern');

/** A date, a time, or a time span before now. */
export const time: Validator = (value, _options) => {
  const text = toText(value).trim();
  return text === '' || parseTime(text, Date.now()) !== undefined || sharedText('validation.time');
};

export const timeZone: Validator = (value, _options) =>
  isTimeZone(toText(value)) || sharedText('validation.time_zone');

/** An object: typed as JSON, or of another TypedInput type. */
export const metadata: Validator = function (value, options) {
  const isJson = ['str', 'json'].includes(currentValue(this, 'metadataType'));
  if (!isJson) return typedInput('metadata', 'anything').call(this, value, options);
  const problem = metadataProblem(toText(value));
  return problem === undefined || sharedText(`validation.${problem}`);
};

/** An object or array: typed as JSON, or of another TypedInput type. @param example shown if the JSON is invalid */
export function jsonInput(property: string, example: string): Validator {
  return function (value, options) {
    const text = toText(value);
    const isJson = ['str', 'json'].includes(currentValue(this, `${property}Type`)) && !isReference(text);
    if (!isJson) return typedInput(property, 'anything').call(this, value, options);
    const parsed = parseJson(text);
    const isValid = text === '' || (typeof parsed === 'object' && parsed !== null);
    return isValid || sharedText('validation.json', { example });
  };
}

/** Validates only while another property has one of the values. Otherwise the field is hidden and not used. */
export function validateWhen(property: string, values: readonly string[], validator: Validator): Validator {
  return function (value, options) {
    return !values.includes(currentValue(this, property)) || validator.call(this, value, options);
  };
}

/** @returns the value in the open dialog, otherwise the saved one, as Node-RED's own validators do */
export function currentValue(node: object, property: string): string {
  const field = $(`#node-input-${property}`);
  const saved: unknown = (node as Record<string, unknown>)[property];
  return field.length > 0 ? fieldValue(field) : toText(saved);
}

function toText(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
}
