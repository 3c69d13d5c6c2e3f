/**
 * Stores the states of this Node-RED's watches (src/watch/watch-state.ts), so that they continue after a restart or
 * deploy. They have a file of their own, because a state may have a megabyte and is written with each batch of emitted
 * changes.
 */
import type { NodeAPI } from 'node-red';
import { stateFile } from '../shared/runtime/node-red-state';
import type { StateFile } from '../shared/runtime/state-file';

const NAME = '.cloud-drive-watches';
const SECTION = 'watches';

export class WatchStateStore {
  private readonly state: StateFile;

  constructor(RED: NodeAPI) {
    this.state = stateFile(RED, { name: NAME, unreadableText: 'state_unreadable_watches' });
  }

  /** @param id of the node */
  get(id: string): unknown {
    return this.state.get(SECTION, id);
  }

  /** Resolves when it is on disk, or when the attempt to write it has failed. */
  set(id: string, state: unknown): Promise<void> {
    return this.state.set(SECTION, id, state);
  }

  /**
   * @param deleted id of a node, or of a subflow instance: the ids of the nodes in it have the form `instance-node`
   * @param exists whether the flows contain a node with that id
   */
  deleteNode(deleted: string, exists: (id: string) => boolean): void {
    for (const [id] of this.state.entries(SECTION)) {
      if (`-${id}-`.includes(`-${deleted}-`) && !exists(id)) void this.state.set(SECTION, id, undefined);
    }
  }

  /** Resolves when all states are on disk, or when the attempt to write them has failed. */
  flush(): Promise<void> {
    return this.state.flush();
  }
}
