/** A case has tables; a table has contestants that do the same task in different ways. */

export type Metric =
  | 'wall'
  | 'cpu'
  | 'serviceCpu'
  | 'peak'
  | 'growth'
  | 'delay'
  | 'requests'
  | 'rate'
  | 'cpuCall'
  | 'p99'
  | 'took'
  | 'cpuTook'
  | 'size'
  | 'packages';

/**
 * The results of one run. `wall`, `cpu` (user and system) and `serviceCpu` (of the local service) in s, `peak` and
 * `growth` in MiB, `delay` in ms, number of `requests`. Calls: `rate` per second, `cpuCall` in ms, and the 99th percentile
 * `p99` in ms. Short tasks: `took` and `cpuTook` in ms. Installations: `size` in MB (10⁶ bytes) and number of `packages`.
 */
export type Sample = Partial<Record<Metric, number>>;

export interface Contestant {
  name: string;
  /** Runs the task once; rejects if the result is wrong. */
  run(): Promise<Sample>;
}

/** A target: absolute, as a multiple of another contestant's value, or as a difference from it. */
export type Target =
  | ({ contestant: string; metric: Metric; times?: string; above?: string } & Bound)
  /** The values of all contestants differ by at most 10 % or this much. */
  | { alike: readonly string[]; metric: Metric; within: number };

export type Bound = { atMost: number } | { atLeast: number };

export interface Table {
  title: string;
  /** In the order of each round; the first one is compared with the others. */
  contestants: readonly Contestant[];
  metrics: readonly Metric[];
  targets: readonly Target[];
}

export interface CaseOptions {
  /** Size of a transfer in bytes. */
  size: number;
  /** Folder for files. */
  folder: string;
  /** Adds a remark, such as why a contestant is missing. */
  note: (text: string) => void;
}

export interface RunningCase {
  tables: readonly Table[];
  close(): Promise<void>;
}

/** The default export of each file in `cases/`. */
export interface Case {
  about: string;
  start(options: CaseOptions): Promise<RunningCase>;
}
