/**
 * restore: restores a folder on disk from an archive that the backup node, or any other program, made; or checks or lists it.
 * https://developers.google.com/workspace/drive/api/guides/manage-downloads
 */
import type { NodeAPI } from 'node-red';
import { localFilesRoute } from '../shared/admin/local-files';
import { registerRoutes } from '../shared/admin/routes';
import { flowNode } from '../shared/runtime/flow-node';
import { shortList } from '../shared/runtime/short-list';
import { readQuery, warnOfIndex } from './archive-query';
import { checkArchive } from './check';
import { listArchive } from './list';
import { DEFAULTS, MORE_DEFAULTS, type RestoreConfig } from './restore.defaults';

const TYPE = 'cloud-drive-restore';

export default (RED: NodeAPI): void => {
  registerRoutes(RED, TYPE, [localFilesRoute(RED)]);
  flowNode<RestoreConfig>(RED, {
    type: TYPE,
    defaults: { ...DEFAULTS, ...MORE_DEFAULTS },
    credentials: { passphrase: { type: 'password' }, identity: { type: 'password' } },
    async run(context) {
      const action = context.inputs.oneOf('action', ['restore', 'check', 'list']);
      if (action === 'check') return checkArchive(context);
      if (action === 'list') return listArchive(context);
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
    },
  });
};
