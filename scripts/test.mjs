/**
 * Runs the tests: builds, then runs mocha over all specs in parallel. With `--coverage`, measures and checks the coverage of
 * src and nodes. Other arguments go to mocha. The last line is `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Most tests wait for a timer, a process or a browser, so a core can serve several of them. */
const JOBS = 2 * availableParallelism();
/** Specs that take longest start first, so that no single one is left at the end. Each of the others takes a few seconds. */
const SLOWEST_FIRST = [
  'src/backup/read-snapshots',
  'src/snapshots',
  'editor',
  'nodes/account/sign-in-sequences',
  'nodes/account/token-journal',
  'src/backup/incomplete-archives',
  'transfers',
  'nodes/backup',
  'nodes/restore',
  'demo',
  'src/backup/archive-index',
  'src/sync/sync-killed',
  'faults',
  'docs',
  'src/disk/swap',
  'security',
  'local-drive/spec/cli',
  'src/scenarios',
  'fleet',
  'soak',
  'package',
  'nodes/account',
  'src/backup',
  'src/archive',
  'src/upload',
];

function run(...command) {
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function specs() {
  const files = readdirSync(path.join(root, 'test'), { recursive: true })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => file.endsWith('_spec.ts') && !file.includes('node_modules/'))
    .sort();
  const rank = (file) => {
    const index = SLOWEST_FIRST.findIndex((prefix) => file.startsWith(prefix));
    return index < 0 ? SLOWEST_FIRST.length : index;
  };
  return files.sort((a, b) => rank(a) - rank(b)).map((file) => `test/${file}`);
}

const coverage = process.argv.includes('--coverage') ? ['node_modules/c8/bin/c8.js'] : [];
const mochaOptions = process.argv.slice(2).filter((argument) => argument !== '--coverage');

run('scripts/build.mjs');
run('--import', 'tsx', 'test/support/editor/unpack-browser.ts');
run(
  ...coverage,
  'node_modules/mocha/bin/mocha.js',
  '--parallel',
  '--jobs',
  String(JOBS),
  '--require',
  './test/support/run/workers.cjs',
  ...specs(),
  ...mochaOptions,
);
