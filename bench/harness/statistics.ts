/** Statistics of several rounds. */
import type { Bound, Metric, Sample, Table, Target } from './case';

export interface Spread {
  median: number;
  least: number;
  most: number;
}

export interface Measured {
  contestant: string;
  metrics: Partial<Record<Metric, Spread>>;
  samples: readonly Sample[];
}

export interface Verdict {
  metric: Metric;
  /** The contestant and its value; for several, the smallest and the largest value. */
  ours: { contestants: readonly string[]; values: readonly number[] };
  /** The contestant it is compared with, as a multiple or a difference. */
  peer?: { contestant: string; value: number; as: 'times' | 'above' };
  /** The value that must be within the bound. */
  value: number;
  bound: Bound;
  isMet: boolean;
}

export interface MeasuredTable {
  title: string;
  metrics: readonly Metric[];
  rows: readonly Measured[];
  targets: readonly Verdict[];
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [below = NaN, above = NaN] = [sorted[sorted.length % 2 === 1 ? middle : middle - 1], sorted[middle]];
  return (below + above) / 2;
}

function spread(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

/** @param samples per contestant, in the order of the table */
export function measuredTable(table: Table, samples: readonly (readonly Sample[])[]): MeasuredTable {
  const { title, metrics } = table;
  const rows = table.contestants.map(({ name }, index): Measured => {
    const own = samples[index] ?? [];
    const spreads = metrics.flatMap((metric) => {
      const values = own.flatMap((sample) => sample[metric] ?? []);
      return values.length === 0 ? [] : [[metric, spread(values)] as const];
    });
    return { contestant: name, metrics: Object.fromEntries(spreads), samples: own };
  });
  return { title, metrics, rows, targets: table.targets.flatMap((target) => verdict(rows, target)) };
}

/** @returns an empty array if a contestant has no value */
function verdict(rows: readonly Measured[], target: Target): Verdict[] {
  const { metric } = target;
  const medianOf = (name: string): number | undefined =>
    rows.find(({ contestant }) => contestant === name)?.metrics[metric]?.median;
  if ('alike' in target) {
    const values = target.alike.flatMap((name) => medianOf(name) ?? []);
    if (values.length < target.alike.length) return [];
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const ours = { contestants: target.alike, values: [least, most] };
    return [judged({ metric, ours }, most - least, { atMost: Math.max(target.within, least / 10) })];
  }
  const { contestant, times, above, ...bound } = target;
  const value = medianOf(contestant);
  if (value === undefined) return [];
  const ours = { contestants: [contestant], values: [value] };
  const other = times ?? above;
  if (other === undefined) return [judged({ metric, ours }, value, bound)];
  const theirs = medianOf(other);
  if (theirs === undefined) return [];
  const as = times === undefined ? 'above' : 'times';
  const compared = as === 'times' ? value / theirs : value - theirs;
  return [judged({ metric, ours, peer: { contestant: other, value: theirs, as } }, compared, bound)];
}

function judged(about: Pick<Verdict, 'metric' | 'ours' | 'peer'>, value: number, bound: Bound): Verdict {
  return {
    ...about,
    value,
    bound,
    isMet: 'atMost' in bound ? value <= bound.atMost : value >= bound.atLeast,
  };
}
