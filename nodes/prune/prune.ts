/**
 * prune: removes old backups from a folder by retention rules.
 * https://developers.google.com/workspace/drive/api/guides/delete
 */
import type { NodeAPI } from 'node-red';
import {
  Calendar,
  type DriveClient,
  DriveError,
  type DriveFile,
  type RetentionResult,
  type RetentionRules,
  type SearchRequest,
  applyRetention,
  checkClock,
  hasRule,
  isBackup,
  isIncompleteArchive,
  removeExpired,
  systemClock,
} from '../../src/index';
import { FILE_FIELDS, NAME_MATCHES } from '../shared/contract/defaults';
import { flowNode } from '../shared/runtime/flow-node';
import { readRetentionRules } from '../shared/runtime/repository-access';
import type { RunContext } from '../shared/runtime/run-context';
import { DEFAULTS, type PruneConfig } from './prune.defaults';

/** `msg.payload`. In a dry run, `removed` lists what would be removed. */
export interface PruneResult {
  kept: DriveFile[];
  /** `missing` is true for files that someone else had removed in the meantime. */
  removed: (DriveFile & { missing?: true })[];
  failed: (DriveFile & { error: { code: string; message: string } })[];
}

/** `laterError` is thrown once the message contains the result. */
type Pruned = PruneResult & { laterError?: DriveError };
type DateFrom = PruneConfig['dateFrom'];
type List = Pick<SearchRequest, 'text' | 'match' | 'kind' | 'includeTrashed'> & { folderId: string };

export default (RED: NodeAPI): void =>
  flowNode<PruneConfig>(RED, {
    type: 'cloud-drive-prune',
    bypassCache: () => true,
    defaults: DEFAULTS,
    async run(context) {
      const { client, inputs, call, msg, send, results } = context;
      inputs.oneOf('mode', ['trash', 'permanent']);
      const dateFrom = inputs.oneOf('dateFrom', ['modifiedTime', 'createdTime', 'name']);
      const rules = readRules(context);
      const calendar = new Calendar(inputs.settingText('timeZone'));
      const isDryRun = inputs.isDryRun();
      const list = await readList(context);
      const prune = async (): Promise<Pruned> => {
        const files = await listBackups(context, list);
        const { now, error: laterError } = checkTime(context);
        if (laterError) return { kept: files, removed: [], failed: [], laterError };
        const decision = applyRetention(files, rules, { dateFrom, calendar, now });
        const { kept, removed } = decision;
        return isDryRun ? { kept, removed, failed: [] } : removeAll(context, decision, { dateFrom, rules });
      };
      const { laterError, ...result } = await client.inTurn(list.folderId, prune, call);
      msg.payload = result;
      msg['dryRun'] = isDryRun;
      if (laterError) throw laterError;
      const failed = result.failed.length;
      const count = failed + result.removed.length;
      if (failed > 0)
        throw new DriveError('partial_failure', { text: 'partial_failure', params: { failed, count } });
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

async function readList({ client, inputs }: RunContext<PruneConfig>): Promise<List> {
  const match = inputs.oneOf('match', NAME_MATCHES);
  const folder = await inputs.folder('folder');
  // The root must be typed in the dialog: a property that is empty by mistake must not prune the drive.
  if (folder === '' && !inputs.isString('folder'))
    throw inputs.invalid('invalid_input_root_typed', 'folder', '');
  const text = inputs.asText('pattern', inputs.setting('pattern'));
  return { folderId: folder || client.rootId, text, match, kind: 'files', includeTrashed: false };
}

/** @throws `bad_response` if the list stays incomplete: the newest backups could be missing from it */
function listBackups({ client, call }: RunContext<PruneConfig>, list: List): Promise<DriveFile[]> {
  const read = async (pages: AsyncIterable<DriveFile[]>): Promise<DriveFile[]> => {
    const backups: DriveFile[] = [];
    const strings = new Map<string, string>();
    for await (const files of pages)
      for (const file of files) if (counts(client, file)) backups.push(internStrings(file, strings));
    return backups;
  };
  return client.readSearch({ ...list, fields: FILE_FIELDS }, read, call);
}

/**
 * Incomplete archives of **backup** don't count: otherwise they would push out complete ones. That node removes them.
 */
function counts({ service }: DriveClient, file: DriveFile): boolean {
  return isBackup(service, file) && !isIncompleteArchive(file.name ?? '');
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

function checkTime({ client }: RunContext<PruneConfig>): ReturnType<typeof checkClock> {
  return checkClock({
    local: systemClock.now(),
    service: client.serviceTime(),
    serviceUrl: client.service.baseUrl,
    text: 'partial_failure_clock_prune',
  });
}

async function removeAll(
  context: RunContext<PruneConfig>,
  decision: RetentionResult,
  { dateFrom, rules }: { dateFrom: DateFrom; rules: RetentionRules },
): Promise<Pruned> {
  const { client, config, call } = context;
  const { failed, cancelled, ...rest } = await removeExpired(decision, {
    dateFrom,
    minimum: rules.minimum,
    getMetadata: (id, fields) => client.getMetadata(id, fields, call),
    remove: (id) => (config.mode === 'permanent' ? client.delete(id, call) : client.trash(id, call)),
    onProgress: (done, total) => context.showCount(done, total),
  });
  return {
    ...rest,
    failed: failed.map(({ file, error }) => ({ ...file, error: context.errorSummary(error) })),
    ...(cancelled && { laterError: cancelled }),
  };
}
