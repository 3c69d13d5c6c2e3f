/**
 * watch: a message for each file that is created, changed, moved, trashed or removed.
 * https://developers.google.com/workspace/drive/api/guides/manage-changes
 */
import type { Node, NodeAPI } from 'node-red';
import { type FlowNodeDef, accountOf, idleState, withDefaults } from '../shared/runtime/node-setup';
import { Status } from '../shared/runtime/status';
import { KeptWatches } from './kept-watches';
import { Watching } from './watching';
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
  const kept = new KeptWatches(RED);
  RED.nodes.registerType('cloud-drive-watch', function (this: Node, def: FlowNodeDef) {
    RED.nodes.createNode(this, def);
    start(RED, this, def, kept);
  });
};

/** It has no input: it begins when all flows have started, so that whoever is to hear of it is there. */
function start(RED: NodeAPI, node: Node, def: FlowNodeDef, kept: KeptWatches): void {
  const config = withDefaults(defaults, def);
  const account = accountOf(RED, def);
  const status = new Status(node, () => idleState(account));
  const watching = new Watching({ RED, node, config, account, status, kept });
  let running: Promise<void> | undefined;
  const begin = (): void => {
    running = watching.run();
  };
  RED.events.once('flows:started', begin);

  const stopListening = account?.onSignInChange(() => {
    status.idle();
    watching.signInChanged();
  });
  node.on('close', (removed: boolean, done: () => void) => {
    // What is ended now has no one left to tell: its error must not reach the flow that starts next.
    node.error = () => undefined;
    node.status = () => undefined;
    RED.events.removeListener('flows:started', begin);
    status.close();
    stopListening?.();
    watching.stop();
    void Promise.resolve(running)
      .then(() => (removed ? kept.forget(node.id) : undefined))
      .then(() => kept.flushed())
      .then(done);
  });
  status.idle();
}
