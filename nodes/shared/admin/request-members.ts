/** Reads members of the editor's requests. Each function throws `invalid_input` naming the member. */
import { invalidRequest } from './admin-guard';

export type Members = Readonly<Record<string, unknown>>;

export const MAX_LENGTH = 4_096;

export function requestObject(value: unknown, name = 'body'): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidRequest(name);
  return value as Members;
}

/** @returns `''` for a missing member */
export function requestText(given: Members, name: string): string {
  const value = given[name] ?? '';
  if (typeof value !== 'string' || value.length > MAX_LENGTH) throw invalidRequest(name);
  return value;
}

/** @returns the first value for a missing member */
export function requestChoice<T extends string>(
  given: Members,
  name: string,
  values: readonly [T, ...T[]],
): T {
  const value = given[name] ?? values[0];
  const found = values.find((each) => each === value);
  if (found === undefined) throw invalidRequest(name);
  return found;
}
