/** Checks the members of JSON from a repository: it may have been written by anyone who has the passphrase. */
import type { DriveError } from '../../errors';
import { type JsonObject, type TypeGuard, isObject } from '../../http/json';
import { damagedFile } from './damaged-file';

const ID = /^[0-9a-f]{64}$/;

export const isId: TypeGuard<string> = (value): value is string =>
  typeof value === 'string' && ID.test(value);
/** A length, offset or number of something. */
export const isCount: TypeGuard<number> = (value): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;
export const isStrings: TypeGuard<string[]> = (value): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

export class JsonReader {
  /** @param file in which the JSON is, for error messages */
  constructor(private readonly file: string) {}

  object(value: unknown): JsonObject {
    if (isObject(value)) return value;
    throw damagedFile(this.file, 'JSON');
  }

  member<T>(object: JsonObject, name: string, check: TypeGuard<T>): T {
    const value = object[name];
    if (check(value)) return value;
    throw this.wrong(name);
  }

  /** As Go does, null counts as absent. */
  optional<T>(object: JsonObject, name: string, check: TypeGuard<T>): T | undefined {
    const value = object[name];
    return value === undefined || value === null ? undefined : this.member(object, name, check);
  }

  wrong(name: string): DriveError {
    return damagedFile(this.file, `JSON: ${name}`);
  }
}
