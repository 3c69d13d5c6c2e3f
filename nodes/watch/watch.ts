/**
 * watch: emits a message for each file that is created, changed, moved, trashed or removed.
 * https://developers.google.com/workspace/drive/api/guides/manage-changes
 */
import type { NodeAPI } from 'node-red';
import { type NodeContext, muteNode, onDeleted, registerNode } from '../shared/runtime/register-node';
import { DEFAULTS, type WatchConfig } from './watch.defaults';
import { WatchRunner } from './watch-runner';
import { WatchStateStore } from './watch-state-store';

export default (RED: NodeAPI): void => {
  const stateStore = new WatchStateStore(RED);
  onDeleted(RED, 'watches', (id, exists) => stateStore.deleteNode(id, exists));
  registerNode<WatchConfig>(RED, { type: 'cloud-drive-watch', defaults: DEFAULTS }, (context) =>
    start(context, stateStore),
  );
};

/** Starts after all flows, so that the nodes that receive the messages exist. */
function start(context: NodeContext<WatchConfig>, stateStore: WatchStateStore): void {
  const { RED, node, account, status } = context;
  const runner = new WatchRunner({ ...context, stateStore });
  let running: Promise<void> | undefined;
  const run = (): void => {
    running = runner.run();
  };
  RED.events.once('flows:started', run);

  const stopListening = account?.onSignInChange(() => {
    status.showIdle();
    runner.onSignInChange();
  });
  node.on('close', (_removed: boolean, done: () => void) => {
    muteNode(node);
    RED.events.removeListener('flows:started', run);
    status.close();
    stopListening?.();
    runner.stop();
    void Promise.resolve(running)
      .then(() => stateStore.flush())
      .then(done);
  });
  status.showIdle();
}
