/** Fields that a custom service may refuse because it doesn't know them. It needs only those in docs/signing-in.md. */
import { isDriveError } from '../errors';
import type { DriveContext } from './drive-context';
import { splitFields } from './fields';

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
