/** Requests the content of a file, or a part of it. RFC 9110 14 */
import { type DriveContext, fileUrl, sharedDriveParams } from '../../drive/drive-context';
import { DriveError } from '../../errors';
import type { ByteSink } from '../../core/byte-sink';
import type { HttpResponse } from '../../http/client';
import { parseContentRange } from '../../http/content-range';
import type { DriveRequest } from '../../http/engine';
import { badResponse } from '../../http/json';
import type { CallOptions } from '../../types';
import { pump } from './pump';
import { throttleSink } from './throttle-sink';

export interface FilePart {
  /** First byte. */
  start: number;
  /** The byte after the last; may be infinite. */
  end: number;
}

/**
 * Fetches a part of a file with one request, limited to the bandwidth of the account.
 * @param openSink gets only the bytes of the part, even if the service ignores the range. It may refuse a response
 * @throws `network` if bytes are missing
 */
export function fetchRange(
  drive: DriveContext,
  { id, start, end }: FilePart & { id: string },
  openSink: (response: HttpResponse) => ByteSink,
  call: CallOptions,
): Promise<void> {
  const request = contentRequest(contentUrl(drive, id), { start, end });
  return drive.engine.requestWithoutRetry(request, call, async (response) => {
    const { status, headers, body } = response;
    const sink = openSink(response);
    rejectEncoded(response);
    let position = status === 206 ? (parseContentRange(headers['content-range'])?.start ?? 0) : 0;
    let received = 0;
    const part: ByteSink = {
      write: (chunk) => {
        const wanted = chunk.subarray(Math.max(0, start - position), Math.max(0, end - position));
        position += chunk.length;
        received += wanted.length;
        return wanted.length === 0 || sink.write(wanted);
      },
      drained: () => sink.drained(),
      end: () => sink.end(),
    };
    await pump(body, throttleSink(part, drive.bandwidth, call.signal));
    if (end < Infinity && received < end - start) throw truncated();
  });
}

type Content = Pick<DriveRequest, 'url' | 'query'>;

export function contentUrl({ service }: DriveContext, id: string): Content {
  return { url: fileUrl(service, id), query: { alt: 'media', ...sharedDriveParams(service) } };
}

/** Requests a whole content without the header `Range`. */
export function contentRequest(content: Content, { start, end }: FilePart): DriveRequest {
  const last = Number.isFinite(end) ? end - 1 : '';
  const isPart = (start > 0 || last !== '') && end > start;
  return {
    method: 'GET',
    ...content,
    headers: { 'Accept-Encoding': 'identity', ...(isPart && { Range: `bytes=${start}-${last}` }) },
    redirects: 'anywhere',
  };
}

/** @throws `bad_response` for a compressed content, whose size and checksum would be others */
export function rejectEncoded({ headers }: HttpResponse): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity') throw badResponse('bad_response_encoding');
}

/** A response that ended before all bytes had arrived. */
export function truncated(): DriveError {
  const reason = 'truncated';
  return new DriveError('network', { text: 'network', params: { reason }, reason, retryable: true });
}
