/** The progress of a transfer, for the status and the second output, and of several items, for the status. */
import type { NodeMessage } from 'node-red';
import type { OnProgress } from '../../../src/index';
import { localizeDuration, localizeMegabytes } from './catalogue';

export interface Progress {
  /** Bytes. */
  transferred: number;
  /** Bytes; null if the length is unknown, as are the values derived from it. */
  total: number | null;
  percent: number | null;
  bytesPerSecond: number;
  secondsLeft: number | null;
}

/** The minimum time between two progress messages, in ms. */
const PROGRESS_INTERVAL = 1_000;

/** What to show of a transfer of several files. */
export interface Description {
  /** What the status shows before the rate, instead of the percentage; in Node-RED's language. */
  describe?: () => string;
  /** Whether the status also shows the remaining time. */
  showsTimeLeft?: boolean;
  /** More values for the messages of the second output, which replace those of the same name. */
  details?: () => object;
}

export interface ProgressOptions extends Description {
  now: () => number;
  /** Of the status, BCP 47. */
  language: string;
  /** What is known of the file during the transfer. */
  file: unknown;
  show: (text: string) => void;
  /** Undefined without a second output. */
  emit: ((progress: Progress, file: unknown) => void) | undefined;
}

export interface TransferProgress {
  /** For the client. */
  onProgress: OnProgress;
  /** Bytes, including those of an earlier run. */
  transferred: () => number;
  /** Reports a successful end, also of an empty file. */
  finish: (file: unknown) => void;
}

export function trackProgress(options: ProgressOptions): TransferProgress {
  const { now, file, show, emit, details } = options;
  let start = now();
  let lastReport = start;
  let last: Progress | undefined;
  const onProgress: OnProgress = (transferred, total, resumed = 0) => {
    // Bytes of an earlier run don't count for the rate, nor does the time for verifying them.
    if (transferred <= resumed) start = now();
    const elapsed = now() - start;
    last = progressAt({ elapsed, fresh: transferred - resumed, transferred, total });
    if (now() - lastReport < PROGRESS_INTERVAL) return;
    lastReport = now();
    show(progressText(last, options));
    emit?.({ ...last, ...details?.() }, file);
  };
  return {
    onProgress,
    transferred: () => last?.transferred ?? 0,
    finish: (finished) => emit?.({ ...completed(last ?? progressAt(EMPTY)), ...details?.() }, finished),
  };
}

/** The minimum time between two counts in the status, in ms. */
const COUNT_INTERVAL = 500;

/**
 * Shows counts of several items. The first is shown immediately, because it says how many there are.
 * @param show called with `37 / 95`, which needs no translation
 */
export function trackCount(
  now: () => number,
  show: (text: string) => void,
): (done: number, of: number) => void {
  const throttled = throttleTexts(now, show);
  return (done, of) => {
    if (of >= 2) throttled(() => `${done} / ${of}`);
  };
}

/** @returns a function that shows a text unless another was shown shortly before */
export function throttleTexts(now: () => number, show: (text: string) => void): (text: () => string) => void {
  let shown = -Infinity;
  return (text) => {
    if (now() - shown < COUNT_INTERVAL) return;
    shown = now();
    show(text());
  };
}

/** The last report may be of a retry that wasn't needed, because only the response to the first attempt was lost. */
function completed(last: Progress): Progress {
  const { total, secondsLeft } = last;
  if (total === null) return last;
  return { ...last, transferred: total, percent: 100, secondsLeft: secondsLeft === null ? null : 0 };
}

interface Sample {
  /** ms */
  elapsed: number;
  /** Bytes transferred in that time. */
  fresh: number;
  transferred: number;
  total: number | undefined;
}

const EMPTY: Sample = { elapsed: 0, fresh: 0, transferred: 0, total: 0 };

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

function progressText(progress: Progress, { describe, language, showsTimeLeft }: ProgressOptions): string {
  const { percent, transferred, bytesPerSecond, secondsLeft } = progress;
  const amount = percent === null ? localizeMegabytes(transferred, language) : `${percent} %`;
  const parts = [describe?.() ?? amount, `${localizeMegabytes(bytesPerSecond, language)}/s`];
  if (showsTimeLeft && secondsLeft) parts.push(localizeDuration(secondsLeft, language));
  return parts.join(' · ');
}

/** The message for the second output. Of the input message it has only `topic` and `_msgid`. */
export function progressMessage(msg: NodeMessage, progress: Progress, file: unknown): NodeMessage {
  return { payload: progress, file, topic: msg.topic, _msgid: msg._msgid };
}
