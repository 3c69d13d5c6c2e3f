/**
 * Metadata and content in one request, streamed.
 * RFC 2387, https://developers.google.com/workspace/drive/api/guides/manage-uploads#multipart
 */
import { randomBytes } from 'node:crypto';
import type { HttpResponse } from '../http/client';
import { type JsonObject, LARGEST_JSON, parseObject, readAll } from '../http/json';
import { type UploadJob, isRepeatable, uploadAddress, uploadQuery } from './upload-job';

/** Documented as "5 MB or less"; the smaller reading of MB is right either way. */
export const MULTIPART_LIMIT = 5_000_000;

/** @returns the service's answer: the file */
export async function sendMultipart({ drive, destination, content, call }: UploadJob): Promise<JsonObject> {
  const { engine } = drive;
  const boundary = `cloud-drive-${randomBytes(16).toString('hex')}`;
  const frame = frameOf(boundary, destination.resource, destination.mimeType);
  const send = (progressed: () => void): Promise<JsonObject> =>
    engine.once(
      {
        method: destination.method,
        url: uploadAddress(drive, destination),
        query: uploadQuery(drive, 'multipart', destination.fields),
        headers: { 'Content-Type': `multipart/related; boundary=${boundary}` },
        body: content.from(0, progressed, frame),
        unrepeatable: !isRepeatable(destination),
      },
      call,
      readObject,
    );
  return isRepeatable(destination) ? engine.retrying(send, call) : send(() => undefined);
}

export async function readObject({ body, patience }: HttpResponse): Promise<JsonObject> {
  return parseObject(await readAll(body, LARGEST_JSON, patience));
}

function frameOf(
  boundary: string,
  resource: JsonObject,
  mimeType: string,
): { before: Buffer; after: Buffer } {
  const before = [
    `--${boundary}`,
    'Content-Type: application/json; charset=UTF-8',
    '',
    JSON.stringify(resource),
    `--${boundary}`,
    `Content-Type: ${mimeType}`,
    '',
    '',
  ];
  return { before: Buffer.from(before.join('\r\n')), after: Buffer.from(`\r\n--${boundary}--\r\n`) };
}
