/** What is measured: a case has tables, a table has contestants that do the same thing in different ways. */

export type Metric =
  | 'wall'
  | 'cpu'
  | 'peak'
  | 'growth'
  | 'delay'
  | 'rate'
  | 'cpuCall'
  | 'p99'
  | 'took'
  | 'cpuTook'
  | 'size'
  | 'packages';

/**
 * One run. s for `wall` and `cpu` (user and system), MiB for `peak` and `growth`, ms for `delay`. Of calls: how many a
 * second, ms of processor time for one, and the ms that 99 in 100 take at most. Of what is short: ms, and ms of
 * processor time. Of what is installed: MB (10⁶ bytes), and how many packages.
 */
export type Sample = Partial<Record<Metric, number>>;

export interface Contestant {
  name: string;
  /** Does it once, and fails where the result is not the right one. */
  run(): Promise<Sample>;
}

/** A number that has to be reached: alone, as a multiple of another contestant's, or above that. */
export type Target =
  | ({ contestant: string; metric: Metric; times?: string; above?: string } & Bound)
  /** All contestants alike: the largest above the smallest by at most 10 %, or by at most that much. */
  | { alike: readonly string[]; metric: Metric; within: number };

export type Bound = { atMost: number } | { atLeast: number };

export interface Table {
  title: string;
  /** In the order in which they take turns; the first is what the others are compared with. */
  contestants: readonly Contestant[];
  metrics: readonly Metric[];
  targets: readonly Target[];
}

export interface CaseOptions {
  /** Bytes of one transfer. */
  size: number;
  /** Where files are read and written. */
  folder: string;
  /** Says why something is left out. */
  note: (text: string) => void;
}

export interface RunningCase {
  tables: readonly Table[];
  close(): Promise<void>;
}

/** A file in `cases/` exports one. */
export interface Case {
  about: string;
  start(options: CaseOptions): Promise<RunningCase>;
}
