/**
 * watch: a message for each file that is created, changed, moved, trashed or removed.
 * https://developers.google.com/workspace/drive/api/guides/manage-changes
 */
import type { NodeAPI } from 'node-red';
import { onDeleted } from '../shared/runtime/deleted-nodes';
import { type Deployed, register, silence } from '../shared/runtime/node-setup';
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
  const kept = new WatchStateStore(RED);
  onDeleted(RED, 'watches', (id, isThere) => kept.forget(id, isThere));
  register(RED, { type: 'cloud-drive-watch', defaults }, (deployed) => start(deployed, kept));
};

/** It has no input: it begins when all flows have started, so that whoever is to hear of it is there. */
function start(deployed: Deployed<WatchConfig>, kept: WatchStateStore): void {
  const { RED, node, account, status } = deployed;
  const watching = new WatchRunner({ ...deployed, kept });
  let running: Promise<void> | undefined;
  const begin = (): void => {
    running = watching.run();
  };
  RED.events.once('flows:started', begin);

  const stopListening = account?.onSignInChange(() => {
    status.idle();
    watching.signInChanged();
  });
  node.on('close', (_removed: boolean, done: () => void) => {
    silence(node);
    RED.events.removeListener('flows:started', begin);
    status.close();
    stopListening?.();
    watching.stop();
    void Promise.resolve(running)
      .then(() => kept.flushed())
      .then(done);
  });
  status.idle();
}
