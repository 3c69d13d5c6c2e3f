/** Checks of properties, as the editor calls them: true, or why not. Empty means the default. */
import {
  type Takes,
  fieldsProblem,
  inputProblem,
  isReference,
  isMediaType,
  isMediaTypePattern,
  isOrder,
  isTimeZone,
  metadataProblem,
  patternProblem,
} from './input-checks';
import { timeIn } from '../contract/time-text';
import { sharedText } from './texts';

/** The second parameter is what tells the editor that the answer may be a text. */
export type Validator = (this: object, value: unknown, options?: { label?: string }) => boolean | string;

/** A number of `least` or more. */
export function numberFrom(least: number, kind?: 'whole'): Validator {
  const key = kind === 'whole' ? 'validation.whole_number' : 'validation.number';
  return (value, _options) => {
    const number = numberIn(value);
    const fits = number === undefined || (number >= least && (kind !== 'whole' || Number.isInteger(number)));
    return fits || sharedText(key, { least });
  };
}

/** A number above `least`. */
export function numberAbove(least: number): Validator {
  return (value, _options) => {
    const number = numberIn(value);
    return number === undefined || number > least || sharedText('validation.number_above', { least });
  };
}

/** @returns undefined for an empty field, NaN for what is no number */
function numberIn(value: unknown): number | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string') return value.trim() === '' ? NaN : Number(value);
  return typeof value === 'number' ? value : NaN;
}

/** What a TypedInput holds: by Node-RED's own rules for its type, then by what the node takes. */
export function typed(property: string, takes: Takes): Validator {
  const nodeRed = RED.validators.typedInput(`${property}Type`);
  return function (value, options) {
    const problem = inputProblem(takes, setting(this, `${property}Type`), text(value));
    return problem === undefined ? nodeRed.call(this, value, options) : sharedText(`validation.${problem}`);
  };
}

/** The text of search-files, by the way in which it compares. */
export const searchText: Validator = function (value, options) {
  const isWritten = setting(this, 'textType') === 'str';
  const verdict = isWritten ? namePattern.call(this, value, options) : true;
  return verdict === true ? typed('text', 'anything').call(this, value, options) : verdict;
};

/** What is typed in to compare names with, by the way in which they are compared. */
export const namePattern: Validator = function (value, _options) {
  const pattern = text(value);
  // As the environment has it, it is checked when a message comes.
  const name = inputProblem('anything', 'str', pattern);
  if (name) return sharedText(`validation.${name}`);
  const problem = isReference(pattern) ? undefined : patternProblem(setting(this, 'match'), pattern);
  return problem === undefined || sharedText(`validation.${problem[0]}`, problem[1]);
};

/** A comma list of the service's field names. */
export const fieldList: Validator = (value, _options) => {
  const problem = fieldsProblem(text(value));
  return problem === undefined || sharedText(`validation.${problem}`);
};

export const order: Validator = (value, _options) => isOrder(text(value)) || sharedText('validation.order');

export const mediaType: Validator = (value, _options) =>
  isMediaType(text(value)) || sharedText('validation.media_type');

/** The beginning of one is enough: `image/*`. */
export const mediaTypePattern: Validator = (value, _options) =>
  isMediaTypePattern(text(value)) || sharedText('validation.media_type_pattern');

/** A date, a time, or how long ago it was. */
export const time: Validator = (value, _options) => {
  const given = text(value).trim();
  return given === '' || timeIn(given, Date.now()) !== undefined || sharedText('validation.time');
};

export const timeZone: Validator = (value, _options) =>
  isTimeZone(text(value)) || sharedText('validation.time_zone');

/** An object, typed in as JSON or by another type. */
export const metadata: Validator = function (value, options) {
  const isTyped = ['str', 'json'].includes(setting(this, 'metadataType'));
  const problem = isTyped ? metadataProblem(text(value)) : undefined;
  if (problem) return sharedText(`validation.${problem}`);
  return isTyped || typed('metadata', 'anything').call(this, value, options);
};

/** Checks only while another property has one of these values: otherwise the field is hidden and not used. */
export function onlyFor(property: string, values: readonly string[], check: Validator): Validator {
  return function (value, options) {
    return !values.includes(setting(this, property)) || check.call(this, value, options);
  };
}

/** A property as it is in the dialog, where one is open, as in the validators of Node-RED itself. */
export function setting(node: object, property: string): string {
  const shown = $(`#node-input-${property}`).val();
  const saved: unknown = (node as Record<string, unknown>)[property];
  return text(shown ?? saved);
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
