/** The values that all steps of one upload, and of each attempt to send its content, share. */
import type { DriveContext } from '../../drive/drive-context';
import type { IdPool } from '../../drive/idempotent-create';
import type { BudgetedCall } from '../../http/retry';
import type { DriveFile } from '../../types';
import type { UploadType } from './multipart';
import type { SessionLease } from './session-registry';
import type { Source } from './source';
import type { HashingBody } from './hashing-body';
import type { UploadRequest } from './upload-request';
import type { UploadTarget } from './upload-target';
import { type ChecksumAlgorithm, checksumAlgorithm } from '../../drive/checksums';
import type { BodySource } from '../../http/client';

export interface UploadJob {
  drive: DriveContext;
  idPool: IdPool;
  checksums: ServiceChecksums;
  request: UploadRequest;
  source: Source;
  uploadType: UploadType;
  /** Undefined if a later run can't resume this upload: small files and data from memory. */
  lease: SessionLease | undefined;
  /** All requests of the upload share one retry budget, which restarts whenever more bytes are sent or stored. */
  call: BudgetedCall;
}

/** What an earlier run has stored: the complete file, or the first `stored` bytes of it. */
export type ResumeState = { file: DriveFile } | { sessionUrl: string; stored: number };

/** One attempt to send the whole content. A checksum mismatch causes a second one. */
export interface UploadAttempt extends UploadJob {
  target: UploadTarget;
  body: HashingBody;
  /** Undefined to start a new upload. */
  resumeState: ResumeState | undefined;
}

/** What sending content in a session needs of an attempt. */
export interface SessionAttempt extends Pick<
  UploadAttempt,
  'drive' | 'target' | 'lease' | 'resumeState' | 'call'
> {
  body: UploadBody;
}

export interface UploadBody {
  /** Bytes of the whole content; undefined for a stream until its last request. */
  readonly length: number | undefined;
  /** The bytes before this were released and can't be sent again: 0 for content that can be read repeatedly. */
  readonly released: number;
  /** The end of the bytes that are known so far. The service can't have stored more. */
  readonly end: number;
  /** True once the whole content has been handed to a socket. */
  readonly wasSent: boolean;
  /** How far the current request has got: everything before was handed to the socket. */
  readonly position: number;
  /**
   * Makes the bytes from `start` available. The service has stored those before, so a stream releases them.
   * @param limit the highest end of the request
   * @returns the end of the request. Unless it is the end of the content, the length is a multiple of 256 KiB.
   */
  prepare(start: number, limit: number): Promise<number>;
  /** The bytes from `start` up to `end`, which {@link prepare} has returned. */
  from(start: number, range: { end: number }): BodySource;
  /** @returns the checksum of the whole content */
  digest(algorithm: ChecksumAlgorithm): Promise<string>;
}

/**
 * The checksums that the service returns, learned from its responses. Hashing limits the speed of a transfer, so only
 * the algorithm that will be compared is computed; both until a response has shown which.
 */
export class ServiceChecksums {
  private known: readonly ChecksumAlgorithm[] = ['sha256', 'md5'];

  get algorithms(): readonly ChecksumAlgorithm[] {
    return this.known;
  }

  learn(file: DriveFile): void {
    const algorithm = checksumAlgorithm(file);
    if (algorithm) this.known = [algorithm];
  }
}
