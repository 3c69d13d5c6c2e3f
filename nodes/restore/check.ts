/** The action `check` of the restore node: reads an archive without writing anything. */
import { type CheckRequest, type CheckResult, DriveError } from '../../src/index';
import type { RunContext } from '../shared/runtime/run-context';
import type { Outcome } from '../shared/runtime/status';
import { readQuery } from './archive-query';
import type { RestoreConfig } from './restore.defaults';
import type { Report } from '../shared/admin/background-work';
import type { CheckedBackup } from '../shared/contract/dialog-api';
import type { DialogContext } from './dialog-request';

type Context = RunContext<RestoreConfig>;

/** @throws `outdated`, `conflict` for differences, … */
export async function checkArchive(context: Context): Promise<Outcome> {
  const { client, inputs, call } = context;
  const failOnDifferences = inputs.flag('failOnDifferences');
  const query = await readCheck(context);
  const { onProgress, finish } = context.trackProgress({});
  const request = { ...query, onProgress, onEntry: context.showEntries };
  const checked = await client.checkArchive(request, call);
  finish(checked.file);
  const name = checked.file.name ?? checked.file.id;
  return reportCheck(context, checked, { name, failOnDifferences });
}

/** @throws `invalid_input` before anything is requested */
async function readCheck(context: Pick<Context, 'client' | 'inputs'>): Promise<CheckRequest> {
  const settings = checkSettings(context);
  return { ...(await readQuery(context)), ...settings };
}

/** What is checked of any backup. */
export function checkSettings({
  inputs,
}: Pick<Context, 'inputs'>): Pick<CheckRequest, 'maxAge' | 'depth' | 'compareWith'> {
  const maxAge = inputs.nonNegative('maxAge');
  const depth = inputs.oneOf('depth', ['age', 'content']);
  const path = inputs.settingText('compareWith');
  return { maxAge, depth, compareWith: path === '' ? undefined : inputs.localPath('compareWith', path) };
}

/** @param name of the archive or snapshot. @throws `conflict` for differences, if the node is set to */
export function reportCheck(
  context: Context,
  { differences, ...checked }: Omit<CheckResult, 'file'>,
  { name, failOnDifferences }: { name: string; failOnDifferences: boolean },
): Outcome {
  const { inputs, msg } = context;
  const found = differences && [differences.missing, differences.extra, differences.different];
  const [missing = 0, extra = 0, different = 0] = found?.map(({ length }) => length) ?? [];
  const differing = { number: missing + extra + different, isTruncated: differences?.truncated };
  msg.payload = { ok: true, ...checked };
  if (differences) msg['differences'] = differences;
  else delete msg['differences'];
  if (differing.number > 0 && failOnDifferences) {
    const path = inputs.settingText('compareWith');
    const params = { name, path, missing, extra, different };
    throw new DriveError('conflict', { text: 'conflict_differences', params });
  }
  context.send(msg);
  const isComplete = checked.complete ?? true;
  return { ...statusText(context, checked, differing), isPartial: !isComplete || differing.number > 0 };
}

/** @param differing the paths that differ: how many, and whether there are more */
function statusText(
  { results }: Context,
  { entries, bytes = 0, complete = true }: Omit<CheckResult, 'file' | 'complete'> & { complete?: boolean },
  { number, isTruncated = false }: { number: number; isTruncated: boolean | undefined },
): Pick<Outcome, 'text'> {
  if (number === 0 && entries !== undefined) return { text: results.archive(entries, bytes, complete) };
  const parts = [
    ...(number > 0 ? [results.count(number, 'differences', isTruncated)] : []),
    ...(complete ? [] : [results.mark('incomplete')]),
  ];
  return parts.length > 0 ? { text: parts.join(' · ') } : {};
}

/** Of each kind of difference. */
const LISTED = 50;

/** @throws the errors of a check */
export async function checkArchiveNow(context: DialogContext, report: Report): Promise<CheckedBackup> {
  const { client, call } = context;
  const request = { ...(await readCheck(context)), onProgress: report };
  const { file, ...checked } = await client.checkArchive(request, call);
  return toChecked(file.name ?? file.id, checked);
}

/** @param name of the backup */
export function toChecked(
  name: string,
  { age, complete, differences, entries, bytes, milliseconds }: Omit<CheckResult, 'file'>,
): CheckedBackup {
  return {
    ...{ name, age, complete: complete ?? true },
    ...{ entries, bytes, milliseconds },
    ...(differences && {
      differences: {
        missing: countPaths(differences.missing),
        extra: countPaths(differences.extra),
        different: countPaths(differences.different),
      },
    }),
  };
}

function countPaths(paths: readonly string[]): { count: number; first: string[] } {
  return { count: paths.length, first: paths.slice(0, LISTED) };
}
