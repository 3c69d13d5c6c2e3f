/** What a campaign has come to, as counts and as a table. */
import type { Finding, Problem } from './finding';
import type { Operation, Outcome, Layer } from './operations';

export interface StepReport {
  run: number;
  operation: Operation;
  outcome: Outcome | undefined;
  faults: readonly { name: string; hits: number }[];
  findings: readonly Finding[];
}

/** Enough to see what is wrong. */
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
      const faultList = faults.map(({ name, hits }) => `${name} ×${hits}`).join(', ') || 'no fault';
      const came = outcome ? (outcome.ok ? 'went well' : outcome.text) : 'no ending';
      this.note(problem, `run ${run}, ${operation.kind} (${came}) with ${faultList}: ${problem}, ${what}`);
    }
  }

  /** What was found when a run was over. */
  addFindings(run: number, findings: readonly Finding[]): void {
    for (const { problem, what } of findings) this.note(problem, `run ${run}: ${problem}, ${what}`);
  }

  addUnhandledRejection(reason: unknown): void {
    this.note(
      'unhandled rejection',
      `unhandled rejection: ${reason instanceof Error ? reason.stack : String(reason)}`,
    );
  }

  get isClean(): boolean {
    return this.problems.size === 0;
  }

  /** Kinds of fault that have struck. */
  get faultKinds(): number {
    return this.faultHits.size;
  }

  toString(): string {
    const problem = (name: Problem | 'unhandled rejection'): number => this.problems.get(name) ?? 0;
    const rows: [string, number][] = [
      ['runs', this.runs],
      ['operations', this.operations],
      ['faults injected', sum(this.faultHits)],
      ['kinds of fault that struck', this.faultKinds],
      ['outputs', this.results],
      ['errors', sum(this.errors)],
      ...[...this.errors].sort().map(([code, number]): [string, number] => [`  ${code}`, number]),
      ['messages without an ending', problem('without an ending')],
      ['endings and outputs amiss', problem('amiss')],
      ['errors without a code', problem('not coded')],
      ['outputs that are not true', problem('untrue')],
      ['corrupt files', problem('corrupt')],
      ['duplicates', problem('duplicate')],
      ['files left behind', problem('left behind')],
      ['unhandled rejections', problem('unhandled rejection')],
      ['leaked canaries', problem('leaked')],
    ];
    const lines = rows.map(([name, number]) => `${name.padEnd(28)} ${String(number).padStart(8)}`);
    return [`through ${this.layer}, seed ${this.seed}`, ...lines, ...this.problemLines].join('\n');
  }

  private note(problem: Problem | 'unhandled rejection', line: string): void {
    count(this.problems, problem);
    if (this.problemLines.length < MAX_PROBLEM_LINES) this.problemLines.push(line);
  }
}

function count<T>(counts: Map<T, number>, of: T, by = 1): void {
  counts.set(of, (counts.get(of) ?? 0) + by);
}

function sum(counts: ReadonlyMap<unknown, number>): number {
  return [...counts.values()].reduce((total, each) => total + each, 0);
}
