/** An upload from its beginning to its end: when it may begin, what it is to do, and that it does it. */
import { DriveError } from '../errors';
import { onlyFields, withFields } from '../api/fields';
import { type ConflictPolicy, nameLockKey } from '../files/conflict-policy';
import type { NameLock } from '../files/name-lock';
import type { Semaphore } from '../concurrency/semaphore';
import type { CallOptions, DriveFile, OnProgress } from '../types';
import { type SessionRegistry, sessionKey } from './session-registry';
import { MULTIPART_LIMIT } from './multipart';
import { planOf } from './plan';
import { type NewContent, mediaType } from './file-metadata';
import { type SendContext, sendAndProve } from './send';
import { openSource } from './source';

export type { Content } from './source';

export interface Upload extends NewContent {
  ifExists: ConflictPolicy;
  /** Fields of `file` in the result, which always has its id. */
  fields: string;
  onProgress?: OnProgress;
}

export interface Uploaded {
  file: DriveFile;
  /** A file was made, as opposed to replaced or skipped. */
  created: boolean;
  skipped: boolean;
}

/** What uploads of one account share. */
export interface UploadContext extends SendContext {
  /** Transfers at once. Who waits for its turn takes none. */
  places: Semaphore;
  turns: NameLock;
  sessions: SessionRegistry;
}

/**
 * Goes on with what an earlier run, of this process or another, has left of the same upload from disk.
 * @throws `invalid_input`, `local_file` (also for a file that changed while it was read), `conflict`,
 * `checksum_mismatch`, `quota_exceeded`, …
 */
export async function upload(context: UploadContext, request: Upload, call: CallOptions): Promise<Uploaded> {
  if (request.name === '') throw new DriveError('invalid_input', { text: 'invalid_input_empty_name' });
  mediaType(request);
  const { turns, places, drive } = context;
  const work = (): Promise<Uploaded> => places.run(() => inPlace(context, request, call), call.signal);
  if (request.ifExists === 'duplicate') return work();
  return turns.run(nameLockKey(drive.service, request), work, call.signal);
}

async function inPlace(context: UploadContext, request: Upload, call: CallOptions): Promise<Uploaded> {
  const { drive, sessions } = context;
  const fields = withFields(request.fields, ['id']);
  const source = await openSource(request.content);
  const key = source.length > MULTIPART_LIMIT ? sessionKey(drive.service, request, source) : undefined;
  const claim = key === undefined ? undefined : sessions.claim(key);
  try {
    const plan = await planOf(drive, { request, source, claim }, call);
    if (plan.action === 'skip') {
      return { file: onlyFields(plan.file, fields), created: false, skipped: true };
    }
    const file = await sendAndProve(context, { request, source, claim, plan }, call);
    return { file: onlyFields(file, fields), created: plan.action === 'create', skipped: false };
  } finally {
    claim?.release();
    await source.close();
  }
}
