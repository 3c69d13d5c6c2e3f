/**
 * Where the watches of this Node-RED stand, over restarts and deploys. A file of its own: it may be as large as a
 * megabyte a watch, and is written with each emitted change.
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

  /** Resolves when it is on the disk, or can't be. */
  set(id: string, state: unknown): Promise<void> {
    return this.state.set(SECTION, id, state);
  }

  /**
   * @param gone id of a node, or of an instance of a subflow: Node-RED calls what is in one `instance-node`
   * @param isThere whether the flows have a node of that id
   */
  deleteNode(gone: string, isThere: (id: string) => boolean): void {
    for (const [id] of this.state.entries(SECTION)) {
      if (`-${id}-`.includes(`-${gone}-`) && !isThere(id)) void this.state.set(SECTION, id, undefined);
    }
  }

  /** Resolves when everything is on the disk. */
  flushed(): Promise<void> {
    return this.state.flush();
  }
}
