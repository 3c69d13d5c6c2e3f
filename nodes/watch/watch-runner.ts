/** A watch that runs: one look after the other, with longer pauses while there is trouble, until it is stopped. */
import type { NodeMessageInFlow } from 'node-red';
import {
  type CallOptions,
  CHANGE_EVENTS,
  DriveError,
  type Watch,
  isDriveError,
  systemClock,
} from '../../src/index';
import { type NodeError, nodeError } from '../shared/runtime/error-message';
import { Inputs } from '../shared/runtime/inputs';
import { type NodeContext, clientFor } from '../shared/runtime/register-node';
import type { WatchStateStore } from './watch-state-store';
import type { WatchConfig } from './watch.types';

export interface WatchRunnerOptions extends NodeContext<WatchConfig> {
  stateStore: WatchStateStore;
}

/** ms between two looks while there is trouble, at most; unless the interval is longer. */
const LONGEST_PAUSE = 900_000;
/** Seconds. */
const SHORTEST_INTERVAL = 1;
const DEFAULT_INTERVAL = 60;

export class WatchRunner {
  private readonly ended = new AbortController();
  private watch: Watch | undefined;
  /** What the error that was told last was, until a look succeeds: nobody wants to hear it each minute. */
  private told = '';
  /** ms */
  private interval = DEFAULT_INTERVAL * 1_000;
  private wake: () => void = () => undefined;

  constructor(private readonly options: WatchRunnerOptions) {}

  /** Resolves when it has been stopped. */
  async run(): Promise<void> {
    let failures = 0;
    while (!this.isOver) {
      failures = (await this.look()) ? 0 : failures + 1;
      if (!this.isOver) await this.pause(failures);
    }
  }

  stop(): void {
    this.ended.abort();
    this.wake();
  }

  /** Somebody has signed in or out: who, is found out with the next look, and that is now. */
  onSignInChange(): void {
    this.watch = undefined;
    this.wake();
  }

  private get isOver(): boolean {
    return this.ended.signal.aborted;
  }

  /** @returns whether it went well */
  private async look(): Promise<boolean> {
    const { status } = this.options;
    status.start();
    try {
      const count = await this.tellNews();
      this.told = '';
      if (count > 0) status.succeed();
      else status.finishQuietly();
      return true;
    } catch (error) {
      // What it has told since is kept, and what it only remembers may be of no use.
      this.watch = undefined;
      if (this.isOver) return false;
      const told = nodeError(this.options.RED, error);
      status.fail(told.code);
      // Not by its sentence: that says how often it was tried too, which is another number each time.
      const what = error instanceof Error ? error.message : told.message;
      if (what !== this.told) this.tell(told);
      this.told = what;
      return false;
    }
  }

  /** @returns how many messages were sent */
  private async tellNews(): Promise<number> {
    const { node, stateStore, status, RED } = this.options;
    const call = { signal: this.ended.signal, onWait: (ms: number) => status.waiting(ms) };
    const watch = (this.watch ??= await this.begin(call));
    let count = 0;
    for await (const { events, state, resynced } of watch.poll(call)) {
      if (this.isOver) break;
      for (const { event, file } of events) node.send({ payload: file, event, topic: file.name ?? '' });
      count += events.length;
      // In the same turn: nothing that was sent is forgotten by a stop.
      const isKept = stateStore.set(node.id, state);
      if (resynced) {
        this.tell(nodeError(RED, new DriveError('bad_response', { text: 'bad_response_changes_lost' })));
      }
      await isKept;
    }
    return count;
  }

  /** No message came in that `done` could be called for: with a message, even an empty one, it reaches the Catch nodes. */
  private tell(error: NodeError): void {
    const { node } = this.options;
    node.error(error, {});
  }

  private async begin(call: CallOptions): Promise<Watch> {
    const { RED, node, config, stateStore } = this.options;
    const client = clientFor(this.options);
    // Whatever is found now is watched from now on, and no error would tell that it had been another one by then.
    const cacheEpoch = client.paths.cacheEpoch();
    const msg = {} as NodeMessageInFlow;
    const inputs = new Inputs({ RED, node, config, msg, client, call, cacheEpoch });
    this.interval = Math.max(SHORTEST_INTERVAL, inputs.count('interval') || DEFAULT_INTERVAL) * 1_000;
    const events = this.events();
    const start = inputs.oneOf('start', ['now', 'all']);
    const folderId = await inputs.folder('folder');
    const wanted = { folderId, recursive: config.recursive, events, start };
    return client.watch(wanted, stateStore.get(node.id));
  }

  private events(): WatchConfig['events'] {
    const { events } = this.options.config as { events: unknown };
    const given = typeof events === 'string' ? events.split(',').map((each) => each.trim()) : events;
    const known = CHANGE_EVENTS.filter((each) => Array.isArray(given) && given.includes(each));
    if (Array.isArray(given) && known.length > 0 && known.length === new Set(given).size) return known;
    const params = { values: CHANGE_EVENTS.join(', ') };
    throw new DriveError('invalid_input', { text: 'invalid_input_events', params });
  }

  private async pause(failures: number): Promise<void> {
    const waking = new AbortController();
    this.wake = () => waking.abort();
    if (this.isOver) return;
    try {
      await systemClock.sleep(pauseAfter(failures, this.interval), waking.signal);
    } catch (error) {
      if (!isDriveError(error, 'cancelled')) throw error;
    }
  }
}

/**
 * @param failures in a row
 * @param interval ms
 * @returns ms
 */
export function pauseAfter(failures: number, interval: number): number {
  if (failures === 0) return interval;
  return Math.max(interval, Math.min(LONGEST_PAUSE, interval * 2 ** Math.min(failures - 1, 20)));
}
