/** Work on one thing by one caller after the other: what the first has done, the next finds. */
import { cancelled } from '../errors';
import { abortable } from './abortable';

interface Line {
  /** Callers that haven't left. */
  waiting: number;
  /** Settles, and never fails, when the last in the line is done. */
  end: Promise<void>;
  /** Aborted when all callers have left. */
  abandoned: AbortController;
}

export class KeyedMutex {
  private readonly lines = new Map<string, Line>();

  /**
   * Runs `work` when all that came before with the same key is done, well or not.
   * @param work its signal ends it only when nobody in the line waits any longer: half done, it would spoil the next
   * @param signal with which this caller leaves at once, whether its work has begun or not
   */
  run<T>(key: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const line = this.line(key);
    line.waiting += 1;
    const mine = line.end.then(() => {
      if (signal?.aborted) throw cancelled();
      return work(line.abandoned.signal);
    });
    const end = mine.then(nothing, nothing).then(() => {
      if (line.end === end && this.lines.get(key) === line) this.lines.delete(key);
    });
    line.end = end;
    return abortable(mine, signal).finally(() => {
      line.waiting -= 1;
      if (line.waiting === 0) line.abandoned.abort();
    });
  }

  /** The lines that there are, by their keys. */
  get waiting(): ReadonlyMap<string, Pick<Line, 'end'>> {
    return this.lines;
  }

  /** Behind a line that everybody has left a new one begins, after its end. */
  private line(key: string): Line {
    const there = this.lines.get(key);
    if (there && !there.abandoned.signal.aborted) return there;
    const line = { waiting: 0, end: there?.end ?? Promise.resolve(), abandoned: new AbortController() };
    this.lines.set(key, line);
    return line;
  }
}

function nothing(): void {}
