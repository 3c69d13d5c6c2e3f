/** Settings of the watch node: the contract's table. */
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
