/**
 * Fetches a content into a sink, whatever breaks on the way, and proves that it is the right one.
 * https://developers.google.com/workspace/drive/api/guides/manage-downloads
 */
import { DriveError, isDriveError } from '../errors';
import { type ChecksumAlgorithm, verifyChecksum, verifySize } from '../api/checksums';
import { type DriveContext, fileUrl, sharedDriveParams } from '../api/drive-context';
import type { HttpResponse } from '../http/client';
import { badResponse } from '../http/json';
import { parseContentRange, rangeFrom } from '../http/content-range';
import type { DriveRequest } from '../http/engine';
import type { CallOptions, DriveFile } from '../types';
import { fileFromHeaders } from './content-headers';
import { isTooLarge, linkRefusal, refusePage } from './export-link';
import type { ByteSink, IntakeEvents } from './byte-sink';
import { throttle } from './throttle';
import { exportRequest } from './workspace-export';
import { pump } from './pump';
import { type DownloadRequest, type RemoteFile, isSameContent, remoteFile } from './remote-file';

/** Where a content goes. */
export interface ContentSink {
  /** Bytes it holds, from the content's beginning; at first what an earlier run had left of the same content. */
  readonly position: number;
  /** Forgets what it holds. @param remote what is to come. @throws `too_large` */
  begin(remote: RemoteFile): Promise<void>;
  /** Takes what follows. At its end everything it took is counted in `position`. */
  open(events: IntakeEvents): ByteSink;
  /** Of what it holds. */
  digest(algorithm: ChecksumAlgorithm): string | undefined;
}

/** @returns the file: its metadata, or where the service has none what the headers say */
export async function fetchContent(
  drive: DriveContext,
  request: DownloadRequest,
  transfer: { remote: RemoteFile; sink: ContentSink },
  call: CallOptions,
): Promise<DriveFile> {
  const budgeted = drive.engine.withRetryBudget(call);
  const fetching = new Fetching(drive, request, transfer, budgeted);
  return drive.engine.retry(({ budget }) => fetching.attempt(() => budget.restart()), budgeted);
}

const TOO_LONG = new Error('longer than its size');

class Fetching {
  private remote: RemoteFile;
  private readonly sink: ContentSink;
  private acknowledgeAbuse = false;
  /** The export is larger than the service gives out itself. */
  private byLink = false;
  private begun: boolean;
  /** What is known of the file has only just been asked for. */
  private isFresh = true;
  /** A content ended before its size, and nothing on the line had said so: the size may be wrong. */
  private endedEarly = false;
  /** Bytes in the sink that an earlier run has fetched. */
  private resumed: number;
  /** Position that was never reached before: only what goes beyond is progress. */
  private furthest: number;

  constructor(
    private readonly drive: DriveContext,
    private readonly request: DownloadRequest,
    transfer: { remote: RemoteFile; sink: ContentSink },
    private readonly call: CallOptions,
  ) {
    this.remote = transfer.remote;
    this.sink = transfer.sink;
    this.resumed = this.furthest = this.sink.position;
    this.begun = this.resumed > 0;
  }

  async attempt(progressed: () => void): Promise<DriveFile> {
    if (this.isFresh && this.begun) this.tellProgress();
    try {
      return await this.goOn(progressed);
    } catch (error) {
      if (this.resumed === 0 || !isDriveError(error, 'checksum_mismatch')) throw error;
      // Where the power had failed, what an earlier run has left may have holes.
      this.begun = false;
      this.furthest = 0;
      return this.goOn(progressed);
    }
  }

  private async goOn(progressed: () => void): Promise<DriveFile> {
    const isCurrent = this.begun && (this.isFresh || (await this.isUnchanged()));
    this.isFresh = false;
    if (!isCurrent) await this.beginAnew();
    if (this.sink.position > 0 && this.sink.position === this.remote.size) return this.verified();
    try {
      return await this.fetch(progressed);
    } catch (error) {
      if (this.mayAcknowledge(error)) this.acknowledgeAbuse = true;
      else if (this.mayFollowLink(error)) this.byLink = true;
      else throw this.byLink ? linkRefusal(error) : error;
      return this.goOn(progressed);
    }
  }

  private async beginAnew(): Promise<void> {
    await this.sink.begin(this.remote);
    this.begun = true;
    this.resumed = 0;
  }

  /** Only parts of the same content may be put together. */
  private async isUnchanged(): Promise<boolean> {
    if (!this.remote.isKnown || (this.sink.position === 0 && !this.endedEarly)) return false;
    this.endedEarly = false;
    const now = await remoteFile(this.drive, this.request, this.call);
    const isSame = isSameContent(this.remote, now);
    this.remote = now;
    return isSame;
  }

