/** Requests the content of a file, or a part of it, and moves it into a sink. RFC 9110 14 */
import { type DriveContext, fileUrl, sharedDriveParams } from '../../drive/drive-context';
import { DriveError, badResponse } from '../../errors';
import type { ByteSink } from '../../core/buffers';
import type { HttpResponse } from '../../http/client';
import { parseContentRange } from '../content-range';
import type { DriveRequest } from '../../http/engine';
import type { CallOptions } from '../../types';
import { type Readable, finished } from 'node:stream';
import { freeChunk, readDirectly } from '../../http/direct-reads';
import type { BandwidthLimiter } from '../../core/bandwidth-limiter';

interface FilePart {
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
    if (end < Infinity && received < end - start) throw truncatedContent();
  });
}

type ContentLocation = Pick<DriveRequest, 'url' | 'query'>;

export function contentUrl({ service }: DriveContext, id: string): ContentLocation {
  return { url: fileUrl(service, id), query: { alt: 'media', ...sharedDriveParams(service) } };
}

/** Requests a whole content without the header `Range`. */
export function contentRequest(content: ContentLocation, { start, end }: FilePart): DriveRequest {
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
export function truncatedContent(): DriveError {
  const reason = 'truncated';
  return new DriveError('network', { text: 'network', params: { reason }, reason, retryable: true });
}

/**
 * Resolves when the sink has stored the whole body. Unlike `stream.pipeline`, it also stores what arrived before an
 * error, so that a download over an unstable connection makes progress with each attempt.
 * @throws the error of the body or of the sink
 */
export async function pump(body: Readable, sink: ByteSink): Promise<void> {
  readDirectly(body, sink);
  body.on('data', (chunk: Buffer) => {
    const wantsMore = sink.write(chunk);
    freeChunk(body, chunk);
    if (wantsMore) return;
    body.pause();
    void sink.drained().then(() => body.resume());
  });
  const error = await new Promise<Error | null | undefined>((resolve) => finished(body, resolve));
  await sink.end();
  if (error) throw error;
}

/**
 * Delays each chunk until the limiter lets it pass, so that {@link pump} stops reading the connection meanwhile.
 * @param signal aborts the wait
 * @returns `sink` itself if the bandwidth is unlimited
 */
export function throttleSink(
  sink: ByteSink,
  bandwidth: BandwidthLimiter,
  signal: AbortSignal | undefined,
): ByteSink {
  if (!bandwidth.isLimited) return sink;
  let lastWrite: Promise<void> = Promise.resolve();
  const writeAfter = async (previous: Promise<void>, chunk: Buffer): Promise<void> => {
    await previous;
    await bandwidth.acquire(chunk.length, signal);
    if (!sink.write(chunk)) await sink.drained();
  };
  return {
    write(chunk) {
      lastWrite = writeAfter(lastWrite, Buffer.from(chunk));
      return false;
    },
    // `end` reports the error of an aborted wait.
    drained: () => lastWrite.catch(() => undefined),
    end: () => lastWrite.finally(() => sink.end()),
  };
}
