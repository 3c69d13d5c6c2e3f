/**
 * Runs the long tests: builds, runs all long specs, then runs all editor specs in the newest Node-RED, which is fetched
 * once. Arguments are passed to mocha. The last line of each run is `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const NEWEST = '5.0';

function run(command, env = {}) {
  const options = { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } };
  return spawnSync(process.execPath, command, options).status ?? 1;
}

function mocha(pattern, env) {
  return run(['node_modules/mocha/bin/mocha.js', pattern, ...process.argv.slice(2)], env);
}

if (run(['scripts/build.mjs']) !== 0) process.exit(1);
const failed = [
  mocha('test/**/*_long.ts'),
  mocha('test/editor/*_{spec,long}.ts', { CLOUD_DRIVE_NODE_RED: NEWEST }),
];
process.exitCode = Math.max(...failed);
