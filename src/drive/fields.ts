/**
 * The `fields` parameter, and the files in responses.
 * https://developers.google.com/workspace/drive/api/guides/fields-parameter
 */
import { type TypeGuard, type JsonObject, isBoolean, isNonEmptyString, isString } from '../core/validator';
import { member, optionalMember } from '../http/json';
import type { DriveFile } from '../types';
import { isDriveError } from '../errors';
import type { DriveContext } from './drive-context';

const isInt64 = (value: unknown): value is string => isString(value) && /^\d{1,19}$/.test(value);
const isStringArray = (value: unknown): value is string[] => Array.isArray(value) && value.every(isString);

/** The types of the members that this client reads. */
const CHECKS = new Map<string, TypeGuard<unknown>>([
  ...['name', 'mimeType', 'md5Checksum', 'sha256Checksum', 'createdTime', 'modifiedTime'].map(
    (name) => [name, isString] as const,
  ),
  ['id', isNonEmptyString],
  ['size', isInt64],
  ['trashed', isBoolean],
  ['parents', isStringArray],
]);

/**
 * @param required members that the file must have; none if the user's `fields` may omit the id
 * @returns the same object, in which null members are missing
 * @throws `bad_response` naming the member that is missing or has the wrong type
 */
export function validateFile(file: JsonObject, required: readonly string[] = ['id']): DriveFile {
  for (const name of required) member(file, name, CHECKS.get(name) ?? isString);
  for (const name in file) {
    const check = CHECKS.get(name);
    if (check && optionalMember(file, name, check) === undefined) delete file[name];
  }
  return file as DriveFile;
}

/** The members that each file of a list must have: a decision about a file without one could concern another file. */
export function requiredInLists(fields: string): string[] {
  const parts = splitFields(fields);
  return ['id', ...(parts.includes('name') || parts.includes('*') ? ['name'] : [])];
}

/** Splits at the outer commas: `a,b(c,d)` is `a` and `b(c,d)`. */
export function splitFields(fields: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const char of fields) {
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (char === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts.map((part) => part.replace(/\s+/g, '')).filter((part) => part !== '');
}

/** Adds the fields that the client itself needs. */
export function withFields(fields: string, required: readonly string[]): string {
  const parts = splitFields(fields);
  if (parts.includes('*')) return '*';
  return [...parts, ...required.filter((each) => !parts.includes(each))].join(',');
}

/** @returns a copy of the file with the named fields only, without those that {@link withFields} added */
export function projectFields(file: DriveFile, fields: string): DriveFile {
  return fieldProjector(fields)(file);
}

/** {@link projectFields} for many files: parses the fields once. */
export function fieldProjector(fields: string): (file: DriveFile) => DriveFile {
  const names = new Set(splitFields(fields).map((part) => part.split(/[(/]/)[0]));
  if (names.has('*')) return (file) => file;
  return (file) => {
    const projection: JsonObject = {};
    for (const name in file) if (names.has(name)) projection[name] = file[name];
    return projection as DriveFile;
  };
}

/** A custom service may refuse these because it doesn't know them. It needs only those in docs/signing-in.md. */
const OPTIONAL_FIELDS: readonly string[] = ['webViewLink', 'appProperties'];

/** Sends a request without the optional fields if a custom service refuses them, and remembers it. */
export async function withOptionalFields<T>(
  { service, refused }: Pick<DriveContext, 'service' | 'refused'>,
  fields: string,
  send: (fields: string) => Promise<T>,
): Promise<T> {
  if (service.can.optionalFields) return send(fields);
  const parts = splitFields(fields);
  const required = parts.filter((part) => !OPTIONAL_FIELDS.includes(part));
  if (required.length === parts.length) return send(fields);
  if (refused.has('optionalFields')) return send(required.join(','));
  try {
    return await send(fields);
  } catch (error) {
    if (!isDriveError(error) || error.status !== 400) throw error;
    const result = await send(required.join(','));
    refused.add('optionalFields');
    return result;
  }
}
