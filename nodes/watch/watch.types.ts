/** Settings of the watch node: the table of docs/nodes/watch.md. */
import type { ChangeEvent } from '../../src/index';

export interface WatchConfig {
  /** `''`: the whole drive. */
  folder: string;
  folderType: string;
  recursive: boolean;
  /** Seconds. */
  interval: number | string;
  events: ChangeEvent[];
  start: 'now' | 'all';
}
