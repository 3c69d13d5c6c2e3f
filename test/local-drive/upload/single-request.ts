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
 * `uploadType=multipart`: a part with the metadata as JSON, then one with the content.
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
  const targetWithInput = { ...target, input };
  checkUploadTarget(drive, targetWithInput);
  const media = await parts.next();
  if (!media) throw badRequest('A multipart body must contain metadata and content.');
  const incoming = await receiveContent(drive, media.body, contextOf(request).effects);
  if (await parts.next()) {
    await drive.content.discard(incoming);
    throw badRequest('A multipart body must contain exactly two parts.');
  }
  return saveUpload(drive, targetWithInput, { incoming, mimeType: media.headers.get('content-type') });
}

interface Part {
  headers: Map<string, string>;
  body: AsyncIterable<Buffer>;
}

/** Reads the parts of a body in order; the rest of a part is skipped by `next`. */
class PartReader {
  private nextHeaders?: Map<string, string>;

  constructor(private readonly events: AsyncGenerator<RelatedEvent>) {}

  async next(): Promise<Part | undefined> {
    while (!this.nextHeaders && (await this.data()));
    const headers = this.nextHeaders;
    if (!headers) return undefined;
    this.nextHeaders = undefined;
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
    this.nextHeaders = value.headers;
    return undefined;
  }
}
