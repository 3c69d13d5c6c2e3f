/** Promises in messages: a function node that forgets `await` sends them instead of their values. */
import { types } from 'node:util';

/** @returns whether awaiting the value would wait for something else. A promise that fails later is then handled */
export function isPromise(value: unknown): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  // Nobody else may handle it, and Node.js ends at an unhandled rejection.
  if (types.isPromise(value)) value.catch(() => undefined);
  return typeof (value as { then?: unknown }).then === 'function';
}

/** @param value that can be sent as JSON: JSON.stringify turns a promise into `{}` */
export function containsPromise(value: unknown): boolean {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const each = waiting.pop();
    if (isPromise(each)) return true;
    if (typeof each !== 'object' || each === null || ArrayBuffer.isView(each)) continue;
    // It says itself what its JSON is, and may be circular.
    if ('toJSON' in each) continue;
    for (const member of Object.values(each)) if (typeof member === 'object') waiting.push(member);
  }
  return false;
}
