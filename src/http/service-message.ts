/**
 * The message of an error response: Google Drive's own words say which parameter is wrong. Other services may echo
 * anything, so their messages aren't used.
 * https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
import { type JsonObject, isObject } from '../core/validator';
import { looksLikeSecret } from './secret-pattern';

const MAX_LENGTH = 200;
/** URLs, and anything as long as a token or an upload session's id. IDs of files are shorter. */
const URL_OR_SECRET = /\b[a-z][\w+.-]*:\/\/\S+|[\w+/=.~-]{60,}/gi;

/** @returns one line: the message, and the parameter that it is about; undefined for none */
export function serviceMessage(body: unknown): string | undefined {
  const error = isObject(body) ? body['error'] : undefined;
  if (!isObject(error) || typeof error['message'] !== 'string') return undefined;
  const message = error['message'].replace(/[\p{Cc}\s]+/gu, ' ').trim();
  if (message === '' || looksLikeSecret(message)) return undefined;
  const characters = [...message.replace(URL_OR_SECRET, '…')];
  const line =
    characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH).join('')}…` : characters.join('');
  const location = rejectedParameter(error);
  return location === undefined || line.split(/[^\w.]+/).includes(location) ? line : `${line} (${location})`;
}

/**
 * @param error of a response
 * @returns the parameter that the service rejects: `q`, `fields`, `permission.role`
 */
export function rejectedParameter({ errors }: JsonObject): string | undefined {
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const location = isObject(first) ? first['location'] : undefined;
  return typeof location === 'string' && /^[\w.[\]]{1,64}$/.test(location) ? location : undefined;
}
