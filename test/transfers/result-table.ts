/** The results of the fault matrix, by file size. */
import { textTable } from '../support/text-table';
import type { Outcome } from './run-transfer';
import type { FaultCase } from './fault-case';

export class ResultTable {
  private readonly results = new Map<FaultCase, Map<number, Outcome>>();

  constructor(
    private readonly title: string,
    private readonly sizes: readonly number[],
  ) {}

  add(faultCase: FaultCase, size: number, outcome: Outcome): void {
    const bySize = this.results.get(faultCase) ?? new Map<number, Outcome>();
    this.results.set(faultCase, bySize.set(size, outcome));
  }

  toString(): string {
    const rows = [...this.results].map(([{ name, expectedError }, bySize]) => [
      expectedError === undefined ? name : `${name} → ${[expectedError].flat().join(' or ')}`,
      ...this.sizes.map((size) => cell(bySize.get(size))),
    ]);
    return textTable([[this.title, ...this.sizes.map((size) => size.toLocaleString('en'))], ...rows]).join(
      '\n',
    );
  }
}

function cell(outcome: Outcome | undefined): string | number {
  if (!outcome) return '·';
  return outcome.problems.length > 0 ? 'WRONG' : outcome.requests;
}

export const LEGEND = `The number of requests that transferred content, by file size, until the transfer succeeded or failed with the error
after the arrow. A dot: the fault doesn't apply to this size.`;
