/** A mutex for each key: work with the same key runs one after the other, in order of arrival. */
import { cancelled } from '../errors';
import type { CallOptions } from '../types';
import { abortable } from './abort';

interface Queue {
  /** Callers that haven't given up. */
  callers: number;
  /** Resolves when all queued work has ended, even if some of it failed. */
  end: Promise<void>;
  /** Aborted when all callers have given up. */
  abandoned: AbortController;
}

export class KeyedMutex {
  private readonly queues = new Map<string, Queue>();

  /**
   * Runs `work` when all earlier work with the same key has ended.
   * @param work gets the options of its call with another signal, which is aborted only when all callers of the key
   *   have given up, because the next caller relies on the result of the work before
   * @throws `cancelled` as soon as this caller's signal is aborted, whether its work has started or not
   */
  run<T>(key: string, work: (call: CallOptions) => Promise<T>, call: CallOptions = {}): Promise<T> {
    const { signal } = call;
    const queue = this.openQueue(key);
    queue.callers += 1;
    const result = queue.end.then(() => {
      if (signal?.aborted) throw cancelled();
      return work(sharedCall(call, queue.abandoned.signal));
    });
    const end = result.then(ignore, ignore).then(() => {
      if (queue.end === end && this.queues.get(key) === queue) this.queues.delete(key);
    });
    queue.end = end;
    return abortable(result, signal).finally(() => {
      queue.callers -= 1;
      if (queue.callers === 0) queue.abandoned.abort();
    });
  }

  /** By key, the end of all work that is running or queued. */
  get pending(): ReadonlyMap<string, Pick<Queue, 'end'>> {
    return this.queues;
  }

  /** An abandoned queue accepts no more work. The new queue starts after its end. */
  private openQueue(key: string): Queue {
    const current = this.queues.get(key);
    if (current && !current.abandoned.signal.aborted) return current;
    const queue = { callers: 0, end: current?.end ?? Promise.resolve(), abandoned: new AbortController() };
    this.queues.set(key, queue);
    return queue;
  }
}

/** The options of a call for work that continues when the call itself is aborted. */
function sharedCall(call: CallOptions, signal: AbortSignal): CallOptions {
  const onWait: CallOptions['onWait'] = (ms, error) => {
    if (!call.signal?.aborted) call.onWait?.(ms, error);
  };
  return { ...call, signal, onWait };
}

function ignore(): void {}
