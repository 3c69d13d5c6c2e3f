/** Runs the contestants of a table in turn, so that noise affects all of them. */
import type { Sample, Table } from './case';
import type { Noise } from './machine';
import { type MeasuredTable, measuredTable } from './statistics';

export interface RoundsOptions {
  rounds: number;
  noise: Noise;
  /** Called before each run. */
  progress: (text: string) => void;
}

export async function measureTable(
  table: Table,
  { rounds, noise, progress }: RoundsOptions,
): Promise<MeasuredTable> {
  const samples: Sample[][] = table.contestants.map(() => []);
  for (let round = 1; round <= rounds; round++) {
    for (const [index, contestant] of table.contestants.entries()) {
      progress(`${table.title}: round ${round} of ${rounds}, ${contestant.name}`);
      noise.sample();
      samples[index]?.push(await contestant.run());
    }
  }
  return measuredTable(table, samples);
}
