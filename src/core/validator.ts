/** Checks values whose type isn't known: settings, requests, responses, state files and JSON from a repository. */

export type JsonObject = Record<string, unknown>;

export type TypeGuard<T> = (value: unknown) => value is T;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const isString: TypeGuard<string> = (value): value is string => typeof value === 'string';
export const isNonEmptyString: TypeGuard<string> = (value): value is string =>
  typeof value === 'string' && value !== '';
export const isNumber: TypeGuard<number> = (value): value is number =>
  typeof value === 'number' && Number.isFinite(value);
export const isBoolean: TypeGuard<boolean> = (value): value is boolean => typeof value === 'boolean';
export const isObjectArray = isArrayOf(isObject);

/** @param most characters */
export function isText(most: number): TypeGuard<string> {
  return (value): value is string => typeof value === 'string' && value.length <= most;
}

export function isOneOf<T extends string>(...values: readonly T[]): TypeGuard<T> {
  return (value): value is T => values.some((each) => each === value);
}

export function isArrayOf<T>(check: TypeGuard<T>): TypeGuard<T[]> {
  return (value): value is T[] => Array.isArray(value) && value.every(check);
}

export function isAnyOf<A, B>(one: TypeGuard<A>, other: TypeGuard<B>): TypeGuard<A | B> {
  return (value): value is A | B => one(value) || other(value);
}

export function isOptional<T>(check: TypeGuard<T>): TypeGuard<T | undefined> {
  return (value): value is T | undefined => value === undefined || check(value);
}

/** @param members checks of those that matter; others may be there, too */
export function isObjectOf<T extends object>(members: {
  [Name in keyof T]: TypeGuard<T[Name]>;
}): TypeGuard<T> {
  const checks = Object.entries<TypeGuard<unknown>>(members);
  return (value): value is T => isObject(value) && checks.every(([name, check]) => check(value[name]));
}

/** Reads the members of one kind of object, and rejects the first wrong one. */
export class Validator {
  /** @param wrong returns the error for a member and the value that it has instead; `''` is the object itself */
  constructor(readonly wrong: (name: string, value?: unknown) => Error) {}

  object(value: unknown, name = ''): JsonObject {
    if (isObject(value)) return value;
    throw this.wrong(name, value);
  }

  member<T>(object: JsonObject, name: string, check: TypeGuard<T>): T {
    const value = object[name];
    if (check(value)) return value;
    throw this.wrong(name, value);
  }

  /** The member may be absent or null. */
  optional<T>(object: JsonObject, name: string, check: TypeGuard<T>): T | undefined {
    const value = object[name];
    return value === undefined || value === null ? undefined : this.member(object, name, check);
  }
}

/** @returns the parsed value; undefined for invalid JSON, or nesting that could overflow the stack */
export function tryParse(bytes: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return !isNested(value) || isWithin(value, MAX_DEPTH) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Responses of the service have up to ten levels. Node-RED clones messages recursively. */
const MAX_DEPTH = 200;

/** @param levels of nested arrays and objects allowed */
function isWithin(value: object, levels: number): boolean {
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (const each of value) if (isNested(each) && !isWithin(each, levels - 1)) return false;
    return true;
  }
  // Objects from JSON.parse have no inherited properties.
  for (const name in value) {
    const each = (value as JsonObject)[name];
    if (isNested(each) && !isWithin(each, levels - 1)) return false;
  }
  return true;
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
