/** Restores, checks and lists snapshots of the drive. A worker thread reads them; this one only transfers files. */
import { checkFolder } from './check';
import { noEntries } from './restore';
import { restoreFolder, stagingIn } from './restore/restore-folder';
import type { SwapContext } from './restore/interrupted-swaps';
import type { WorkFolder } from './restore/work-folder';
import { createPathMatcher } from '../core/globs/path-globs';
import { withRepository } from './backup-snapshot';
import { isComplete } from './restic/select-snapshot';
import {
  type Access,
  type InspectOutcome,
  type ListedSnapshot,
  type ReadEvent,
  type ReadJob,
  type RestoreOutcome,
  type SnapshotCheckRequest,
  type SnapshotCheckResult,
  type SnapshotInfo,
  type SnapshotListRequest,
  type SnapshotQuery,
  type SnapshotRestoreRequest,
  type SnapshotRestoreResult,
  runSnapshotJob,
} from './restic/snapshot-request';
import type { CallOptions } from '../types';
import type { UploadContext } from '../transfer/upload/upload';

interface RestoreContext {
  context: UploadContext;
  swaps: SwapContext;
}

/**
 * @throws `not_found` if no snapshot or no entry matches, `conflict` for a target that isn't empty, `bad_response` for what is
 *   damaged, `invalid_input` for a wrong passphrase, `local_file`, …
 */
export async function restoreSnapshot(
  { context, swaps }: RestoreContext,
  request: SnapshotRestoreRequest,
  call: CallOptions,
): Promise<SnapshotRestoreResult> {
  const { include, stripTop, onEntry, onReserved, path } = request;
  createPathMatcher(include, 'include');
  const emit = (event: ReadEvent): void => {
    report(request, event);
    if ('progress' in event && event.progress) onEntry?.(event.progress);
  };
  const fill = async (work: WorkFolder): Promise<RestoreOutcome> => {
    const job = { work: 'restore', ...(await stagingIn(work)), stripTop } as const;
    const outcome = (await runJob(context, { request, job, emit }, call)) as RestoreOutcome;
    if (include.length > 0 && outcome.progress.entries === 0)
      throw noEntries(outcome.snapshot.shortId, include);
    return outcome;
  };
  const { snapshot, progress, reserved, skipped } = await restoreFolder(swaps, request, fill, call);
  onEntry?.(progress);
  if (reserved.count > 0) onReserved?.(reserved);
  return { path, snapshot, ...incomplete(snapshot), ...progress, ...(skipped.length > 0 && { skipped }) };
}

/**
 * Checks the structure of the whole repository, a part of its packs, and the snapshot.
 * @throws `outdated` if the snapshot is too old, or there is none; `bad_response` with the snapshots and files that are
 *   damaged; `local_file` if `compareWith` is no folder, …
 */
export async function checkSnapshot(
  context: UploadContext,
  request: SnapshotCheckRequest,
  call: CallOptions,
): Promise<SnapshotCheckResult> {
  const { compareWith, readData, maxAge, depth, include, onEntry } = request;
  createPathMatcher(include, 'include');
  if (compareWith !== undefined) await checkFolder(compareWith);
  const { clock } = context.drive;
  const start = clock.monotonic();
  const emit = (event: ReadEvent): void => {
    report(request, event);
    if ('totals' in event && event.totals) onEntry?.(event.totals);
  };
  const job = { work: 'check', compareWith, readData, maxAge, depth } as const;
  const {
    snapshot,
    age = 0,
    inspected,
  } = (await runJob(context, { request, job, emit }, call)) as InspectOutcome;
  const summary = { snapshot, age, ...incomplete(snapshot) };
  if (!inspected) return summary;
  const { totals, differences } = inspected;
  const milliseconds = Math.round(clock.monotonic() - start);
  return { ...summary, ...totals, milliseconds, ...(differences && { differences }) };
}

/** @throws as {@link checkSnapshot} */
export async function listSnapshotEntries(
  context: UploadContext,
  request: SnapshotListRequest,
  call: CallOptions,
): Promise<ListedSnapshot> {
  createPathMatcher(request.include, 'include');
  const emit = async (event: ReadEvent): Promise<void> => {
    if (event.entries) return request.onEntries(event.entries, event.snapshot);
    report(request, event);
    if (event.totals) request.onEntry?.(event.totals);
  };
  const outcome = await runJob(context, { request, job: { work: 'entries' }, emit }, call);
  const { snapshot, inspected } = outcome as InspectOutcome;
  const { entries = 0, bytes = 0 } = inspected?.totals ?? {};
  return { snapshot, entries, bytes };
}

type OwnPart<Job> = Job extends ReadJob ? Omit<Job, 'access' | 'choice' | 'include'> : never;

interface Reading {
  request: SnapshotQuery;
  job: OwnPart<ReadJob>;
  emit: (event: ReadEvent) => void | Promise<void>;
}

async function runJob(
  context: UploadContext,
  { request, job, emit }: Reading,
  call: CallOptions,
): Promise<unknown> {
  const { choice, include } = request;
  const options = { request, mode: 'trash', emit: async (event: ReadEvent) => emit(event) } as const;
  const { result } = await withRepository(context, options, call, (host, access: Access) =>
    runSnapshotJob({ ...job, access, choice, include }, host, call.signal),
  );
  return result;
}

function report({ onProgress }: SnapshotQuery, event: ReadEvent): void {
  if ('fetched' in event && event.fetched !== undefined) onProgress?.(event.fetched, undefined, 0);
}

function incomplete(snapshot: SnapshotInfo): { complete?: false } {
  return isComplete(snapshot) ? {} : { complete: false };
}
