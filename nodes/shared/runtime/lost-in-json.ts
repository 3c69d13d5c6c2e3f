/** Objects in messages that JSON.stringify turns into `{}`, such as a promise that a function node didn't await. */
import { types } from 'node:util';
import { kindOf } from './value-summary';

/** @returns whether awaiting the value would wait for something else. A promise that fails later is then handled */
export function isPromise(value: unknown): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  // Nobody else may handle it, and Node.js ends at an unhandled rejection.
  if (types.isPromise(value)) value.catch(() => undefined);
  return typeof (value as { then?: unknown }).then === 'function';
}

/** @param value that JSON.stringify accepts. @returns the first object in it whose content the JSON lacks */
export function lostInJson(value: object): object | undefined {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const each = waiting.pop();
    if (typeof each !== 'object' || each === null) continue;
    // It says itself what its JSON is, and may be circular.
    const isOwnJson = 'toJSON' in each && !isPromise(each);
    if (isOwnJson || types.isTypedArray(each) || types.isBoxedPrimitive(each)) continue;
    if (isLost(each, each === value)) return each;
    for (const member of Object.values(each)) if (typeof member === 'object') waiting.push(member);
  }
  return undefined;
}

/** An instance without properties may be empty, as an interval of zero seconds, but not if it is the whole content. */
function isLost(value: object, isWhole: boolean): boolean {
  if (isPromise(value) || types.isNativeError(value) || types.isMap(value) || types.isSet(value)) return true;
  if (Array.isArray(value) || Object.keys(value).length > 0) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return kindOf(value) !== 'Object' || (isWhole && !isPlain);
}
