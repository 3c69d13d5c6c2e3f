/** The states a flow node shows, and when. Texts are catalogue keys; what varies begins with a digit. */
import type { Node, NodeStatus } from 'node-red';
import { CATALOGUE } from './error-message';

const text = (name: string): string => `${CATALOGUE}:status.${name}`;

const STATES = {
  idle: {},
  notSignedIn: { fill: 'red', shape: 'ring', text: text('not_signed_in') },
  signInNeeded: { fill: 'red', shape: 'ring', text: text('sign_in_required') },
  notConfigured: { fill: 'red', shape: 'ring', text: text('not_configured') },
  working: { fill: 'blue', shape: 'dot', text: text('working') },
  done: { fill: 'green', shape: 'dot', text: text('done') },
  tried: { fill: 'green', shape: 'ring', text: text('tried') },
} as const satisfies Record<string, NodeStatus>;

/** How a node stands while nothing goes on. */
export type IdleState = 'idle' | 'notSignedIn' | 'signInNeeded' | 'notConfigured';

/** A finished node stays green this long. */
const DONE_FOR = 4_000;

/** Does something after some milliseconds. @returns how to call it off */
export type Schedule = (work: () => void, ms: number) => () => void;

const later: Schedule = (work, ms) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

export class Status {
  private working = 0;
  private closed = false;
  private callOff: () => void = () => undefined;

  constructor(
    private readonly node: Node,
    /** The state in which nothing goes on: whether someone has to sign in first. */
    private readonly idleState: () => IdleState,
    private readonly after: Schedule = later,
  ) {}

  /** Shows the state in which nothing goes on, unless something does. */
  showIdle(): void {
    if (this.working === 0) this.show(STATES[this.idleState()]);
  }

  start(): void {
    this.working += 1;
    this.show(STATES.working);
  }

  /** @param progress begins with a digit: `45 % · 3.2 MB/s` */
  progress(progress: string): void {
    this.show({ fill: 'blue', shape: 'dot', text: progress });
  }

  /** A call waits before it tries again; then it works again. */
  waiting(ms: number): void {
    this.show({ fill: 'yellow', shape: 'ring', text: `${Math.ceil(ms / 1_000)} s` });
    this.later(ms, () => this.show(STATES.working));
  }

  /** @param how `tried`: nothing was changed, and nothing should be */
  succeed(how: 'done' | 'tried' = 'done'): void {
    if (this.end()) return;
    this.show(STATES[how]);
    this.later(DONE_FOR, () => this.showIdle());
  }

  /** Ends without a word: there was nothing to be done. */
  finishQuietly(): void {
    if (!this.end()) this.showIdle();
  }

  /** @param code of the error, a key of the catalogue */
  fail(code: string): void {
    if (this.end()) return;
    this.show({ fill: 'red', shape: 'ring', text: text(code) });
  }

  close(): void {
    this.closed = true;
    this.callOff();
  }

  /** @returns true while another message is still being worked on */
  private end(): boolean {
    this.working -= 1;
    if (this.working > 0) this.show(STATES.working);
    return this.working > 0;
  }

  /** Unless another state is shown before. */
  private later(ms: number, show: () => void): void {
    if (!this.closed) this.callOff = this.after(show, ms);
  }

  private show(state: NodeStatus): void {
    this.callOff();
    this.node.status(state);
  }
}
