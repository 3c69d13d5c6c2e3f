/** How a transfer goes on: in the status, and on the second output where the node has one. And how a row of items does. */
import type { NodeMessage } from 'node-red';
import type { OnProgress } from '../../../src/index';

export interface Progress {
  transferred: number;
  /** Bytes; null where the length isn't known. The same for what follows from it. */
  total: number | null;
  percent: number | null;
  bytesPerSecond: number;
  secondsLeft: number | null;
}

/** At most one message in this many ms, and one at the end. */
const EVERY = 1_000;

export interface ProgressOptions {
  now: () => number;
  /** What is known of the file before it is through. */
  file: unknown;
  show: (text: string) => void;
  /** Undefined where there is no second output. */
  emit: ((progress: Progress, file: unknown) => void) | undefined;
}

/**
 * Counts a transfer. `onProgress` goes to the client, `finish` is called when the transfer has ended well; an empty
 * content has an end too, although nothing came.
 */
export function trackProgress({ now, file, show, emit }: ProgressOptions): {
  onProgress: OnProgress;
  finish: (file: unknown) => void;
} {
  let start = now();
  let told = start;
  let last: Progress | undefined;
  const onProgress: OnProgress = (transferred, total, resumed = 0) => {
    // What an earlier run had brought took no time in this one, but for looking through it.
    if (transferred <= resumed) start = now();
    const elapsed = now() - start;
    last = progressAt({ elapsed, fresh: transferred - resumed, transferred, total });
    if (now() - told < EVERY) return;
    told = now();
    show(progressText(last));
    emit?.(last, file);
  };
  return {
    onProgress,
    finish: (whole) => emit?.(atEnd(last ?? progressAt(NOTHING)), whole),
  };
}

/** At most once in this many ms: often enough to be seen to move. */
const COUNTED_EVERY = 500;

/**
 * Counts items, where there is more than one. The first count is shown at once: it says how many there are.
 * @param show `37 / 95`, which every language reads
 */
export function trackCount(
  now: () => number,
  show: (text: string) => void,
): (done: number, of: number) => void {
  let shown = -Infinity;
  return (done, of) => {
    if (of < 2 || now() - shown < COUNTED_EVERY) return;
    shown = now();
    show(`${done} / ${of}`);
  };
}

/** The last that was told may be of a try that the service no longer needed: its answer to the one before was lost. */
function atEnd(last: Progress): Progress {
  const { total, secondsLeft } = last;
  if (total === null) return last;
  return { ...last, transferred: total, percent: 100, secondsLeft: secondsLeft === null ? null : 0 };
}

interface Sample {
  /** ms */
  elapsed: number;
  /** Bytes that came in that time. */
  fresh: number;
  transferred: number;
  total: number | undefined;
}

const NOTHING: Sample = { elapsed: 0, fresh: 0, transferred: 0, total: 0 };

function progressAt({ elapsed, fresh, transferred, total }: Sample): Progress {
  const bytesPerSecond = elapsed > 0 ? Math.round((fresh * 1_000) / elapsed) : 0;
  const left =
    total !== undefined && bytesPerSecond > 0 ? Math.ceil((total - transferred) / bytesPerSecond) : null;
  return {
    transferred,
    total: total ?? null,
    percent: total === undefined ? null : total === 0 ? 100 : Math.floor((transferred * 100) / total),
    bytesPerSecond,
    secondsLeft: left,
  };
}

function progressText({ percent, transferred, bytesPerSecond }: Progress): string {
  const rate = `${megabytes(bytesPerSecond)} MB/s`;
  return `${percent === null ? `${megabytes(transferred)} MB` : `${percent} %`} · ${rate}`;
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}

/** The message for the second output: nothing of the user's but `topic`. */
export function progressMessage(msg: NodeMessage, progress: Progress, file: unknown): NodeMessage {
  return { payload: progress, file, topic: msg.topic, _msgid: msg._msgid };
}
