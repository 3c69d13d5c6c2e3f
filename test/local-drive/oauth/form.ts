import type { IncomingMessage } from 'node:http';
import { readTextBody } from '../http/request-body';
import { OAuthError, missingParameter } from './oauth-error';

/** A form-encoded request body, the only kind these endpoints take (RFC 6749 3.2). */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const text = await readTextBody(request);
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') {
    throw new OAuthError(400, 'invalid_request', 'The request must be application/x-www-form-urlencoded.');
  }
  return new URLSearchParams(text);
}

/** A form field that has to be there. */
export function requiredField(form: URLSearchParams, name: string): string {
  const value = form.get(name);
  if (!value) throw missingParameter(name);
  return value;
}
