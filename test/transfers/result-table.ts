/** The table that the tests print: what went wrong, by the sizes of the files. */
import type { Outcome } from './run-transfer';
import type { FaultCase } from './fault-case';

export class ResultTable {
  private readonly cells = new Map<FaultCase, Map<number, Outcome>>();

  constructor(
    private readonly title: string,
    private readonly sizes: readonly number[],
  ) {}

  add(row: FaultCase, size: number, outcome: Outcome): void {
    const cells = this.cells.get(row) ?? new Map<number, Outcome>();
    this.cells.set(row, cells.set(size, outcome));
  }

  toString(): string {
    const rows = [...this.cells.keys()];
    const columns = this.sizes.map((size) => size.toLocaleString('en'));
    const labels = rows.map(({ name, expectedError }) =>
      expectedError === undefined ? name : `${name} → ${[expectedError].flat().join(' or ')}`,
    );
    const width = Math.max(this.title.length, ...labels.map(({ length }) => length));
    const line = (label: string, cells: readonly string[]): string =>
      `${label.padEnd(width)}${cells.map((cell, index) => cell.padStart((columns[index]?.length ?? 0) + 2)).join('')}`;
    return [
      line(this.title, columns),
      ...rows.map((row, index) =>
        line(
          labels[index] ?? '',
          this.sizes.map((size) => this.cell(row, size)),
        ),
      ),
    ].join('\n');
  }

  private cell(row: FaultCase, size: number): string {
    const outcome = this.cells.get(row)?.get(size);
    if (!outcome) return '·';
    return outcome.problems.length > 0 ? 'WRONG' : String(outcome.requests);
  }
}

export const LEGEND = `By bytes of the file: how many requests carried its content until the right bytes were there and nowhere else twice, or
until the error behind the arrow was told, the drive and the disk being as before. A dot: it can't strike this size.`;
