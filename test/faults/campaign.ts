/**
 * The fault campaign: `npm run test:faults -- --seed N --runs M [--first RUN]`. Random operations through random
 * faults, over real HTTP; only the clock is not real. The same seed gives the same runs; `--first` begins with a later
 * one, to look at one alone.
 */
import { parseArgs } from 'node:util';
import { campaign } from './run';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { seed: { type: 'string' }, runs: { type: 'string' }, first: { type: 'string' } },
  });
  const seed = Number(values.seed ?? Date.now() % 1e6);
  let told = 0;
  const report = await campaign({
    seed,
    runs: Number(values.runs ?? 1_000),
    first: Number(values.first ?? 0),
    onRun: (run, { shown }) => {
      for (const problem of shown.slice(told)) process.stderr.write(`${problem}\n`);
      told = shown.length;
      if (run % 500 === 499) process.stderr.write(`run ${run + 1}\n`);
    },
  });
  process.stdout.write(`${report.toString()}\n`);
  process.exitCode = report.isClean ? 0 : 1;
}

void main();
