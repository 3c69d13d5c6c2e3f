/** The actions of the restore node for `from: snapshots`: the repository is a folder on the drive. */
import type { NodeAPI } from 'node-red';
import {
  type SnapshotChoice,
  type SnapshotInfo,
  type SnapshotQuery,
  checkRestore,
  parseUntil,
} from '../../src/index';
import { INCOMPLETE_TAG } from '../shared/contract/backup-settings';
import { repositoryAccess, thisMachine } from '../shared/runtime/repository-access';
import type { RunContext } from '../shared/runtime/run-context';
import type { Outcome } from '../shared/runtime/status';
import { summarizePublicValue } from '../shared/runtime/value-summary';
import { readBackupFolder } from './archive-query';
import { checkSettings, reportCheck } from './check';
import { entryOutput } from './list';
import { readTarget, reportRestored } from './restore-archive';
import type { RestoreConfig } from './restore.defaults';

type Context = RunContext<RestoreConfig>;
/** Of a message, or of the dialog. */
type Reading = Pick<Context, 'client' | 'inputs' | 'showLocked' | 'warn'>;

export async function restoreSnapshot(context: Context, RED: NodeAPI): Promise<Outcome> {
  const target = await readTarget(context);
  const query = await readQuery(context, RED);
  const { onProgress, finish } = context.trackProgress({});
  const request = { ...query, ...target, onProgress };
  const restored = await context.client.restoreSnapshot(request, context.call);
  finish(restored.snapshot);
  return reportRestored(context, restored);
}

/** @throws `outdated`, `conflict` for differences, … */
export async function checkSnapshot(context: Context, RED: NodeAPI): Promise<Outcome> {
  const { client, inputs, call } = context;
  const failOnDifferences = inputs.flag('failOnDifferences');
  const settings = checkSettings(context);
  const readData = inputs.inRange('readData', [0, 100], 100);
  const query = await readQuery(context, RED);
  const { onProgress, finish } = context.trackProgress({});
  const onEntry = context.showEntries;
  const request = { ...query, ...settings, readData, onProgress, onEntry };
  const checked = await client.checkSnapshot(request, call);
  finish(checked.snapshot);
  return reportCheck(context, checked, { name: checked.snapshot.shortId, failOnDifferences });
}

export async function listSnapshot(context: Context, RED: NodeAPI): Promise<Outcome> {
  const { client, call, results } = context;
  const output = entryOutput<object>(context, 'snapshot');
  const query = await readQuery(context, RED);
  const { onProgress, finish } = context.trackProgress({});
  const request: Parameters<typeof client.listSnapshot>[0] = {
    ...query,
    ...{ onProgress, onEntry: context.showEntries },
    onEntries: (entries, snapshot) => output.add(entries, described(snapshot)),
  };
  const { snapshot, entries, bytes } = await client.listSnapshot(request, call);
  const listed = { ...described(snapshot), entries, bytes };
  finish(listed);
  output.finish(listed);
  return { text: results.archive(entries, bytes, listed.complete), isPartial: !listed.complete };
}

function described(snapshot: SnapshotInfo): SnapshotInfo & { complete: boolean } {
  return { ...snapshot, complete: !snapshot.tags.includes(INCOMPLETE_TAG) };
}

/** @throws `invalid_input` before a path is resolved */
export async function readQuery(context: Reading, RED: NodeAPI): Promise<SnapshotQuery> {
  const include = context.inputs.lines('include');
  checkRestore({ include, pattern: '*' });
  const choice = await readChoice(context, RED);
  return { ...(await readRepository(context, RED)), choice, include };
}

/** @throws `invalid_input` before a path is resolved */
export async function readRepository(
  context: Reading,
  RED: NodeAPI,
): Promise<Omit<SnapshotQuery, 'choice' | 'include'>> {
  const access = repositoryAccess(RED, context);
  return { ...access, ...(await readBackupFolder(context)) };
}

/** @throws `invalid_input` if the value of `select` isn't what `which` asks for */
export async function readChoice({ inputs }: Reading, RED: NodeAPI): Promise<SnapshotChoice> {
  const which = inputs.oneOf('which', ['newest', 'date', 'id']);
  const choice = {
    which,
    sources: inputs.oneOf('sources', ['own', 'any']),
    host: thisMachine(RED).host,
    allowIncomplete: inputs.flag('allowIncomplete'),
  };
  if (which === 'newest') return choice;
  const value = await inputs.value('select');
  const came = summarizePublicValue(value);
  if (which === 'date') {
    const until = parseUntil(value);
    if (until !== undefined) return { ...choice, until };
    throw inputs.invalid('invalid_input_archive_date', 'select', value, { came });
  }
  const id = snapshotId(value);
  if (id !== undefined) return { ...choice, id };
  throw inputs.invalid('invalid_input_snapshot_id', 'select', value, { came });
}

/** @param value an ID, the beginning of one, or the snapshot that a backup has reported */
function snapshotId(value: unknown): string | undefined {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : value;
  const text = typeof id === 'string' ? id.trim().toLowerCase() : '';
  return /^[0-9a-f]{4,64}$/.test(text) ? text : undefined;
}
