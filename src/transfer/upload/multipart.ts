/**
 * Metadata and content in one request, streamed.
 * RFC 2387, https://developers.google.com/workspace/drive/api/guides/manage-uploads#multipart
 */
import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../../core/validator';
import { readObject } from '../../http/json';
import {
  type UploadAttempt,
  type UploadTarget,
  type UploadType,
  isIdempotent,
  uploadQuery,
  uploadUrl,
} from './upload-job';

/** @returns the file as the service describes it */
export async function sendMultipart({ drive, target, body, call }: UploadAttempt): Promise<JsonObject> {
  const { engine } = drive;
  const boundary = `cloud-drive-${randomBytes(16).toString('hex')}`;
  const envelope = multipartEnvelope(boundary, target);
  const sendOnce = (): Promise<JsonObject> =>
    engine.requestWithoutRetry(
      {
        method: target.method,
        url: uploadUrl(drive, target),
        query: uploadQuery(drive, 'multipart', target.fields),
        headers: { 'Content-Type': `multipart/related; boundary=${boundary}` },
        body: body.from(0, envelope),
        freshConnection: !isIdempotent(target),
      },
      call,
      readObject,
    );
  if (!isIdempotent(target)) return sendOnce();
  return engine.retry(sendOnce, call);
}

function multipartEnvelope(
  boundary: string,
  { metadata, mimeType }: UploadTarget,
): { before: Buffer; after: Buffer } {
  const before = [
    `--${boundary}`,
    'Content-Type: application/json; charset=UTF-8',
    '',
    JSON.stringify(metadata),
    `--${boundary}`,
    `Content-Type: ${mimeType}`,
    '',
    '',
  ];
  return { before: Buffer.from(before.join('\r\n')), after: Buffer.from(`\r\n--${boundary}--\r\n`) };
}

/** Bytes. The API documents "5 MB or less", which could also mean MiB; the smaller value is safe. */
export const MULTIPART_LIMIT = 5_000_000;

/**
 * An empty content is always sent as multipart: it has no `Content-Range`, so it can't be sent in a resumable session.
 * @param length bytes of the content
 */
export function chooseUploadType(length: number): UploadType {
  return length <= MULTIPART_LIMIT ? 'multipart' : 'resumable';
}
