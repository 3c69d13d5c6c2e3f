/**
 * The long tests: builds, then runs mocha over all of them, and over everything that drives the editor once more in the
 * newest Node-RED, which the first run fetches. Arguments go to mocha. The last line of each is `N passed, N failed`.
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

function mocha(what, env) {
  return run(['node_modules/mocha/bin/mocha.js', what, ...process.argv.slice(2)], env);
}

if (run(['scripts/build.mjs']) !== 0) process.exit(1);
const failed = [
  mocha('test/**/*_long.ts'),
  mocha('test/editor/*_{spec,long}.ts', { CLOUD_DRIVE_NODE_RED: NEWEST }),
];
process.exitCode = Math.max(...failed);
