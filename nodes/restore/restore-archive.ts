/** The action `restore` of the restore node, from an archive; and what it has in common with that from a snapshot. */
import type { RestoreResult } from '../../src/index';
import type { RunContext } from '../shared/runtime/run-context';
import { shortList } from '../shared/runtime/value-summary';
import type { Outcome } from '../shared/runtime/status';
import { readQuery, warnOfIndex } from './archive-query';
import type { RestoreConfig } from './restore.defaults';

type Context = RunContext<RestoreConfig>;

export async function restoreArchive(context: Context): Promise<Outcome> {
  const { client, inputs, call } = context;
  const target = await readTarget(context);
  const maxRatio = inputs.isEmpty('maxRatio') ? undefined : inputs.nonNegative('maxRatio');
  const query = await readQuery(context);
  const { onProgress, finish } = context.trackProgress({});
  let isIndexed = true;
  const restored = await client.restore(
    {
      ...query,
      ...target,
      maxRatio,
      onProgress,
      onIndexIgnored: (reason) => warnOfIndex(context, reason),
      onUnindexed: () => (isIndexed = false),
    },
    call,
  );
  finish(restored.file);
  return reportRestored(context, restored, isIndexed);
}

/** Where any backup is restored to, and what is shown and warned of meanwhile. @throws `invalid_input` */
export async function readTarget({ inputs, warn, showEntries }: Context) {
  const overwrite = inputs.oneOf('overwrite', ['error', 'replace']);
  const stripTop = inputs.flag('stripTop');
  const path = inputs.localPath('localPath', await inputs.value('localPath'));
  return {
    ...{ path, overwrite, stripTop, onEntry: showEntries },
    onMovedAside: (paths: readonly string[]) =>
      warn('restore_moved_aside', { count: paths.length, files: shortList(paths) }),
    onReserved: ({ count, paths }: { count: number; paths: readonly string[] }) =>
      warn('restore_reserved_names', { count, files: shortList(paths) }),
  };
}

/** Sends what was restored. */
export function reportRestored(
  { msg, send, results }: Context,
  { path, ...restored }: Pick<RestoreResult, 'path' | 'entries' | 'bytes' | 'complete' | 'skipped'>,
  isIndexed = true,
): Outcome {
  msg.payload = path;
  msg['restored'] = restored;
  send(msg);
  const isComplete = restored.complete ?? true;
  const text = results.archive(restored.entries, restored.bytes, isComplete, isIndexed);
  const lacksFile = restored.skipped?.some(({ reason }) => reason === 'volume') ?? false;
  return { text, isPartial: !isComplete || lacksFile };
}
