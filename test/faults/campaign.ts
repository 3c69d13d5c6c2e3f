/**
 * The fault campaign: `npm run test:faults -- --seed N --runs M [--first RUN] [--through client|nodes]`. Random
 * operations through random faults, over real HTTP; only the clock is not real. The same seed gives the same runs;
 * `--first` begins with a later one, to look at one alone. Without `--through` there are that many runs through the
 * client alone and then as many through the flow nodes of a real Node-RED.
 */
import { parseArgs } from 'node:util';
import type { Layer } from './operations';
import { runCampaign } from './run-campaign';

const LAYERS: readonly Layer[] = ['client', 'nodes'];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      runs: { type: 'string' },
      first: { type: 'string' },
      through: { type: 'string' },
    },
  });
  const seed = Number(values.seed ?? Date.now() % 1e6);
  const layers = LAYERS.filter((each) => each === (values.through ?? each));
  if (layers.length === 0) throw new Error(`--through is one of ${LAYERS.join(', ')}`);
  for (const layer of layers) {
    let told = 0;
    const report = await runCampaign({
      seed,
      layer,
      runs: Number(values.runs ?? 1_000),
      first: Number(values.first ?? 0),
      onRun: (run, { problemLines }) => {
        for (const problem of problemLines.slice(told)) process.stderr.write(`${problem}\n`);
        told = problemLines.length;
        if (run % 500 === 499) process.stderr.write(`run ${run + 1}\n`);
      },
    });
    process.stdout.write(`${report.toString()}\n\n`);
    if (!report.isClean) process.exitCode = 1;
  }
}

void main();
