/**
 * backup: uploads folders and files on disk as one archive, and removes old archives by retention rules.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads
 */
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import type { NodeAPI } from 'node-red';
import {
  type BackupProgress,
  type BackupRequest,
  type BackupResult,
  Calendar,
  checkBackup,
} from '../../src/index';
import { parseRecipients } from '../shared/contract/age-keys';
import { FILE_FIELDS } from '../shared/contract/file-fields';
import { flowNode } from '../shared/runtime/flow-node';
import { randomDelay } from '../shared/runtime/random-delay';
import { readRetentionRules } from '../shared/runtime/retention-rules';
import type { RunContext } from '../shared/runtime/run-context';
import { shortList } from '../shared/runtime/short-list';
import { registerBackupRoutes } from './backup-routes';
import { type BackupConfig, DEFAULTS } from './backup.defaults';

export default (RED: NodeAPI): void => {
  registerBackupRoutes(RED);
  flowNode<BackupConfig>(RED, {
    type: 'cloud-drive-backup',
    // With an outdated folder id, the archive would be stored, and others removed, in the wrong folder.
    bypassCache: () => true,
    defaults: DEFAULTS,
    credentials: { passphrase: { type: 'password' } },
    async run(context) {
      const { client, inputs, call, results } = context;
      const createMissing = inputs.flag('createFolders');
      const request = await readRequest(context);
      const folder = inputs.idOrPath('folder', 'folder', await inputs.value('folder'));
      // Before the first request, so that a wrong setting creates no folder.
      await checkBackup(request);
      await randomDelay(inputs.nonNegative('jitter'), call);
      const folderId = await inputs.resolveId(folder, 'folder', createMissing);

      let progress: BackupProgress = { entries: 0, bytes: 0, sent: 0 };
      const { onProgress, finish } = context.trackProgress(
        {},
        {
          describe: () => results.archive(progress.entries, progress.bytes),
          details: () => ({
            transferred: progress.sent,
            entries: progress.entries,
            bytes: progress.bytes,
          }),
        },
      );
      const report = (latest: BackupProgress): void => {
        progress = latest;
        // Content that compresses well is hardly sent at all, however fast it is read.
        onProgress(latest.bytes, undefined);
      };
      const result = await client.backup({ ...request, folderId, onProgress: report }, call);
      finish(result.file);
      setResult(context, result);
      if (result.laterError) throw result.laterError;
      context.send(context.msg);
      const text = results.transferred(result.file, progress.sent);
      const skipped = result.backup.skipped.length;
      if (skipped === 0) return { text };
      return { text: `${text} · ${results.count(skipped, 'skipped')}`, isPartial: true };
    },
  });
};

type Request = Omit<BackupRequest, 'folderId' | 'onProgress'>;

async function readRequest(context: RunContext<BackupConfig>): Promise<Request> {
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
    temporaryFolder: tmpdir(),
    fields: FILE_FIELDS,
  };
}

/** One path, or an array of paths. */
async function readSources({ inputs }: RunContext<BackupConfig>): Promise<string[]> {
  const value = await inputs.value('source');
  const values: unknown[] = Array.isArray(value) ? value : [value];
  if (values.length === 0) throw inputs.invalid('invalid_input_no_source', 'source', value);
  // A trailing separator would leave the archive's entries without the name of the folder. `map` would skip empty
  // slots, and a copy without checks could take all memory: an array may have billions of them.
  return Array.from(values, (each) => path.resolve(inputs.localPath('source', each)));
}

/**
 * @throws `not_configured` for a passphrase from an environment variable that isn't set. The backup refuses one that is
 *   empty: see src/archive/age.ts.
 */
function readEncryption({ inputs }: RunContext<BackupConfig>): BackupRequest['encryption'] {
  const encryption = inputs.oneOf('encryption', ['none', 'passphrase', 'recipients']);
  if (encryption === 'passphrase') return { passphrase: inputs.passphrase('passphrase') ?? '' };
  if (encryption === 'none') return undefined;
  return { recipients: parseRecipients(inputs.settingText('recipients')) };
}

/** Also for an archive that exists although removing older ones failed. */
function setResult(
  { msg, warn, errorSummary, results }: RunContext<BackupConfig>,
  { file, backup, pruned }: BackupResult,
): void {
  const { skipped } = backup;
  msg.payload = file;
  msg['backup'] = { ...backup, skipped: skipped.map((each) => each.path) };
  const failed = pruned.failed.map(({ file: old, error }) => ({ ...old, error: errorSummary(error) }));
  msg['pruned'] = { ...pruned, failed };
  if (skipped.length === 0) return;
  const files = shortList(
    skipped.map(({ path: entry, reason }) => `${entry} (${results.skipReason(reason)})`),
  );
  warn('backup_skipped', { count: skipped.length, files });
}
