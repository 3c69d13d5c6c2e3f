/**
 * Work of a dialog that may take longer than a request: the editor asks for its state until it ends. Work for which nobody asks
 * is aborted, because its dialog was closed.
 */
import { randomUUID } from 'node:crypto';
import { type Clock, DriveError } from '../../../src/index';
import type { StartedWork, WorkProgress, WorkState } from '../contract/dialog-api';

/** Of bytes, whose total may be unknown. */
export type Report = (done: number, total?: number) => void;

interface Work {
  controller: AbortController;
  state: WorkState<object>;
  ended: Promise<void>;
  /** Aborts the work, or forgets its result. */
  timeout: AbortController;
}

/** At once. The oldest is aborted to make room for a new one. */
const MAX_WORKS = 4;
/** ms without a request for the state. */
const MAX_SILENCE = 20_000;
/** ms; how long a request waits for the end. */
const WAIT = 1_000;

export class BackgroundWork {
  private readonly works = new Map<string, Work>();

  constructor(private readonly clock: Clock) {}

  /** @param describe returns an error as responses describe it */
  start(
    operation: (signal: AbortSignal, report: Report) => Promise<object>,
    describe: (error: unknown) => { code: string; message: string },
  ): StartedWork {
    const [oldest] = this.works.keys();
    if (this.works.size >= MAX_WORKS && oldest !== undefined) this.cancel(oldest);
    const id = randomUUID();
    const controller = new AbortController();
    const work: Work = {
      controller,
      state: { state: 'running' },
      ended: Promise.resolve(),
      timeout: new AbortController(),
    };
    const report: Report = (done, total) => {
      const progress: WorkProgress = { done, total: total ?? null };
      if (work.state.state === 'running') work.state = { state: 'running', progress };
    };
    work.ended = operation(controller.signal, report).then(
      (result) => void (work.state = { state: 'done', result }),
      (error: unknown) => void (work.state = { state: 'failed', error: describe(error) }),
    );
    this.works.set(id, work);
    this.expectRequest(id, work);
    return { work: id };
  }

  /** Waits a moment for the end. The result is given only once. @throws `not_found` */
  async state(id: string): Promise<WorkState<object>> {
    const work = this.works.get(id);
    if (!work) throw new DriveError('not_found', { text: 'not_found_work' });
    work.timeout.abort();
    const waiting = new AbortController();
    await Promise.race([work.ended, this.sleep(WAIT, waiting.signal)]);
    waiting.abort();
    if (work.state.state === 'running') this.expectRequest(id, work);
    else this.works.delete(id);
    return work.state;
  }

  cancel(id: string): void {
    const work = this.works.get(id);
    this.works.delete(id);
    work?.timeout.abort();
    work?.controller.abort();
  }

  private expectRequest(id: string, work: Work): void {
    work.timeout = new AbortController();
    const { signal } = work.timeout;
    void this.sleep(MAX_SILENCE, signal).then(() => {
      if (!signal.aborted) this.cancel(id);
    });
  }

  /** Resolves early if it is aborted. */
  private async sleep(ms: number, signal: AbortSignal): Promise<void> {
    await this.clock.sleep(ms, signal).catch(() => undefined);
  }
}
