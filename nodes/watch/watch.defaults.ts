/** Properties of the watch node: the table of docs/nodes/watch.md. */

/**
 * Equal to `ChangeEvent` of the client, which the editor can't import; test/nodes/watch/events_spec.ts compares them.
 */
export type WatchEventType = 'created' | 'changed' | 'moved' | 'trashed' | 'removed';

export const DEFAULTS = {
  /** `''`: the whole drive. */
  folder: '',
  folderType: 'str',
  folderPath: '',
  recursive: false,
  /** Seconds. */
  interval: 60 as number | string,
  events: ['created', 'changed', 'moved', 'trashed', 'removed'] as WatchEventType[],
  start: 'now' as 'now' | 'all',
  /** Seconds; the first check waits a random time up to this. */
  jitter: 0 as number | string,
};

export type WatchConfig = typeof DEFAULTS;
