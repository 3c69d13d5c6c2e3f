/**
 * Fetches the content of a file into a destination and verifies its checksum. Interrupted responses are continued.
 * https://developers.google.com/workspace/drive/api/guides/manage-downloads
 */
import { DriveError, isDriveError } from '../../errors';
import { verifyChecksum, verifySize, type RunningHash } from '../../drive/checksums';
import type { DriveContext } from '../../drive/drive-context';
import type { HttpResponse, ResponseHeaders } from '../../http/client';
import { parseContentRange } from '../content-range';
import type { DriveRequest } from '../../http/engine';
import { observedTransfer } from '../../http/observer';
import type { BudgetedCall } from '../../http/retry';
import type { DriveFile } from '../../types';
import { isExportTooLarge, mapLinkError, rejectSignInPage, exportRequest } from './workspace-export';
import {
  pump,
  contentRequest,
  contentUrl,
  rejectEncoded,
  truncatedContent,
  throttleSink,
} from './fetch-range';
import { type DownloadRequest, type DownloadFile, getDownloadFile, isSameContent } from './download-file';
import type { ByteSink } from '../../core/buffers';

/** @returns the file: its metadata, or what the headers contain if the service has no metadata requests */
export async function fetchContent(
  drive: DriveContext,
  request: DownloadRequest,
  transfer: { remote: DownloadFile; destination: Destination },
  call: BudgetedCall,
): Promise<DriveFile> {
  const fetching = new ContentFetch(drive, request, transfer, call);
  const fetch = (): Promise<DriveFile> => drive.engine.retry(() => fetching.attempt(), call);
  const bytes = (): number => transfer.destination.position;
  return observedTransfer(drive.engine.observe, 'download', bytes, fetch);
}

const TOO_LONG = new Error('more bytes than the size in the metadata');

class ContentFetch {
  private remote: DownloadFile;
  private readonly destination: Destination;
  private acknowledgeAbuse = false;
  private useExportLink = false;
  private isFirstAttempt = true;
  /** The last response was complete but shorter than the size in the metadata, which may be outdated. */
  private wasTruncated = false;
  private hasRefetched = false;
  /** Bytes that an earlier run has fetched. */
  private resumed: number;
  /** The highest position fetched so far. Only bytes beyond it are progress, which restarts the retry budget. */
  private furthest: number;

  constructor(
    private readonly drive: DriveContext,
    private readonly request: DownloadRequest,
    { remote, destination }: { remote: DownloadFile; destination: Destination },
    private readonly call: BudgetedCall,
  ) {
    this.remote = remote;
    this.destination = destination;
    this.resumed = this.furthest = destination.position;
  }

  /** Resumes after the stored bytes if the content is unchanged, fetches the rest and verifies the whole content. */
  async attempt(): Promise<DriveFile> {
    if (!(await this.canContinue())) await this.restart();
    if (!this.isComplete) await this.fetchRest();
    try {
      this.verify();
    } catch (error) {
      await this.restartAfterMismatch(error);
      return this.attempt();
    }
    return this.remote.file;
  }

  private async canContinue(): Promise<boolean> {
    const isFirst = this.isFirstAttempt;
    this.isFirstAttempt = false;
    const { hasMetadata } = this.remote;
    if (!hasMetadata || (this.destination.position === 0 && !this.wasTruncated)) return false;
    if (isFirst) this.reportProgress();
    return isFirst || !(await this.hasChanged());
  }

  private async restart(): Promise<void> {
    const hadBytes = this.destination.position > 0;
    await this.destination.restart(this.remote);
    this.resumed = 0;
    if (hadBytes) this.reportProgress();
  }

  /** Requests the metadata again. @returns false only if the content is certainly the same */
  private async hasChanged(): Promise<boolean> {
    const previous = this.remote;
    this.remote = await getDownloadFile(this.drive, this.request, this.call);
    this.wasTruncated = false;
    return !isSameContent(previous, this.remote);
  }

  private get isComplete(): boolean {
    const { position } = this.destination;
    return position > 0 && position === this.remote.size;
  }

  private async fetchRest(): Promise<void> {
    try {
      await this.requestContent();
    } catch (error) {
      if (this.mayAcknowledgeAbuse(error)) this.acknowledgeAbuse = true;
      else if (this.mayUseExportLink(error)) this.useExportLink = true;
      else throw this.useExportLink ? mapLinkError(error) : error;
      await this.fetchRest();
    }
  }

  private mayAcknowledgeAbuse(error: unknown): boolean {
    const isAbusive = isDriveError(error) && error.reason === 'cannotDownloadAbusiveFile';
    return isAbusive && this.request.acknowledgeAbuse && !this.acknowledgeAbuse;
  }

  private mayUseExportLink(error: unknown): boolean {
    return isExportTooLarge(error) && this.remote.exportLink !== undefined && !this.useExportLink;
  }

  private requestContent(): Promise<void> {
    const { position } = this.destination;
    return this.drive.engine.requestWithoutRetry(
      {
        ...contentRequest(this.contentUrl(), { start: position, end: Infinity }),
        acceptedStatuses: position > 0 ? [416] : [],
      },
      this.call,
      (response) => this.receive(response),
    );
  }

