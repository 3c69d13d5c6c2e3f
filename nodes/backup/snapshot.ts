/** The format `snapshot` of the backup node: stores what has changed since the last run in a repository. */
import type { NodeAPI } from 'node-red';
import {
  Calendar,
  type SnapshotBackupRequest,
  type SnapshotBackupResult,
  checkSnapshotBackup,
} from '../../src/index';
import { tagProblem } from '../shared/contract/backup-settings';
import type { Inputs } from '../shared/runtime/inputs';
import { type RunContext, randomDelay } from '../shared/runtime/run-context';
import { readRetentionRules, repositoryAccess } from '../shared/runtime/repository-access';
import type { Outcome } from '../shared/runtime/status';
import { type BackupConfig, DEFAULTS } from './backup.defaults';
import { shortList } from '../shared/runtime/value-summary';
import { acceptsChange, readSources, resolveTarget, trackBackup, warnOfSkipped, withMarks } from './sources';

type Context = RunContext<BackupConfig>;

/** @throws `partial_failure` also for a snapshot that exists */
export async function backupSnapshot(RED: NodeAPI, context: Context): Promise<Outcome> {
  const { client, inputs, call, results } = context;
  const request = await readRequest(RED, context);
  const folder = inputs.idOrPath('folder', 'folder', await inputs.value('folder'));
  // Before the first request, so that a wrong setting creates no folder.
  await checkSnapshotBackup(request);
  await randomDelay(inputs.nonNegative('jitter'), call);
  const { folderId, isNew } = await resolveTarget(context, folder);

  const { onProgress, finish } = trackBackup(context);
  const result = await client.backupSnapshot({ ...request, folderId, folderName: folder, onProgress }, call);
  finish(result.snapshot);
  setResult(context, result);
  if (result.laterError) throw result.laterError;
  context.send(context.msg);
  const { entries, uploadedBytes, skipped } = result.backup;
  const text = results.uploaded(entries, uploadedBytes);
  return withMarks(context, text, { skipped: skipped.length, isNew });
}

async function readRequest(
  RED: NodeAPI,
  context: Context,
): Promise<Omit<SnapshotBackupRequest, 'folderId' | 'folderName' | 'onProgress'>> {
  const { inputs } = context;
  return {
    ...repositoryAccess(RED, context),
    sources: await readSources(context),
    exclude: inputs.lines('exclude'),
    tags: readTags(inputs),
    acceptChange: acceptsChange(context),
    packSize: inputs.inRange('packSize', [4, 128], Number(DEFAULTS.packSize)),
    maxUnused: inputs.inRange('maxUnused', [0, 100], Number(DEFAULTS.maxUnused)),
    retention: readRetentionRules(inputs),
    mode: inputs.oneOf<'trash' | 'permanent'>('mode', ['trash', 'permanent']),
    calendar: new Calendar(''),
  };
}

/** @throws `invalid_input` for a tag that restic or retention would misunderstand */
function readTags(inputs: Inputs): string[] {
  const tags = inputs.lines('tags');
  const problem = tagProblem(tags);
  if (!problem) return tags;
  const text =
    problem.kind === 'comma' ? 'invalid_input_snapshot_tag_comma' : 'invalid_input_snapshot_tag_reserved';
  throw inputs.invalid(text, 'tags', tags, { tag: problem.tag });
}

/** Also for a snapshot that exists although removing older ones failed. */
function setResult(context: Context, result: SnapshotBackupResult): void {
  const { snapshot, backup, pruned, damagedPacks: count, duplicateFolders } = result;
  const { msg, errorSummary } = context;
  msg.payload = snapshot;
  msg['backup'] = { ...backup, skipped: backup.skipped.map((each) => each.path) };
  const failed = pruned.failed.map(({ snapshot: old, error }) => ({ ...old, error: errorSummary(error) }));
  msg['pruned'] = { ...pruned, failed };
  warnOfSkipped(context, backup.skipped);
  if (count > 0) context.warn('repository_damaged', { count });
  if (duplicateFolders.length > 0)
    context.warn('repository_duplicate_folders', { folders: shortList(duplicateFolders) });
}
