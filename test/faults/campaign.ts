/**
 * The fault campaign: `npm run test:faults -- --seed N --runs M [--first RUN] [--through client|nodes]`. Random
 * operations with random faults, over real HTTP with a fake clock. The same seed repeats the same runs; `--first` starts
 * with a later one. Without `--through`, the runs use the client first, and then the flow nodes of a real Node-RED; last come
 * the backups of backups_long.ts, one for every ten runs.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Layer } from './operations';
import { runCampaign } from './run-campaign';

const BACKUPS = path.join(__dirname, 'backups_long.ts');

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
  if (layers.length === 0) throw new Error(`--through must be one of ${LAYERS.join(', ')}`);
  const runs = Number(values.runs ?? 1_000);
  for (const layer of layers) {
    let printed = 0;
    const report = await runCampaign({
      seed,
      layer,
      runs,
      first: Number(values.first ?? 0),
      onRun: (run, { problemLines }) => {
        for (const problem of problemLines.slice(printed)) process.stderr.write(`${problem}\n`);
        printed = problemLines.length;
        if (run % 500 === 499) process.stderr.write(`run ${run + 1}\n`);
      },
    });
    process.stdout.write(`${report.toString()}\n\n`);
    if (!report.isClean) process.exitCode = 1;
  }
  if (values.through === undefined && !runBackups(seed, Math.ceil(runs / 10))) process.exitCode = 1;
}

/** @returns whether all of them ended as they should */
function runBackups(seed: number, rounds: number): boolean {
  const env = { ...process.env, BACKUP_SEED: String(seed), BACKUP_ROUNDS: String(rounds) };
  const args = [require.resolve('mocha/bin/mocha.js'), BACKUPS, '--timeout', '0'];
  return spawnSync(process.execPath, args, { stdio: 'inherit', env }).status === 0;
}

void main();
