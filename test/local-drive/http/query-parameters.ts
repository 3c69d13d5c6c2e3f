import type { IncomingMessage } from 'node:http';
import { invalidParameter } from './api-error';

/** The query of a request. As in Google Drive, `+` is a space (form encoding). */
export function queryOf(request: IncomingMessage): URLSearchParams {
  const url = request.url ?? '';
  const mark = url.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
}

/** An integer parameter; `fallback` if absent, 400 outside its range. */
export function integerParameter(
  query: URLSearchParams,
  name: string,
  range: { min: number; max: number; fallback: number },
): number {
  const text = query.get(name);
  if (text === null) return range.fallback;
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || value < range.min || value > range.max) {
    throw invalidParameter(
      name,
      `Invalid value '${text}'. Values must be within the range: [${range.min}, ${range.max}]`,
    );
  }
  return value;
}

/** A boolean parameter; `fallback` if absent. */
export function booleanParameter(query: URLSearchParams, name: string, fallback = false): boolean {
  const text = query.get(name);
  if (text === null) return fallback;
  if (text !== 'true' && text !== 'false') {
    throw invalidParameter(name, `Invalid boolean value: '${text}'.`);
  }
  return text === 'true';
}
