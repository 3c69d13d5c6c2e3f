/**
 * prune: of the backups in a folder, keeps those that the rules keep, and takes the rest away.
 * https://developers.google.com/workspace/drive/api/guides/delete
 */
import type { NodeAPI } from 'node-red';
import {
  Calendar,
  DriveError,
  type DriveFile,
  type Rules,
  hasRule,
  isDriveError,
  retained,
} from '../../src/index';
import { flowNode, type Work } from '../shared/runtime/flow-node';
import { LISTING_DEFAULTS } from '../shared/runtime/listing';
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

export = (RED: NodeAPI): void =>
  flowNode<PruneConfig>(RED, {
    type: 'cloud-drive-prune',
    looksAnew: true,
    defaults,
    async run(work) {
      const { config, inputs, msg } = work;
      inputs.oneOf('mode', ['trash', 'permanent']);
      const dateFrom = inputs.oneOf('dateFrom', ['modifiedTime', 'createdTime', 'name']);
      const rules = rulesOf(work);
      const calendar = new Calendar(String(config.timeZone).trim());
      const files = await filesOf(work);
      const { kept, removed } = retained(files, rules, { dateFrom, calendar, now: Date.now() });
      // Only what says so plainly is no trial: a saved flow without the property is one.
      const result = config.dryRun === false ? await remove(work, removed) : { removed, failed: [] };
      msg.payload = { kept, ...result } satisfies Pruned;
      const { failed } = result;
      if (failed.length > 0) {
        const params = { failed: failed.length, count: removed.length };
        throw new DriveError('partial_failure', { params });
      }
      work.send(msg);
    },
  });

/** @throws `invalid_input` where there is no rule: nothing would say what may go */
function rulesOf({ inputs }: Work<PruneConfig>): Rules {
  const whole = (property: string): number => Math.ceil(inputs.count(property));
  const rules = {
    keepNewest: whole('keepNewest'),
    keepDays: inputs.count('keepDays'),
    daily: whole('daily'),
    weekly: whole('weekly'),
    monthly: whole('monthly'),
    yearly: whole('yearly'),
    minimum: whole('minimum'),
  };
  if (!hasRule(rules)) throw new DriveError('invalid_input', { text: 'invalid_input_no_rule' });
  return rules;
}

/** The whole list before anything is decided. @throws `bad_response` where it may lack files */
async function filesOf(work: Work<PruneConfig>): Promise<DriveFile[]> {
  const { client, config, inputs, call } = work;
  const match = inputs.oneOf('match', ['contains', 'anywhere', 'exact', 'glob', 'regex']);
  const folder = await inputs.folder('folder');
  // The root only for someone who has typed it: a property that is empty by mistake must not prune a drive.
  if (folder === '' && !inputs.isTyped('folder'))
    throw inputs.invalid('invalid_input_root_typed', 'folder', '');
  const wanted = {
    folderId: folder || client.rootId,
    text: config.pattern,
    match,
    kind: 'files',
    includeTrashed: false,
    fields: LISTING_DEFAULTS.fields,
  } as const;
  const found: DriveFile[] = [];
  for await (const { files, incompleteSearch } of client.search(wanted, call)) {
    if (incompleteSearch) throw new DriveError('bad_response', { text: 'bad_response_incomplete' });
    found.push(...files);
  }
  return found;
}

/** Oldest first, one after the other; what fails is told and does not end the rest. */
async function remove(work: Work<PruneConfig>, files: readonly DriveFile[]): Promise<Omit<Pruned, 'kept'>> {
  const { client, config, call } = work;
  const removed: DriveFile[] = [];
  const failed: Pruned['failed'] = [];
  for (const file of [...files].reverse()) {
    try {
      if (config.mode === 'permanent') await client.delete(file.id, call);
      else await client.trash(file.id, call);
      removed.unshift(file);
    } catch (error) {
      if (isDriveError(error, 'cancelled')) throw error;
      // Somebody else was faster.
      if (isDriveError(error, 'not_found')) removed.unshift(file);
      else failed.unshift({ ...file, error: work.words(error) });
    }
  }
  return { removed, failed };
}
