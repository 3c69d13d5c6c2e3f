/** The values that all steps of one upload share, so that no step passes them on one by one. */
import type { DriveContext } from '../api/drive-context';
import type { IdPool } from '../api/id-pool';
import type { BudgetedCall } from '../http/retry';
import type { DriveFile } from '../types';
import type { UploadType } from './choose-upload-type';
import type { ServiceChecksums } from './service-checksums';
import type { SessionLease } from './session-registry';
import type { Source } from './source';
import type { UploadRequest } from './upload-request';

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
