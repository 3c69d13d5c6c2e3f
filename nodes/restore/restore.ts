/**
 * restore: restores a folder on disk from an archive or snapshot that the backup node, or any other program, made; or checks
 * or lists it.
 * https://developers.google.com/workspace/drive/api/guides/manage-downloads
 */
import type { NodeAPI } from 'node-red';
import { flowNode } from '../shared/runtime/flow-node';
import { checkArchive } from './check';
import { listArchive } from './list';
import { restoreArchive } from './restore-archive';
import { registerRestoreRoutes } from './restore-routes';
import { DEFAULTS, type RestoreConfig } from './restore.defaults';
import { checkSnapshot, listSnapshot, restoreSnapshot } from './snapshots';

const TYPE = 'cloud-drive-restore';

/** By `from` and `action`. */
const RUN = {
  archives: { restore: restoreArchive, check: checkArchive, list: listArchive },
  snapshots: { restore: restoreSnapshot, check: checkSnapshot, list: listSnapshot },
} as const;

export default (RED: NodeAPI): void => {
  registerRestoreRoutes(RED, TYPE);
  flowNode<RestoreConfig>(RED, {
    type: TYPE,
    defaults: DEFAULTS,
    credentials: { passphrase: { type: 'password' }, identity: { type: 'password' } },
    run(context) {
      const { inputs } = context;
      const action = inputs.oneOf('action', ['restore', 'check', 'list']);
      return RUN[inputs.oneOf('from', ['archives', 'snapshots'])][action](context, RED);
    },
  });
};
