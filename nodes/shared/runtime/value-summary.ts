/** Values of messages: describes them without their content, which may be large or private, and finds what JSON loses. */
import { looksLikeSecret } from '../../../src/index';
import { types } from 'node:util';

/**
 * @returns `Object`, `Array`, `Date`, `Map`. Objects of a function node have other prototypes and classes than this
 *   code: only what doesn't depend on them, such as this function and `node:util`, recognizes them.
 */
export function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

/** Longer texts are no numbers or dates. */
const MAX_SHOWN = 40;

/** For a value that should be a number, a date or a MIME type, none of which is private: a short text is quoted. */
export function summarizePublicValue(value: unknown): string {
  const isShown =
    typeof value === 'string' &&
    value.length <= MAX_SHOWN &&
    !/\p{Cc}/u.test(value) &&
    !looksLikeSecret(value);
  return isShown ? `'${value}'` : summarizeValue(value);
}

/** For JSON, or an address: the beginning of a text is quoted, in one line. The rest isn't looked at: it may be large. */
export function summarizeText(value: unknown, maxShown = MAX_SHOWN): string {
  if (typeof value !== 'string') return summarizeValue(value);
  const text = value.trim();
  const start = text.slice(0, 10 * maxShown);
  if (looksLikeSecret(start)) return summarizeValue(value);
  const characters = [...start.replace(/[\p{Cc}\s]+/gu, ' ').trim()];
  const shown = characters.slice(0, maxShown).join('');
  const isCut = characters.length > maxShown || text.length > start.length;
  return `'${shown}${isCut ? '…' : ''}'`;
}

/** Shows only the host of a URL: the rest may contain a token. @returns undefined for other texts */
export function summarizeUrl(text: string): string | undefined {
  const [start, scheme, host] =
    /^(https?:\/\/)(?:[^/?#]*@)?([^/?#@:\s]+(?::\d+)?)(?=[/?#\s]|$)/i.exec(text) ?? [];
  // A password may contain a slash, so that another @ may be the one before the host.
  if (start === undefined || text.includes('@', start.length)) return undefined;
  return host === undefined || looksLikeSecret(host) ? undefined : `'${scheme}${host}/…'`;
}

/** Whether a text looks like an id or path. Others may be content, or a URL with a token. */
export function isIdLike(text: string): boolean {
  return /^[^\s\p{Cc}:?=]+$/u.test(text) && !looksLikeSecret(text);
}

/** @returns in Node-RED's notation: `undefined`, `number 5`, `array[3]`, `{topic, payload}` */
export function summarizeValue(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof value === 'string') return value === '' ? "''" : 'string';
  if (Array.isArray(value)) return `array[${value.length}]`;
  if (Buffer.isBuffer(value)) return `Buffer[${value.length}]`;
  if (typeof value === 'object') {
    const kind = kindOf(value);
    if (kind !== 'Object') return kind;
    const names = Object.keys(value).slice(0, 5).join(', ');
    return `{${names}}`;
  }
  return typeof value === 'number' || typeof value === 'boolean'
    ? `${typeof value} ${String(value)}`
    : typeof value;
}

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

/** How many items a text names. The message has all of them. */
const NAMED = 10;

/** @returns the first items, separated by commas, for a warning */
export function shortList(items: readonly string[]): string {
  return [...items.slice(0, NAMED), ...(items.length > NAMED ? ['…'] : [])].join(', ');
}
