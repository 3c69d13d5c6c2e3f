/** Reads single properties and credentials of the account. Flows of older versions may lack some. */
import { DriveError } from '../../../src/index';
import { ACCOUNT_DEFAULTS } from '../../shared/contract/account-config';
import { referencedVariable } from '../../shared/contract/values';

export type Properties = Readonly<Record<string, unknown>>;

/** A trimmed string, `''` if the property is missing. */
export function textProperty(properties: Properties, name: string): string {
  const value = properties[name];
  return typeof value === 'string' ? value.trim() : '';
}

/**
 * Node-RED has resolved references to environment variables: a remaining one names a variable that isn't set.
 * @throws `not_configured` naming the variable
 */
export function checkReferences(properties: Properties, names: readonly string[]): void {
  for (const property of names) {
    const name = referencedVariable(properties[property]);
    if (name !== undefined) throw notSet(property, name);
  }
}

/** A line break at the end of a variable isn't part of the value. @throws `not_configured` naming the property */
export function checkControlCharacters(properties: Properties, names: readonly string[]): void {
  const property = names.find((name) => /\p{Cc}/u.test(textProperty(properties, name)));
  if (property !== undefined)
    throw new DriveError('not_configured', { text: 'not_configured_control', params: { property } });
}

function notSet(property: string, name: string): DriveError {
  return new DriveError('not_configured', { text: 'not_configured_env', params: { property, name } });
}

export interface NumberRange {
  min: number;
  /** Whether `min` itself is invalid. */
  exclusiveMin?: boolean;
  max?: number;
  whole?: boolean;
}

/** A number, which the editor saves as a number or a string; empty means the default. @throws `not_configured` */
export function numberProperty(
  properties: Properties,
  name: keyof typeof ACCOUNT_DEFAULTS,
  range: NumberRange,
): number {
  const given = properties[name];
  const value = typeof given === 'string' ? given.trim() : given;
  if (value === undefined || value === null || value === '') return Number(ACCOUNT_DEFAULTS[name]);
  const result = typeof value === 'number' || typeof value === 'string' ? Number(value) : NaN;
  const { min, exclusiveMin = false, max = Number.MAX_SAFE_INTEGER, whole = false } = range;
  const fits = exclusiveMin ? result > min : result >= min;
  if (fits && result <= max && (!whole || Number.isInteger(result))) return result;
  throw new DriveError('not_configured', { text: 'not_configured_number', params: { property: name } });
}
