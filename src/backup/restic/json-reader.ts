/** Checks the members of JSON from a repository: it may have been written by anyone who has the passphrase. */
import { type TypeGuard, Validator, isArrayOf, isString } from '../../core/validator';
import { damagedFile } from './damaged-file';

const ID = /^[0-9a-f]{64}$/;

export const isId: TypeGuard<string> = (value): value is string =>
  typeof value === 'string' && ID.test(value);
/** A length, offset or number of something. */
export const isCount: TypeGuard<number> = (value): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;
export const isStrings = isArrayOf(isString);

export class JsonReader extends Validator {
  /** @param file in which the JSON is, for error messages */
  constructor(file: string) {
    super((name) => damagedFile(file, name === '' ? 'JSON' : `JSON: ${name}`));
  }
}
