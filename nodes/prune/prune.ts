/**
 * prune: removes old backups from a folder by retention rules.
 * https://developers.google.com/workspace/drive/api/guides/delete
 */
import type { NodeAPI } from 'node-red';
import {
  Calendar,
  DriveError,
  type DriveFile,
  type RetentionResult,
  type RetentionRules,
  applyRetention,
  hasRule,
  isBackup,
  removeExpired,
} from '../../src/index';
import { NAME_MATCHES } from '../shared/contract/choices';
import { FILE_FIELDS } from '../shared/contract/file-fields';
import { flowNode } from '../shared/runtime/flow-node';
import { readRetentionRules } from '../shared/runtime/retention-rules';
import type { RunContext } from '../shared/runtime/run-context';
import { DEFAULTS, type PruneConfig } from './prune.defaults';

/** `msg.payload`. In a dry run, `removed` lists what would be removed. */
export interface PruneResult {
  kept: DriveFile[];
  /** `missing` is true for files that someone else had removed in the meantime. */
  removed: (DriveFile & { missing?: true })[];
  failed: (DriveFile & { error: { code: string; message: string } })[];
}

type DateFrom = PruneConfig['dateFrom'];

export default (RED: NodeAPI): void =>
  flowNode<PruneConfig>(RED, {
    type: 'cloud-drive-prune',
    bypassCache: () => true,
    defaults: DEFAULTS,
    async run(context) {
      const { inputs, msg, send, results } = context;
      inputs.oneOf('mode', ['trash', 'permanent']);
      const dateFrom = inputs.oneOf('dateFrom', ['modifiedTime', 'createdTime', 'name']);
      const rules = readRules(context);
      const calendar = new Calendar(inputs.settingText('timeZone'));
      const files = await listBackups(context);
      const decision = applyRetention(files, rules, { dateFrom, calendar, now: Date.now() });
      const isDryRun = inputs.isDryRun();
      const { cancelled, ...result } = isDryRun
        ? { ...decision, failed: [], cancelled: undefined }
        : await removeAll(context, decision, dateFrom);
      msg.payload = result;
      msg['dryRun'] = isDryRun;
      if (cancelled) throw cancelled;
      const failed = result.failed.length;
      const count = decision.removed.length;
      if (failed > 0) throw new DriveError('partial_failure', { params: { failed, count } });
      send(msg);
      const text = results.count(result.removed.length, isDryRun ? 'dry_run' : 'removed');
      return { text, isDryRun };
    },
  });

/** @throws `invalid_input` without any rule */
function readRules({ inputs }: RunContext<PruneConfig>): RetentionRules {
  const rules = readRetentionRules(inputs);
  if (!hasRule(rules)) throw new DriveError('invalid_input', { text: 'invalid_input_no_rule' });
  return rules;
}

/** @throws `bad_response` if the list may be incomplete: the newest backups could be missing from it */
async function listBackups(context: RunContext<PruneConfig>): Promise<DriveFile[]> {
  const { client, config, inputs, call } = context;
  const match = inputs.oneOf('match', NAME_MATCHES);
  const folder = await inputs.folder('folder');
  // The root must be typed in the dialog: a property that is empty by mistake must not prune the drive.
  if (folder === '' && !inputs.isString('folder'))
    throw inputs.invalid('invalid_input_root_typed', 'folder', '');
  const folderId = folder || client.rootId;
  const filter = {
    text: inputs.asText('pattern', config.pattern),
    match,
    kind: 'files',
    includeTrashed: false,
  } as const;
  const backups: DriveFile[] = [];
  const strings = new Map<string, string>();
  for await (const page of client.search({ folderId, ...filter, fields: FILE_FIELDS }, call)) {
    if (page.incompleteSearch) throw new DriveError('bad_response', { text: 'bad_response_incomplete' });
    for (const file of page.files) if (isBackup(file)) backups.push(internStrings(file, strings));
  }
  return backups;
}

/** Stores values that most files of a folder share only once, which takes a third less memory. */
function internStrings(file: DriveFile, strings: Map<string, string>): DriveFile {
  const intern = (text: string): string => {
    if (!strings.has(text)) strings.set(text, text);
    return strings.get(text) ?? text;
  };
  if (file.mimeType !== undefined) file.mimeType = intern(file.mimeType);
  if (file.parents !== undefined) file.parents = file.parents.map(intern);
  return file;
}

async function removeAll(
  context: RunContext<PruneConfig>,
  decision: RetentionResult,
  dateFrom: DateFrom,
): Promise<PruneResult & { cancelled?: DriveError }> {
  const { client, config, call } = context;
  const { failed, ...rest } = await removeExpired(decision, {
    dateFrom,
    getMetadata: (id, fields) => client.getMetadata(id, fields, call),
    remove: (id) => (config.mode === 'permanent' ? client.delete(id, call) : client.trash(id, call)),
    onProgress: (done, total) => context.showCount(done, total),
  });
  return {
    ...rest,
    failed: failed.map(({ file, error }) => ({ ...file, error: context.errorSummary(error) })),
  };
}
