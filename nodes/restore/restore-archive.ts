/** The action `restore` of the restore node, from an archive. */
import type { RunContext } from '../shared/runtime/run-context';
import { shortList } from '../shared/runtime/short-list';
import type { Outcome } from '../shared/runtime/status';
import { readQuery, warnOfIndex } from './archive-query';
import type { RestoreConfig } from './restore.defaults';

export async function restoreArchive(context: RunContext<RestoreConfig>): Promise<Outcome> {
  const { client, config, inputs, msg, call } = context;
  const overwrite = inputs.oneOf('overwrite', ['error', 'replace']);
  const path = inputs.localPath('localPath', await inputs.value('localPath'));
  const maxRatio = inputs.isEmpty('maxRatio') ? undefined : inputs.nonNegative('maxRatio');
  const query = await readQuery(context);
  const { onProgress, finish } = context.trackProgress({});
  let isIndexed = true;
  const { path: restoredPath, ...restored } = await client.restore(
    {
      ...query,
      path,
      ...{ overwrite, stripTop: config.stripTop },
      maxRatio,
      onProgress,
      onEntry: context.showEntries,
      onMovedAside: (paths) =>
        context.warn('restore_moved_aside', { count: paths.length, files: shortList(paths) }),
      onIndexIgnored: (reason) => warnOfIndex(context, reason),
      onUnindexed: () => (isIndexed = false),
      onReserved: ({ count, paths }) =>
        context.warn('restore_reserved_names', { count, files: shortList(paths) }),
    },
    call,
  );
  finish(restored.file);
  msg.payload = restoredPath;
  msg['restored'] = restored;
  context.send(msg);
  const isComplete = restored.complete ?? true;
  const text = context.results.archive(restored.entries, restored.bytes, isComplete, isIndexed);
  return { text, isPartial: !isComplete };
}
