/** The results of a campaign, as counts and as a table. */
import { textTable } from '../support/text-table';
import type { Finding, Problem } from './finding';
import type { Operation, Outcome, Layer } from './operations';

export interface StepReport {
  run: number;
  operation: Operation;
  outcome: Outcome | undefined;
  faults: readonly { name: string; hits: number }[];
  findings: readonly Finding[];
}

const MAX_PROBLEM_LINES = 20;

export class CampaignReport {
  runs = 0;
  operations = 0;
  results = 0;
  readonly errors = new Map<string, number>();
  readonly faultHits = new Map<string, number>();
  readonly problems = new Map<Problem | 'unhandled rejection', number>();
  readonly problemLines: string[] = [];

  constructor(
    private readonly seed: number,
    private readonly layer: Layer,
  ) {}

  addStep({ run, operation, outcome, faults, findings }: StepReport): void {
    this.operations += 1;
    if (outcome?.ok) this.results += 1;
    else if (outcome) count(this.errors, outcome.code);
    for (const { name, hits } of faults) if (hits > 0) count(this.faultHits, name, hits);
    for (const { problem, what } of findings) {
      const faultNames = faults.map(({ name, hits }) => `${name} ×${hits}`).join(', ') || 'no fault';
      const result = outcome ? (outcome.ok ? 'success' : outcome.text) : 'no result';
      this.addProblem(
        problem,
        `run ${run}, ${operation.kind} (${result}) with ${faultNames}: ${problem}, ${what}`,
      );
    }
  }

  /** Adds findings from the end of a run. */
  addFindings(run: number, findings: readonly Finding[]): void {
    for (const { problem, what } of findings) this.addProblem(problem, `run ${run}: ${problem}, ${what}`);
  }

  addUnhandledRejection(reason: unknown): void {
    this.addProblem(
      'unhandled rejection',
      `unhandled rejection: ${reason instanceof Error ? reason.stack : String(reason)}`,
    );
  }

  get isClean(): boolean {
    return this.problems.size === 0;
  }

  /** Number of kinds of faults that were applied. */
  get faultKinds(): number {
    return this.faultHits.size;
  }

  toString(): string {
    const problem = (name: Problem | 'unhandled rejection'): number => this.problems.get(name) ?? 0;
    const rows: [string, number][] = [
      ['runs', this.runs],
      ['operations', this.operations],
      ['faults injected', sum(this.faultHits)],
      ['kinds of faults applied', this.faultKinds],
      ['successful operations', this.results],
      ['errors', sum(this.errors)],
      ...[...this.errors].sort().map(([code, number]): [string, number] => [`  ${code}`, number]),
      ['operations without a result', problem('no result')],
      ['contract violations', problem('contract violation')],
      ['errors without a code', problem('error without code')],
      ['wrong results', problem('wrong result')],
      ['corrupt files', problem('corrupt')],
      ['duplicates', problem('duplicate')],
      ['leftover files', problem('leftover')],
      ['unhandled rejections', problem('unhandled rejection')],
      ['leaked secrets', problem('leaked')],
    ];
    return [`layer ${this.layer}, seed ${this.seed}`, ...textTable(rows), ...this.problemLines].join('\n');
  }

  private addProblem(problem: Problem | 'unhandled rejection', line: string): void {
    count(this.problems, problem);
    if (this.problemLines.length < MAX_PROBLEM_LINES) this.problemLines.push(line);
  }
}

function count<T>(counts: Map<T, number>, key: T, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function sum(counts: ReadonlyMap<unknown, number>): number {
  return [...counts.values()].reduce((total, each) => total + each, 0);
}