  private mayAcknowledge(error: unknown): boolean {
    const isAbusive = isDriveError(error) && error.reason === 'cannotDownloadAbusiveFile';
    return isAbusive && this.request.acknowledgeAbuse && !this.acknowledgeAbuse;
  }

  private mayFollowLink(error: unknown): boolean {
    return isTooLarge(error) && this.remote.exportLink !== undefined && !this.byLink;
  }

  private fetch(progressed: () => void): Promise<DriveFile> {
    const { position } = this.sink;
    return this.drive.engine.requestOnce(
      {
        method: 'GET',
        ...this.address(),
        headers: {
          'Accept-Encoding': 'identity',
          ...(position > 0 ? { Range: rangeFrom(position) } : {}),
        },
        redirects: 'anywhere',
        acceptedStatuses: position > 0 ? [416] : [],
      },
      this.call,
      (response) => this.take(response, progressed),
    );
  }

  private address(): Pick<DriveRequest, 'url' | 'query'> {
    const { service } = this.drive;
    const { id } = this.request;
    const { exportAs, exportLink } = this.remote;
    if (this.byLink && exportLink !== undefined) return { url: exportLink };
    if (exportAs !== undefined) return exportRequest(this.drive, id, exportAs);
    const abuse = this.acknowledgeAbuse ? { acknowledgeAbuse: true } : {};
    return { url: fileUrl(service, id), query: { alt: 'media', ...abuse, ...sharedDriveParams(service) } };
  }

  private async take(response: HttpResponse, progressed: () => void): Promise<DriveFile> {
    const { status, headers, body } = response;
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') throw badResponse('bad_response_encoding');
    if (this.byLink) refusePage(response);
    if (status === 206) await this.checkPart(headers['content-range']);
    else if (status === 416) await this.refusePart(status);
    else if (this.sink.position > 0) await this.beginAnew();
    if (!this.remote.isKnown) {
      const file = fileFromHeaders(this.request.id, headers);
      this.remote = { ...this.remote, file, size: file.size === undefined ? undefined : Number(file.size) };
      await this.beginAnew();
    }
    await this.write(body, progressed);
    return this.verified();
  }

  private async write(body: HttpResponse['body'], progressed: () => void): Promise<void> {
    const { sink } = this;
    const onBytes = (): void => {
      if (sink.position > this.furthest) {
        this.furthest = sink.position;
        progressed();
      }
      this.tellProgress();
      // More than there is to come may come for ever; what is wrong with it is said below.
      if (this.remote.size !== undefined && sink.position > this.remote.size) body.destroy(TOO_LONG);
    };
    const onFailure = (error: Error): void => void body.destroy(error);
    const to = throttle(sink.open({ onBytes, onFailure }), this.drive.bandwidth, this.call.signal);
    await pump(body, to).catch((error: unknown) => {
      if (error !== TOO_LONG) throw error;
    });
    if (this.remote.size !== undefined && sink.position < this.remote.size) {
      this.endedEarly = true;
      throw new DriveError('network', {
        params: { reason: 'truncated' },
        reason: 'truncated',
        retryable: true,
      });
    }
  }

  private tellProgress(): void {
    this.request.onProgress?.(this.sink.position, this.remote.size, this.resumed);
  }

  private async checkPart(header: string | undefined): Promise<void> {
    const span = parseContentRange(header);
    const { position } = this.sink;
    const { size } = this.remote;
    const fits = span?.start === position && (size === undefined || (span.total ?? size) === size);
    if (!fits) await this.refusePart(206);
  }

  /** The service has another idea of the content than its metadata: from the beginning, without a range. */
  private async refusePart(status: number): Promise<never> {
    await this.beginAnew();
    throw new DriveError('bad_response', {
      text: 'bad_response_range',
      params: { status },
      status,
      retryable: true,
    });
  }

  private async verified(): Promise<DriveFile> {
    const { file, algorithm, isKnown, exportAs } = this.remote;
    // The document has a size, too, which is not that of its exports.
    if (exportAs !== undefined) return file;
    try {
      verifySize(file, this.sink.position);
      if (algorithm) verifyChecksum(file, algorithm, this.sink.digest(algorithm) ?? '');
      return file;
    } catch (error) {
      if (!isKnown || !isDriveError(error)) throw error;
      const wasChanged = !(await this.isUnchanged());
      this.begun = false;
      // What came may be the newer content that somebody has just put there: then it is fetched anew.
      const { code, text, params } = error;
      throw new DriveError(code, { text, params, retryable: wasChanged });
    }
  }
}
