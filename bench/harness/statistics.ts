/** Numbers from several rounds. */
import type { Metric, Sample, Table, Target } from './case';

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
  says: string;
  value: number;
  atMost: number;
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

/** @param samples of each contestant, in the table's order */
export function measuredTable(table: Table, samples: readonly (readonly Sample[])[]): MeasuredTable {
  const { title, metrics } = table;
  const rows = table.contestants.map(({ name }, index): Measured => {
    const mine = samples[index] ?? [];
    const spreads = metrics.flatMap((metric) => {
      const values = mine.flatMap((sample) => sample[metric] ?? []);
      return values.length === 0 ? [] : [[metric, spread(values)] as const];
    });
    return { contestant: name, metrics: Object.fromEntries(spreads), samples: mine };
  });
  return { title, metrics, rows, targets: table.targets.flatMap((target) => verdict(rows, target)) };
}

/** @returns nothing where a contestant wasn't there or can't tell */
function verdict(rows: readonly Measured[], target: Target): Verdict[] {
  const of = (name: string): number | undefined =>
    rows.find(({ contestant }) => contestant === name)?.metrics[target.metric]?.median;
  if ('alike' in target) {
    const values = target.alike.flatMap((name) => of(name) ?? []);
    if (values.length < target.alike.length) return [];
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return [
      judged(
        `${target.metric} of ${target.alike.join(', ')} alike`,
        most - least,
        Math.max(target.within, least / 10),
      ),
    ];
  }
  const { contestant, metric, atMost, times } = target;
  if (times === undefined && target.above !== undefined) {
    const [ours, theirs] = [of(contestant), of(target.above)];
    if (ours === undefined || theirs === undefined) return [];
    return [judged(`${metric} of ${contestant} above ${target.above}`, ours - theirs, atMost)];
  }
  const [ours, theirs] = [of(contestant), times === undefined ? 1 : of(times)];
  if (ours === undefined || theirs === undefined) return [];
  const says = times === undefined ? `${metric} of ${contestant}` : `${metric} of ${contestant} × ${times}`;
  return [judged(says, ours / theirs, atMost)];
}

function judged(says: string, value: number, atMost: number): Verdict {
  return { says, value, atMost, isMet: value <= atMost };
}
