/**
 * The tests: builds, then runs mocha over all specs with coverage of src and nodes. Arguments go to mocha.
 * The last line is `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

function run(...command) {
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

run('scripts/build.mjs');
run(
  'node_modules/c8/bin/c8.js',
  'node_modules/mocha/bin/mocha.js',
  'test/**/*_spec.ts',
  ...process.argv.slice(2),
);
