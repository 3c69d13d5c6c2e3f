/** Runs the benchmarks in bench/, after installing dependencies if necessary. Arguments are passed on. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const npm = process.env.npm_execpath;
if (!existsSync(path.join(root, 'node_modules/tsx'))) {
  if (npm === undefined) throw new Error('Run this script with npm run bench.');
  run(process.execPath, [npm, 'install', '--no-audit', '--no-fund']);
}
run(process.execPath, ['--import', 'tsx', 'bench/run.ts', ...process.argv.slice(2)]);
