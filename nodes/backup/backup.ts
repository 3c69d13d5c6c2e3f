/**
 * backup: uploads folders and files on disk as one archive, or stores what has changed as a snapshot, and removes old
 * ones by retention rules.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads
 */
import { hostname, tmpdir } from 'node:os';
import type { NodeAPI } from 'node-red';
import { type BackupRequest, type BackupResult, Calendar, checkBackup } from '../../src/index';
import { parseRecipients } from '../shared/contract/backup-settings';
import { FILE_FIELDS } from '../shared/contract/defaults';
import { flowNode } from '../shared/runtime/flow-node';
import { machineName } from '../shared/runtime/node-red-state';
import { type RunContext, randomDelay } from '../shared/runtime/run-context';
import { readRetentionRules } from '../shared/runtime/repository-access';
import { registerBackupRoutes } from './backup-routes';
import { type BackupConfig, DEFAULTS } from './backup.defaults';
import { backupSnapshot } from './snapshot';
import { acceptsChange, readSources, resolveTarget, trackBackup, warnOfSkipped, withMarks } from './sources';

export default (RED: NodeAPI): void => {
  registerBackupRoutes(RED);
  flowNode<BackupConfig>(RED, {
    type: 'cloud-drive-backup',
    // With an outdated folder id, the archive would be stored, and others removed, in the wrong folder.
    bypassCache: () => true,
    defaults: DEFAULTS,
    credentials: { passphrase: { type: 'password' } },
    async run(context) {
      const format = context.inputs.oneOf('format', ['archive', 'snapshot']);
      if (format === 'snapshot') return backupSnapshot(RED, context);
      const { client, inputs, call, results } = context;
      const request = await readRequest(RED, context);
      const folder = inputs.idOrPath('folder', 'folder', await inputs.value('folder'));
      // Before the first request, so that a wrong setting creates no folder.
      await checkBackup(request);
      await randomDelay(inputs.nonNegative('jitter'), call);
      const { folderId, isNew } = await resolveTarget(context, folder);

      const { onProgress, finish, sent } = trackBackup(context);
      const result = await client.backup({ ...request, folderId, onProgress }, call);
      finish(result.file);
      setResult(context, result);
      if (result.laterError) throw result.laterError;
      context.send(context.msg);
      const text = results.transferred(result.file, sent());
      const { skipped } = result.backup;
      return withMarks(context, text, { skipped: skipped.length, otherSeries: result.otherSeries, isNew });
    },
  });
};

type Request = Omit<BackupRequest, 'folderId' | 'onProgress'>;

async function readRequest(RED: NodeAPI, context: RunContext<BackupConfig>): Promise<Request> {
  const { inputs } = context;
  return {
    sources: await readSources(context),
    targetName: await inputs.text('targetName'),
    exclude: inputs.lines('exclude'),
    compression: inputs.oneOf('compression', ['gzip', 'none']),
    encryption: readEncryption(context),
    retention: readRetentionRules(inputs),
    mode: inputs.oneOf<'trash' | 'permanent'>('mode', ['trash', 'permanent']),
    calendar: new Calendar(''),
    host: hostname(),
    machine: machineName(RED, hostname()),
    acceptChange: acceptsChange(context),
    temporaryFolder: tmpdir(),
    fields: FILE_FIELDS,
  };
}

/**
 * @throws `not_configured` for a passphrase from an environment variable that isn't set. The backup refuses one that is
 *   empty: see src/backup/archive/age.ts. For snapshots: nodes/shared/runtime/repository-access.ts.
 */
function readEncryption({ inputs }: RunContext<BackupConfig>): BackupRequest['encryption'] {
  const encryption = inputs.oneOf('encryption', ['none', 'passphrase', 'recipients']);
  if (encryption === 'passphrase') return { passphrase: inputs.passphrase('passphrase') ?? '' };
  if (encryption === 'none') return undefined;
  return { recipients: parseRecipients(inputs.settingText('recipients')) };
}

/** Also for an archive that exists although removing older ones failed. */
function setResult(
  context: RunContext<BackupConfig>,
  { file, backup, pruned, otherSeries: count }: BackupResult,
): void {
  const { msg, errorSummary } = context;
  const { skipped } = backup;
  msg.payload = file;
  msg['backup'] = { ...backup, skipped: skipped.map((each) => each.path) };
  const failed = pruned.failed.map(({ file: old, error }) => ({ ...old, error: errorSummary(error) }));
  msg['pruned'] = { ...pruned, failed };
  warnOfSkipped(context, skipped);
  if (count > 0) context.warn('backup_other_series', { count });
}
