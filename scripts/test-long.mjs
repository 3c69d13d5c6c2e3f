/**
 * Runs the long tests: builds, runs all long specs and the specs with long tests, then runs all editor specs in the newest
 * Node-RED, which is fetched once. Arguments are passed to mocha. The last line of each run is `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const NEWEST = '5.0';

function run(command, env = {}) {
  const options = { cwd: root, stdio: 'inherit', env: { ...process.env, CLOUD_DRIVE_LONG: '1', ...env } };
  return spawnSync(process.execPath, command, options).status ?? 1;
}

function mocha(files, env) {
  return run(['node_modules/mocha/bin/mocha.js', ...files, ...process.argv.slice(2)], env);
}

/** @returns long specs, and specs with tests that only run here */
function longSpecs() {
  return readdirSync(path.join(root, 'test'), { recursive: true })
    .filter((file) => /_(?:spec|long)\.ts$/.test(file) && !file.includes('node_modules'))
    .map((file) => path.join('test', file))
    .filter(
      (file) => file.endsWith('_long.ts') || readFileSync(path.join(root, file), 'utf8').includes('run/long'),
    )
    .sort();
}

if (run(['scripts/build.mjs']) !== 0) process.exit(1);
const failed = [
  mocha(longSpecs()),
  mocha(['test/editor/*_{spec,long}.ts'], { CLOUD_DRIVE_NODE_RED: NEWEST }),
];
process.exitCode = Math.max(...failed);
