/** The values that all steps of one attempt to send the content share. */
import type { HashingBody } from './hashing-body';
import type { ResumeState, UploadJob } from './upload-job';
import type { UploadBody } from './upload-body';
import type { UploadTarget } from './upload-target';

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
