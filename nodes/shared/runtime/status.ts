/** The states that a flow node shows. Texts are catalogue keys, but one that starts with a digit is shown as it is. */
import type { Node, NodeStatus } from 'node-red';
import type { ErrorCode } from '../../../src/index';
import { CATALOGUE } from './catalogue';

const text = (name: string): string => `${CATALOGUE}:status.${name}`;

const STATES = {
  idle: {},
  notSignedIn: { fill: 'red', shape: 'ring', text: text('not_signed_in') },
  signInNeeded: { fill: 'red', shape: 'ring', text: text('sign_in_required') },
  notConfigured: { fill: 'red', shape: 'ring', text: text('not_configured') },
  working: { fill: 'blue', shape: 'dot', text: text('working') },
  queued: { fill: 'yellow', shape: 'ring', text: text('queued') },
  locked: { fill: 'yellow', shape: 'ring', text: text('locked') },
  done: { fill: 'green', shape: 'dot', text: text('done') },
  dryRun: { fill: 'green', shape: 'ring', text: text('tried') },
} as const satisfies Record<string, NodeStatus>;

/** What the status says while a call waits to be repeated after an error. */
const RETRIES: Partial<Record<ErrorCode, string>> = {
  network: 'retry_network',
  timeout: 'retry_network',
  service_unavailable: 'retry_busy',
  rate_limited: 'retry_rate_limit',
};

/** The states of a node that isn't working. */
export type IdleState = 'idle' | 'notSignedIn' | 'signInNeeded' | 'notConfigured';

/** How a message ended. */
export interface Outcome {
  /** What happened, in Node-RED's language: `first.txt · 13 B`. */
  text?: string;
  /** Whether nothing was changed because the node is set to a dry run. */
  isDryRun?: boolean;
  /** Whether something was left out, which the user may not expect. */
  isPartial?: boolean;
}

/** How long a finished node stays green, in ms. */
const DONE_DURATION = 4_000;

/** Calls back after some milliseconds. @returns a function that cancels the callback */
export type Schedule = (callback: () => void, ms: number) => () => void;

const scheduleTimeout: Schedule = (callback, ms) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};

export class Status {
  /** The number of messages in progress. */
  private working = 0;
  /** How many of these wait for others. */
  private queued = 0;
  /** Whether a message in progress has waited after an error. */
  private hasRetried = false;
  private isClosed = false;
  private cancelTimer: () => void = () => undefined;

  constructor(
    private readonly node: Node,
    private readonly idleState: () => IdleState,
    private readonly schedule: Schedule = scheduleTimeout,
  ) {}

  /** Shows the idle state unless the node is working. */
  showIdle(): void {
    if (this.working === 0) this.show(STATES[this.idleState()]);
  }

  start(): void {
    this.working += 1;
    this.showWorking();
  }

  /** @param progress starts with a digit: `45 % · 3.2 MB/s` */
  showProgress(progress: string): void {
    this.show({ fill: 'blue', shape: 'dot', text: progress });
  }

  /**
   * Shows why a call waits, or for how long.
   * @returns whether it is the first one to wait after an error since the node began to work
   */
  showWait(ms: number, error?: ErrorCode): boolean {
    const reason = error && text(RETRIES[error] ?? 'retry');
    this.show({ fill: 'yellow', shape: 'ring', text: reason ?? `${Math.ceil(ms / 1_000)} s` });
    this.showLater(ms, () => this.showWorking());
    // Names that several files have aren't a temporary error: if no client removes one, the run fails.
    if (!error || error === 'conflict' || this.hasRetried) return false;
    return (this.hasRetried = true);
  }

  /** Another client has locked the repository. The next progress replaces the state. */
  showLocked(): void {
    this.show(STATES.locked);
  }

  /** A message waits for another one, of any node, or no longer does. */
  setQueued(isQueued: boolean): void {
    this.queued += isQueued ? 1 : -1;
    // The progress of other messages stays.
    if (!isQueued || this.queued === this.working) this.showWorking();
  }

  /** Shows that a message is done: for some seconds, or until the next one if something was left out. */
  succeed({ isDryRun = false, isPartial = false, text: result }: Outcome = {}): void {
    if (this.finishOne()) return;
    if (isPartial) {
      this.show({ fill: 'yellow', shape: 'dot', text: result ?? STATES.done.text });
      return;
    }
    const state = isDryRun ? STATES.dryRun : STATES.done;
    this.show(result === undefined ? state : { ...state, text: result });
    this.showLater(DONE_DURATION, () => this.showIdle());
  }

  /** Returns to the idle state without a result. */
  finishQuietly(): void {
    if (!this.finishOne()) this.showIdle();
  }

  /** @param code of the error, which is also its catalogue key */
  fail(code: string): void {
    if (this.finishOne()) return;
    this.show({ fill: 'red', shape: 'ring', text: text(code) });
  }

  close(): void {
    this.isClosed = true;
    this.cancelTimer();
  }

  /** @returns whether other messages are still in progress */
  private finishOne(): boolean {
    this.working -= 1;
    if (this.working > 0) this.showWorking();
    else this.hasRetried = false;
    return this.working > 0;
  }

  private showWorking(): void {
    this.show(this.queued === this.working ? STATES.queued : STATES.working);
  }

  /** Any other state shown in the meantime cancels this one. */
  private showLater(ms: number, show: () => void): void {
    if (!this.isClosed) this.cancelTimer = this.schedule(show, ms);
  }

  private show(state: NodeStatus): void {
    this.cancelTimer();
    this.node.status(state);
  }
}
