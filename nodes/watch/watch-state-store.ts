/**
 * Stores the states of this Node-RED's watches (src/watch/watch-state.ts), so that they continue after a restart or
 * deploy. They have a file of their own, because a state may have a megabyte and is written with each batch of emitted
 * changes.
 */
import type { NodeAPI } from 'node-red';
import { adoptState, stateFile, stateKey } from '../shared/runtime/node-red-state';
import type { StateFile } from '../shared/runtime/state-file';

const NAME = '.cloud-drive-watches';
const SECTION = 'watches';

export class WatchStateStore {
  private readonly state: StateFile;

  constructor(private readonly RED: NodeAPI) {
    this.state = stateFile(RED, { name: NAME, unreadableText: 'state_unreadable_watches' });
  }

  /** @returns the key of a node's state, also after other flows were loaded */
  keyOf(id: string): string {
    const key = stateKey(this.RED, id);
    // Under the ID alone, it may be that of another node in other flows as well.
    if (this.get(key) === undefined)
      adoptState(this.state, [SECTION, key], (value, isOlderVersion) =>
        isOlderVersion ? { value, isMoved: false } : undefined,
      );
    return key;
  }

  get(key: string): unknown {
    return this.state.get(SECTION, key);
  }

  /** Resolves when it is on disk, or when the attempt to write it has failed. */
  set(key: string, state: unknown): Promise<void> {
    return this.state.set(SECTION, key, state);
  }

  /**
   * @param deleted id of a node, or of a subflow instance: the ids of the nodes in it have the form `instance-node`
   * @param exists whether the flows contain a node with that id
   */
  deleteNode(deleted: string, exists: (id: string) => boolean): void {
    for (const [key] of this.state.entries(SECTION)) {
      const [id = ''] = key.split(' ', 1);
      const isOwn = key === id || key === stateKey(this.RED, id);
      if (isOwn && `-${id}-`.includes(`-${deleted}-`) && !exists(id)) void this.set(key, undefined);
    }
  }

  /** Resolves when all states are on disk, or when the attempt to write them has failed. */
  flush(): Promise<void> {
    return this.state.flush();
  }
}
