/** Checks of properties, as the editor calls them: true, or why not. Empty means the default. */
import { sharedText } from './texts';

/** The second parameter is what tells the editor that the answer may be a text. */
type Validator = (value: unknown, options?: { label?: string }) => boolean | string;

/** A number of `least` or more. */
export function numberFrom(least: number, kind?: 'whole'): Validator {
  const text = kind === 'whole' ? 'validation.whole_number' : 'validation.number';
  return (value, _options) => {
    const number = numberIn(value);
    const fits = number === undefined || (number >= least && (kind !== 'whole' || Number.isInteger(number)));
    return fits || sharedText(text, { least });
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
