/** Properties of the watch node: the table of docs/nodes/watch.md. */

/** Equal to `ChangeEvent` of the client, which the editor can't import; test/nodes/watch/events_spec.ts compares them. */
export type WatchEventType = 'created' | 'changed' | 'moved' | 'trashed' | 'removed';

export interface WatchConfig {
  /** `''`: the whole drive. */
  folder: string;
  folderType: string;
  folderPath: string;
  recursive: boolean;
  /** Seconds. */
  interval: number | string;
  events: WatchEventType[];
  start: 'now' | 'all';
}

export const DEFAULTS: WatchConfig = {
  folder: '',
  folderType: 'str',
  folderPath: '',
  recursive: false,
  interval: 60,
  events: ['created', 'changed', 'moved', 'trashed', 'removed'],
  start: 'now',
};
