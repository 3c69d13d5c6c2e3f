/**
 * prune: of the backups in a folder, keeps those that the rules keep, and takes the rest away.
 * https://developers.google.com/workspace/drive/api/guides/delete
 */
import type { NodeAPI } from 'node-red';
import {
  Calendar,
  type DateFrom,
  DriveError,
  type DriveFile,
  type RetentionRules,
  hasRule,
  isDriveError,
  applyRetention,
} from '../../src/index';
import { flowNode } from '../shared/runtime/flow-node';
import { LIST_DEFAULTS } from '../shared/runtime/list-output';
import type { RunContext } from '../shared/runtime/run-context';
import type { PruneConfig, Pruned } from './prune.types';

const defaults: PruneConfig = {
  folder: 'payload',
  folderType: 'msg',
  match: 'glob',
  pattern: '*',
  keepNewest: 0,
  keepDays: 0,
  daily: 0,
  weekly: 0,
  monthly: 0,
  yearly: 0,
  minimum: 1,
  dateFrom: 'modifiedTime',
  timeZone: '',
  mode: 'trash',
  dryRun: true,
};

export default (RED: NodeAPI): void =>
  flowNode<PruneConfig>(RED, {
    type: 'cloud-drive-prune',
    bypassCache: () => true,
    defaults,
    async run(work) {
      const { config, inputs, msg } = work;
      inputs.oneOf('mode', ['trash', 'permanent']);
      const dateFrom = inputs.oneOf('dateFrom', ['modifiedTime', 'createdTime', 'name']);
      const rules = rulesOf(work);
      const calendar = new Calendar(String(config.timeZone).trim());
      const files = await filesOf(work);
      const decided = applyRetention(files, rules, { dateFrom, calendar, now: Date.now() });
      // Only what says so plainly is no trial: a saved flow without the property is one.
      const isTrial = config.dryRun !== false;
      const result: Pruned = isTrial ? { ...decided, failed: [] } : await remove(work, decided, dateFrom);
      msg.payload = result;
      msg['dryRun'] = isTrial;
      const { failed } = result;
      if (failed.length > 0) {
        const params = { failed: failed.length, count: decided.removed.length };
        throw new DriveError('partial_failure', { params });
      }
      work.send(msg);
      return isTrial ? 'tried' : undefined;
    },
  });

/** @throws `invalid_input` where there is no rule: nothing would say what may go */
function rulesOf({ config, inputs }: RunContext<PruneConfig>): RetentionRules {
  const whole = (property: string): number => Math.ceil(inputs.count(property));
  const rules = {
    keepNewest: whole('keepNewest'),
    keepDays: inputs.count('keepDays'),
    daily: whole('daily'),
    weekly: whole('weekly'),
    monthly: whole('monthly'),
    yearly: whole('yearly'),
    // An empty field must not take away what holds where all the rules let everything go.
    minimum: String(config.minimum).trim() === '' ? Number(defaults.minimum) : whole('minimum'),
  };
  if (!hasRule(rules)) throw new DriveError('invalid_input', { text: 'invalid_input_no_rule' });
  return rules;
}

/** The whole list before anything is decided. @throws `bad_response` where it may lack files */
async function filesOf(work: RunContext<PruneConfig>): Promise<DriveFile[]> {
  const { client, config, inputs, call } = work;
  const match = inputs.oneOf('match', ['contains', 'anywhere', 'exact', 'glob', 'regex']);
  const folder = await inputs.folder('folder');
  // The root only for someone who has typed it: a property that is empty by mistake must not prune a drive.
  if (folder === '' && !inputs.isString('folder'))
    throw inputs.invalid('invalid_input_root_typed', 'folder', '');
  const wanted = {
    folderId: folder || client.rootId,
    text: config.pattern,
    match,
    kind: 'files',
    includeTrashed: false,
    fields: LIST_DEFAULTS.fields,
  } as const;
  const found: DriveFile[] = [];
  const thrifty = sharing();
  for await (const { files, incompleteSearch } of client.search(wanted, call)) {
    if (incompleteSearch) throw new DriveError('bad_response', { text: 'bad_response_incomplete' });
    for (const file of files) if (isBackup(file)) found.push(thrifty(file));
  }
  return found;
}

/** Most files of a folder say the same of their kind and place: each text once is a third less to hold. */
function sharing(): (file: DriveFile) => DriveFile {
  const texts = new Map<string, string>();
  const once = (text: string): string => {
    if (!texts.has(text)) texts.set(text, text);
    return texts.get(text) ?? text;
  };
  return (file) => {
    if (file.mimeType !== undefined) file.mimeType = once(file.mimeType);
    if (file.parents !== undefined) file.parents = file.parents.map(once);
    return file;
  };
}

/** What stays whatever the rules, and counts for none: it holds other files, stands for one, or doesn't say. */
function isBackup({ mimeType }: DriveFile): boolean {
  return mimeType !== undefined && !/^application\/vnd\.[^/]+-apps\.(folder|shortcut)$/.test(mimeType);
}

/** Oldest first, one after the other; what fails is told and does not end the rest. */
async function remove(
  work: RunContext<PruneConfig>,
  decided: Omit<Pruned, 'failed'>,
  dateFrom: DateFrom,
): Promise<Pruned> {
  const kept = [...decided.kept];
  const removed: DriveFile[] = [];
  const failed: Pruned['failed'] = [];
  for (const [index, file] of [...decided.removed].reverse().entries()) {
    work.showCount(index, decided.removed.length);
    try {
      const end = await takeAway(work, file, dateFrom);
      if (end === 'kept') kept.unshift(file);
      else removed.unshift(end === 'missing' ? { ...file, missing: true } : file);
    } catch (error) {
      if (isDriveError(error, 'cancelled')) throw error;
      failed.unshift({ ...file, error: work.errorSummary(error) });
    }
  }
  return { kept, removed, failed };
}

/**
 * @returns `kept` where somebody has moved, renamed or changed it since it was listed: another file than was decided on;
 * `missing` where somebody was faster, another run over the same folder for one
 */
async function takeAway(
  { client, config, call }: RunContext<PruneConfig>,
  file: DriveFile,
  dateFrom: DateFrom,
): Promise<'removed' | 'missing' | 'kept'> {
  const decisive = ['name', 'parents', ...(dateFrom === 'name' ? [] : [dateFrom])];
  try {
    const now = await client.getMetadata(file.id, ['id', 'trashed', ...decisive].join(), call);
    const isSame = (field: string): boolean => {
      const [before, after] = [file[field], now?.[field]].map((value) => JSON.stringify(value));
      return before === undefined || after === undefined || before === after;
    };
    if (now?.trashed === true) return 'missing';
    if (!decisive.every(isSame)) return 'kept';
    if (config.mode === 'permanent') await client.delete(file.id, call);
    else await client.trash(file.id, call);
    return 'removed';
  } catch (error) {
    if (isDriveError(error, 'not_found')) return 'missing';
    throw error;
  }
}
