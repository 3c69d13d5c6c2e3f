import type { IncomingMessage } from 'node:http';
import { readTextBody } from '../http/request-body';
import { OAuthError, missingParameter } from './oauth-error';

/** Reads a form-encoded body; the OAuth endpoints accept no other type (RFC 6749 section 3.2). */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const text = await readTextBody(request);
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') {
    throw new OAuthError(400, 'invalid_request', 'The request must be application/x-www-form-urlencoded.');
  }
  return new URLSearchParams(text);
}

/** A required form field. */
export function requiredField(form: URLSearchParams, name: string): string {
  const value = form.get(name);
  if (!value) throw missingParameter(name);
  return value;
}
