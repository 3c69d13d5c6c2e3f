/** Polls the changes of one watch node until it is stopped. After failures it polls less often. */
import { types } from 'node:util';
import type { NodeMessageInFlow } from 'node-red';
import {
  CHANGE_EVENTS,
  type CallOptions,
  DriveError,
  type Watch,
  isDriveError,
  systemClock,
  withService,
} from '../../src/index';
import { type Failure, retryWarning, toFailure } from '../shared/runtime/error-message';
import { Inputs } from '../shared/runtime/inputs';
import { clientFor } from '../shared/runtime/account-node';
import { randomDelay } from '../shared/runtime/run-context';
import type { NodeContext } from '../shared/runtime/register-node';
import { StatusTexts } from '../shared/runtime/status-texts';
import type { WatchConfig } from './watch.defaults';
import type { WatchStateStore } from './watch-state-store';

export interface WatchRunnerOptions extends NodeContext<WatchConfig> {
  stateStore: WatchStateStore;
}

/** Upper limit of the pause after failures, ms. A longer polling interval takes precedence. */
const MAX_PAUSE = 900_000;
/** Seconds. */
const MIN_INTERVAL = 1;
/** Seconds. */
const DEFAULT_INTERVAL = 60;

export class WatchRunner {
  private readonly controller = new AbortController();
  private watch: Watch | undefined;
  private signIns = 0;
  /** Of the latest watch. */
  private inputs: Inputs | undefined;
  /** The last reported error, until a poll succeeds: an error that persists is reported once. */
  private reportedError = '';
  /** Known once the account is complete. */
  private serviceUrl: string | undefined;
  /** ms */
  private interval = DEFAULT_INTERVAL * 1_000;
  private wake: () => void = () => undefined;
  /** Whether the random delay before the first check is over. */
  private hasWaited = false;

  private readonly stateKey: string;

  constructor(private readonly options: WatchRunnerOptions) {
    this.stateKey = options.stateStore.keyOf(options.node.id);
  }

  /** Resolves after {@link stop}. */
  async run(): Promise<void> {
    let failures = 0;
    while (!this.isStopped) {
      failures = (await this.poll()) ? 0 : failures + 1;
      if (!this.isStopped) await this.pause(failures);
    }
  }

  stop(): void {
    this.controller.abort();
    this.wake();
  }

  /** Polls now with a new watch, because another user may have signed in. */
  onSignInChange(): void {
    this.signIns += 1;
    this.watch = undefined;
    this.wake();
  }

  private get isStopped(): boolean {
    return this.controller.signal.aborted;
  }

  /** @returns whether the poll succeeded */
  private async poll(): Promise<boolean> {
    const { status } = this.options;
    status.start();
    try {
      const count = await this.emitEvents();
      this.reportedError = '';
      if (count > 0) status.succeed({ text: new StatusTexts(this.options.RED).count(count, 'changes') });
      else status.finishQuietly();
      return true;
    } catch (error) {
      // The next poll starts from the stored state.
      this.watch = undefined;
      if (this.isStopped) return false;
      const { serviceUrl } = this;
      const { RED, node, config, account } = this.options;
      const explained = this.inputs ? this.inputs.explain(error) : error;
      const known = serviceUrl ? withService(explained, serviceUrl) : explained;
      const failure = toFailure(RED, known, { type: node.type, config, account });
      status.fail(failure.code);
      // The text for users contains the number of attempts, which varies.
      const identity = types.isNativeError(error) ? error.message : failure.message;
      if (identity !== this.reportedError) this.report(failure);
      this.reportedError = identity;
      return false;
    }
  }

  /** @returns the number of messages sent */
  private async emitEvents(): Promise<number> {
    const { node, stateStore, status, RED } = this.options;
    const onWait: CallOptions['onWait'] = (ms, error) => {
      // A watch that has reported an error repeats it with every check.
      if (!status.showWait(ms, error?.code) || this.reportedError !== '') return;
      node.warn(retryWarning(RED, error, this.serviceUrl ?? ''));
    };
    const call = { signal: this.controller.signal, onWait };
    const watch = await this.currentWatch(call);
    let count = 0;
    for await (const { events, state, resynced } of watch.poll(call)) {
      if (this.isStopped || this.watch !== watch) break;
      for (const { event, file } of events) node.send({ payload: file, event, topic: file.name ?? '' });
      count += events.length;
      // No await between sending and storing: a stop in between would send the messages again after the restart.
      const stored = stateStore.set(this.stateKey, state);
      if (resynced) {
        this.report(toFailure(RED, new DriveError('bad_response', { text: 'bad_response_changes_lost' })));
      }
      await stored;
    }
    return count;
  }

  /** Node-RED passes an error to Catch nodes only with a message, which may be empty. */
  private report(error: Failure): void {
    const { node } = this.options;
    node.error(error, {});
  }

  /** A watch that was created while another user signed in may belong to the folder of the former one. */
  private async currentWatch(call: CallOptions): Promise<Watch> {
    while (!this.watch) {
      const { signIns } = this;
      const watch = await this.createWatch(call);
      if (signIns === this.signIns) this.watch = watch;
    }
    return this.watch;
  }

  private async createWatch(call: CallOptions): Promise<Watch> {
    const { RED, node, config, stateStore } = this.options;
    const client = clientFor(this.options.account);
    // A folder cached by its path could be the wrong one, and the watch would never notice.
    const cacheEpoch = client.paths.cacheEpoch();
    const msg = {} as NodeMessageInFlow;
    this.serviceUrl = client.service.baseUrl;
    const inputs = new Inputs({ RED, node, config, msg, client, call, cacheEpoch });
    this.inputs = inputs;
    this.interval = Math.max(MIN_INTERVAL, inputs.nonNegative('interval') || DEFAULT_INTERVAL) * 1_000;
    const events = this.readEvents();
    const start = inputs.oneOf('start', ['now', 'all']);
    const recursive = inputs.flag('recursive');
    await this.waitOnce(inputs.nonNegative('jitter'), call);
    const folderId = await inputs.folder('folder');
    return client.watch({ folderId, recursive, events, start }, stateStore.get(this.stateKey));
  }

  /** Many Node-REDs that start at the same time, as after a power failure, don't call in the same second. */
  private async waitOnce(jitter: number, call: CallOptions): Promise<void> {
    if (this.hasWaited) return;
    await randomDelay(jitter, call);
    this.hasWaited = true;
  }

  private readEvents(): WatchConfig['events'] {
    const { events } = this.options.config as { events: unknown };
    const list = typeof events === 'string' ? events.split(',').map((event) => event.trim()) : events;
    const known = CHANGE_EVENTS.filter((event) => Array.isArray(list) && list.includes(event));
    if (Array.isArray(list) && known.length > 0 && known.length === new Set(list).size) return known;
    const params = { values: CHANGE_EVENTS.join(', ') };
    throw new DriveError('invalid_input', { text: 'invalid_input_events', params });
  }

  private async pause(failures: number): Promise<void> {
    const controller = new AbortController();
    this.wake = () => controller.abort();
    if (this.isStopped) return;
    try {
      await systemClock.sleep(pauseAfter(failures, this.interval), controller.signal);
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
  return Math.max(interval, Math.min(MAX_PAUSE, interval * 2 ** Math.min(failures - 1, 20)));
}
