/**
 * watch: a message for each file that is created, changed, moved, trashed or removed.
 * https://developers.google.com/workspace/drive/api/guides/manage-changes
 */
import type { NodeAPI } from 'node-red';
import { onDeleted } from '../shared/runtime/deleted-nodes';
import { type NodeContext, registerNode, muteNode } from '../shared/runtime/register-node';
import { WatchStateStore } from './watch-state-store';
import { WatchRunner } from './watch-runner';
import type { WatchConfig } from './watch.types';

const defaults: WatchConfig = {
  folder: '',
  folderType: 'str',
  recursive: false,
  interval: 60,
  events: ['created', 'changed', 'moved', 'trashed', 'removed'],
  start: 'now',
};

export default (RED: NodeAPI): void => {
  const stateStore = new WatchStateStore(RED);
  onDeleted(RED, 'watches', (id, isThere) => stateStore.deleteNode(id, isThere));
  registerNode(RED, { type: 'cloud-drive-watch', defaults }, (deployed) => start(deployed, stateStore));
};

/** It has no input: it begins when all flows have started, so that whoever is to hear of it is there. */
function start(deployed: NodeContext<WatchConfig>, stateStore: WatchStateStore): void {
  const { RED, node, account, status } = deployed;
  const watching = new WatchRunner({ ...deployed, stateStore });
  let running: Promise<void> | undefined;
  const begin = (): void => {
    running = watching.run();
  };
  RED.events.once('flows:started', begin);

  const stopListening = account?.onSignInChange(() => {
    status.showIdle();
    watching.onSignInChange();
  });
  node.on('close', (_removed: boolean, done: () => void) => {
    muteNode(node);
    RED.events.removeListener('flows:started', begin);
    status.close();
    stopListening?.();
    watching.stop();
    void Promise.resolve(running)
      .then(() => stateStore.flushed())
      .then(done);
  });
  status.showIdle();
}