  private contentUrl(): Pick<DriveRequest, 'url' | 'query'> {
    const id = this.remote.targetId ?? this.request.id;
    const { exportMimeType, exportLink } = this.remote;
    if (this.useExportLink && exportLink !== undefined) return { url: exportLink };
    if (exportMimeType !== undefined) return exportRequest(this.drive, id, exportMimeType);
    const { url, query } = contentUrl(this.drive, id);
    return { url, query: this.acknowledgeAbuse ? { ...query, acknowledgeAbuse: true } : query };
  }

  private async receive(response: HttpResponse): Promise<void> {
    const { status, headers, body } = response;
    rejectEncoded(response);
    if (this.useExportLink) rejectSignInPage(response);
    if (status === 416 || (status === 206 && !this.isExpectedRange(headers['content-range']))) {
      await this.restart();
      throw badRange(status);
    }
    // The service has ignored the range and sends the whole content.
    if (status !== 206 && this.destination.position > 0) await this.restart();
    if (!this.remote.hasMetadata) {
      const file = fileFromHeaders(this.request.id, headers);
      this.remote = { ...this.remote, file, size: file.size === undefined ? undefined : Number(file.size) };
      await this.restart();
    }
    await this.store(body);
  }

  private isExpectedRange(header: string | undefined): boolean {
    const range = parseContentRange(header);
    const { size } = this.remote;
    return (
      range?.start === this.destination.position && (size === undefined || (range.total ?? size) === size)
    );
  }

  private async store(body: HttpResponse['body']): Promise<void> {
    const { destination } = this;
    const { size } = this.remote;
    const onWritten = (): void => {
      if (destination.position > this.furthest) {
        this.furthest = destination.position;
        this.call.budget.restart();
      }
      this.reportProgress();
      // The body may be endless. `verify` reports the wrong size.
      if (size !== undefined && destination.position > size) body.destroy(TOO_LONG);
    };
    const sink = destination.openSink({ onWritten, onError: (error) => void body.destroy(error) });
    await pump(body, throttleSink(sink, this.drive.bandwidth, this.call.signal)).catch((error: unknown) => {
      if (error !== TOO_LONG) throw error;
    });
    if (size !== undefined && destination.position < size) {
      this.wasTruncated = true;
      throw truncatedContent();
    }
  }

  private reportProgress(): void {
    this.request.onProgress?.(this.destination.position, this.remote.size, this.resumed);
  }

  /** @throws `checksum_mismatch` */
  private verify(): void {
    const { file, algorithm, exportMimeType } = this.remote;
    // The size of a Workspace document isn't the size of its exports.
    if (exportMimeType !== undefined) return;
    verifySize(file, this.destination.position);
    if (algorithm) verifyChecksum(file, algorithm, this.destination.hash.digest(algorithm) ?? '');
  }

  /**
   * Prepares to fetch the content once more from the first byte.
   * @throws the second mismatch; it is retryable if the file on the drive has changed in the meantime
   */
  private async restartAfterMismatch(error: unknown): Promise<void> {
    if (!isDriveError(error, 'checksum_mismatch') || !this.remote.hasMetadata) throw error;
    const hasChanged = await this.hasChanged();
    if (this.hasRefetched && !hasChanged) throw error;
    await this.restart();
    if (this.hasRefetched) throw error.with({ retryable: true });
    this.hasRefetched = true;
    this.furthest = 0;
  }
}

function badRange(status: number): DriveError {
  return new DriveError('bad_response', {
    text: 'bad_response_range',
    params: { status },
    status,
    retryable: true,
  });
}

export interface Destination {
  /** Bytes stored, counted from the start of the content. More than 0 at first if an earlier run is resumed. */
  readonly position: number;
  /** Discards what is stored. @param remote the content that follows. @throws `too_large`, `local_file` */
  restart(remote: DownloadFile): Promise<void>;
  /** Appends at {@link position}. */
  openSink(events: SinkEvents): ByteSink;
  /** Of the stored bytes, with the algorithm of the file. */
  readonly hash: RunningHash;
}

export interface SinkEvents {
  /** {@link Destination.position} has increased. */
  onWritten(): void;
  /** The sink has failed and ignores further chunks. */
  onError(error: Error): void;
}

/** @returns the id, and the `name`, `mimeType` and `size` that the headers contain */
export function fileFromHeaders(id: string, headers: ResponseHeaders): DriveFile {
  const name = fileNameFrom(headers['content-disposition']);
  const mimeType = headers['content-type']?.split(';')[0]?.trim();
  const size = headers['content-length'];
  const isSize = size !== undefined && /^\d{1,15}$/.test(size);
  return { id, ...(name && { name }), ...(mimeType && { mimeType }), ...(isSize && { size }) };
}

/** `filename*` takes precedence over `filename`: RFC 6266 4.3. */
export function fileNameFrom(disposition: string | undefined): string | undefined {
  if (disposition === undefined) return undefined;
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]*)/i.exec(disposition)?.[1];
  const decoded = extended === undefined ? undefined : percentDecoded(extended);
  if (decoded) return decoded;
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/i.exec(disposition);
  const name = plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2];
  return name ? latin1ToUtf8(name) : undefined;
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Node decodes headers as Latin-1, but many services send UTF-8. */
function latin1ToUtf8(text: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'));
  } catch {
    return text;
  }
}
