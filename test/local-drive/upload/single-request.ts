import type { Request } from 'express';
import { badRequest } from '../http/api-error';
import { collectText, parseJsonObject, requestBody } from '../http/request-body';
import type { DriveBackend } from '../api/backend';
import { readMetadata, type MetadataInput } from '../api/metadata-input';
import type { FileRecord } from '../storage/file-record';
import { contextOf } from '../http/request-context';
import { decodeBase64 } from './base64';
import { checkUploadTarget, saveUpload, receiveContent, type UploadTarget } from './upload-target';
import { boundaryOf, readRelated, type RelatedEvent } from './multipart-related';

/** `uploadType=media`: the body is the content. */
export async function mediaUpload(
  drive: DriveBackend,
  request: Request,
  target: UploadTarget,
): Promise<FileRecord> {
  checkUploadTarget(drive, target);
  const incoming = await receiveContent(drive, requestBody(request), contextOf(request).effects);
  return saveUpload(drive, target, { incoming, mimeType: request.headers['content-type'] });
}

/**
 * `uploadType=multipart`: first the metadata as JSON, then the content.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#multipart
 */
export async function multipartUpload(
  drive: DriveBackend,
  request: Request,
  target: UploadTarget,
): Promise<FileRecord> {
  const boundary = boundaryOf(request.headers['content-type']);
  const parts = new PartReader(readRelated(requestBody(request), boundary));
  const metadata = await parts.next();
  const input: MetadataInput = readMetadata(
    parseJsonObject(metadata ? await collectText(metadata.body) : ''),
  );
  const whole = { ...target, input };
  checkUploadTarget(drive, whole);
  const media = await parts.next();
  if (!media) throw badRequest('Multipart body must hold metadata and content.');
  const incoming = await receiveContent(drive, media.body, contextOf(request).effects);
  if (await parts.next()) {
    await drive.content.discard(incoming);
    throw badRequest('Multipart body must hold exactly two parts.');
  }
  return saveUpload(drive, whole, { incoming, mimeType: media.headers.get('content-type') });
}

interface Part {
  headers: Map<string, string>;
  body: AsyncIterable<Buffer>;
}

/** The parts of a body, one after the other; each is read to its end before the next. */
class PartReader {
  private upcoming?: Map<string, string>;

  constructor(private readonly events: AsyncGenerator<RelatedEvent>) {}

  async next(): Promise<Part | undefined> {
    while (!this.upcoming && (await this.data()));
    const headers = this.upcoming;
    if (!headers) return undefined;
    this.upcoming = undefined;
    const encoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary';
    if (encoding === 'base64') return { headers, body: decodeBase64(this.body()) };
    if (!['binary', '8bit', '7bit'].includes(encoding)) {
      throw badRequest(`Unsupported Content-Transfer-Encoding: ${encoding}`);
    }
    return { headers, body: this.body() };
  }

  private async *body(): AsyncGenerator<Buffer> {
    for (let data = await this.data(); data; data = await this.data()) yield data;
  }

  private async data(): Promise<Buffer | undefined> {
    const result = await this.events.next();
    if (result.done) return undefined;
    const { value } = result;
    if ('data' in value) return value.data;
    this.upcoming = value.headers;
    return undefined;
  }
}
