/** The values that all steps of one upload, and of each attempt to send its content, share. */
import type { DriveContext } from '../../drive/drive-context';
import type { IdPool } from '../../drive/id-pool';
import type { BudgetedCall } from '../../http/retry';
import type { DriveFile } from '../../types';
import type { UploadType } from './choose-upload-type';
import type { ServiceChecksums } from './service-checksums';
import type { SessionLease } from './session-registry';
import type { Source } from './source';
import type { HashingBody } from './hashing-body';
import type { UploadBody } from './upload-body';
import type { UploadRequest } from './upload-request';
import type { UploadTarget } from './upload-target';

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
