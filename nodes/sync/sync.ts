/**
 * sync folder: makes a folder on the drive like one on disk, or the reverse.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads
 */
import type { NodeAPI } from 'node-red';
import type { SyncProgress } from '../../src/index';
import { localFilesRoute } from '../shared/admin/local-files';
import { registerRoutes } from '../shared/admin/routes';
import { flowNode } from '../shared/runtime/flow-node';
import { type RunContext, randomDelay } from '../shared/runtime/run-context';
import { planRoute } from './plan';
import { DEFAULTS, type SyncConfig } from './sync.defaults';
import { readSync, syncFolder } from './sync-request';

const TYPE = 'cloud-drive-sync';

export default (RED: NodeAPI): void => {
  registerRoutes(RED, TYPE, [localFilesRoute(RED), planRoute(RED)]);
  flowNode<SyncConfig>(RED, {
    type: TYPE,
    // With an outdated folder id, files would be stored or removed in the wrong folder.
    bypassCache: () => true,
    defaults: DEFAULTS,
    async run(context) {
      const { client, inputs, msg, call, results } = context;
      const jitter = inputs.nonNegative('jitter');
      const checked = await readSync(context);
      await randomDelay(jitter, call);
      const folder = syncFolder(context, checked);

      const { onProgress, finish } = trackFiles(context);
      const { request } = checked;
      const result = await client.sync({ ...request, ...folder, onProgress }, call);
      const { summary, changes, changesOmitted, error, isDuringRun = false } = result;
      if (isDuringRun) context.warn('sync_running', {});
      msg.payload = summary;
      for (const change of changes)
        if (change.error !== undefined) change.error = context.errorSummary(change.error);
      Object.assign(msg, { changes, changesOmitted });
      if (error) throw error;
      finish();
      context.send(msg);
      const text = results.synced(summary, request.dryRun);
      return {
        isDryRun: request.dryRun,
        text: isDuringRun ? `${text} · ${results.mark('sync_running')}` : text,
      };
    },
  });
};

/** Shows `1,204 / 20,000 · 3.2 MB/s · 4 min`. */
function trackFiles({ trackProgress, results }: RunContext<SyncConfig>): {
  onProgress: (progress: SyncProgress) => void;
  finish: () => void;
} {
  let latest: SyncProgress = { done: 0, total: 0, bytes: 0, totalBytes: 0, resumedBytes: 0 };
  const { onProgress, finish } = trackProgress(
    {},
    {
      describe: () => results.progress(latest.done, latest.total),
      showsTimeLeft: true,
      details: () => ({ files: latest.done, totalFiles: latest.total }),
    },
  );
  return {
    onProgress: (progress) => {
      latest = progress;
      onProgress(progress.bytes, progress.totalBytes, progress.resumedBytes);
    },
    finish: () => finish({}),
  };
}
