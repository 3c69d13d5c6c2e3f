/** File objects of answers, checked, and the `fields` that ask for them. */
import {
  type Check,
  type JsonObject,
  badAnswer,
  isBoolean,
  isFilledString,
  isString,
  member,
  optionalMember,
} from '../http/json';
import type { DriveFile } from '../types';

const isInt64 = (value: unknown): value is string => isString(value) && /^\d{1,19}$/.test(value);
const isStringList = (value: unknown): value is string[] => Array.isArray(value) && value.every(isString);

/** Of the members that this client knows. */
const CHECKS = new Map<string, Check<unknown>>([
  ...['id', 'name', 'mimeType', 'md5Checksum', 'sha256Checksum', 'createdTime', 'modifiedTime'].map(
    (name) => [name, isString] as const,
  ),
  ['size', isInt64],
  ['trashed', isBoolean],
  ['parents', isStringList],
]);

/**
 * @param needsId false where the user's `fields` may leave it out
 * @returns the same object. @throws `bad_response` naming the member of the wrong type
 */
export function validateFile(file: JsonObject, needsId = true): DriveFile {
  if (needsId) member(file, 'id', isFilledString);
  for (const name in file) {
    const check = CHECKS.get(name);
    if (check) optionalMember(file, name, check);
  }
  return file as DriveFile;
}

/** Splits a `fields` list at its outer commas: `a,b(c,d)` is `a` and `b(c,d)`. */
export function splitFields(fields: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const char of fields) {
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (char === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
    } else {
      part += char;
    }
  }
  parts.push(part.trim());
  return parts.filter((each) => each !== '');
}

/** Adds fields that the client itself needs to those a user asked for. */
export function withFields(fields: string, needed: readonly string[]): string {
  const parts = splitFields(fields);
  if (parts.includes('*')) return '*';
  return [...parts, ...needed.filter((each) => !parts.includes(each))].join(',');
}

/** Leaves out again what only the client had asked for. */
export function onlyFields(file: DriveFile, fields: string): DriveFile {
  return projectFields(fields)(file);
}

/** The same for many files: the list of fields is taken apart once. */
export function projectFields(fields: string): (file: DriveFile) => DriveFile {
  const names = new Set(splitFields(fields).map((part) => part.split(/[(/]/)[0]));
  if (names.has('*')) return (file) => file;
  return (file) => {
    const picked: JsonObject = {};
    for (const name in file) if (names.has(name)) picked[name] = file[name];
    return picked as DriveFile;
  };
}

/** @throws `bad_response` where `files` holds something that is no object */
export function notAFile(): never {
  throw badAnswer('bad_response_type', { member: 'files' });
}
