/** The values that all steps of one upload share, so that no step passes them on one by one. */
import type { DriveContext } from '../api/drive-context';
import type { IdPool } from '../api/id-pool';
import type { ConflictPolicy } from '../files/conflict-policy';
import type { BudgetedCall } from '../http/retry';
import type { OnProgress } from '../types';
import type { HashingBody } from './hashing-body';
import type { ResumeState } from './resume-state';
import type { SessionLease } from './session-registry';
import type { Content, Source } from './source';
import type { UploadTarget } from './upload-target';
import type { ServiceChecksums } from './verify';

export interface UploadRequest {
  content: Content;
  /** Name on the drive. */
  name: string;
  /** Folder id; `''` sends no parent, which means the root. */
  folderId: string;
  /** `''`: derived from the name. */
  mimeType: string;
  /** For content from disk: send the file's modification time as `modifiedTime`. */
  keepModifiedTime: boolean;
  /** More file properties such as `description` or `appProperties`; `id`, `name` and `parents` are ignored. */
  metadata: Record<string, unknown>;
  ifExists: ConflictPolicy;
  /** Fields of `file` in the result, which always includes `id`. */
  fields: string;
  onProgress?: OnProgress;
}

export interface UploadJob {
  drive: DriveContext;
  idPool: IdPool;
  checksums: ServiceChecksums;
  request: UploadRequest;
  source: Source;
  /** Undefined if a later run can't resume this upload: small files and data from memory. */
  lease: SessionLease | undefined;
  /** All requests of the upload share one retry budget, which restarts whenever more bytes are sent or stored. */
  call: BudgetedCall;
}

/** One attempt to send the whole content; a checksum mismatch leads to a second one. */
export interface UploadAttempt extends UploadJob {
  target: UploadTarget;
  body: HashingBody;
  /** What an earlier run has stored; undefined to start a new upload. */
  resumeState: ResumeState | undefined;
}
