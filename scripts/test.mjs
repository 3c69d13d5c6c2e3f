/**
 * Runs the tests: builds, then runs mocha over all specs in parallel. With `--coverage`, measures and checks the coverage of
 * src and nodes. Other arguments go to mocha. Spec files that fail are run once more, alone; if they pass then, the run passes and
 * names their failed tests as flaky. The last line is `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Most tests wait for a timer, a process or a browser, so a core can serve several of them. */
const JOBS = 2 * availableParallelism();
/** If more spec files fail than this, nothing is repeated: they don't fail by chance. */
const MOST_REPEATED = 5;
/** Specs that take longest start first, so that no single one is left at the end. Each of the others takes a few seconds. */
const SLOWEST_FIRST = [
  'src/backup/read-snapshots',
  'src/backup/restic',
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
  'src/backup/restore/swap',
  'security',
  'local-drive/spec/cli',
  'src/scenarios',
  'fleet',
  'soak',
  'package',
  'nodes/account',
  'src/backup',
  'src/transfer',
];

/** @returns the exit code */
function run(...command) {
  const env = { ...process.env, CLOUD_DRIVE_RESULTS: resultsFile };
  return spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit', env }).status ?? 1;
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

const measuresCoverage = process.argv.includes('--coverage');
const mochaOptions = process.argv.slice(2).filter((argument) => argument !== '--coverage');
const resultsFile = path.join(mkdtempSync(path.join(tmpdir(), 'cloud-drive-tests-')), 'results.json');

try {
  build();
  process.exitCode = runTests();
} finally {
  rmSync(path.dirname(resultsFile), { recursive: true });
}

function build() {
  for (const command of [['scripts/build.mjs'], ['--import', 'tsx', 'test/support/editor/unpack-browser.ts']])
    if (run(...command) !== 0) process.exit(1);
}

/** @returns the exit code */
function runTests() {
  const coverage = measuresCoverage ? ['node_modules/c8/bin/c8.js'] : [];
  const parallel = ['--parallel', '--jobs', String(JOBS), '--require', './test/support/run/workers.cjs'];
  const { status, results } = runMocha(coverage, [...parallel, ...specs()]);
  if (!results) return status || 1;
  const failedFiles = Object.keys(results).filter((file) => results[file].failed.length > 0);
  const again = failedFiles.length <= MOST_REPEATED ? failedFiles.map(repeat) : [];
  const flaky = again.filter(({ passes }) => passes);
  for (const { file } of flaky)
    for (const title of results[file].failed) console.log(`flaky: ${path.relative(root, file)}, ${title}`);
  Object.assign(results, ...again.map(({ file, results: repeated }) => ({ [file]: repeated })));
  const failed = report(Object.values(results));
  if (failed > 0) return 1;
  // c8 also fails for too little coverage, mocha for what no test's result shows.
  return flaky.length > 0 && !measuresCoverage ? 0 : status;
}

/** Runs a file that has failed beside others once more, alone. */
function repeat(file) {
  const { status, results } = runMocha([], [file]);
  const repeated = results?.[file];
  const passes = status === 0 && repeated !== undefined;
  const failed = ['the file, run again alone'];
  return { file, passes, results: repeated ?? { passed: 0, failed, skipped: [] } };
}

function runMocha(before, args) {
  rmSync(resultsFile, { force: true });
  const status = run(...before, 'node_modules/mocha/bin/mocha.js', ...args, ...mochaOptions);
  const results = existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, 'utf8')) : undefined;
  return { status, results };
}

/** Prints the line that CI reads. @returns the number of failed tests */
function report(files) {
  const count = (property) => files.reduce((sum, file) => sum + file[property].length, 0);
  const passed = files.reduce((sum, file) => sum + file.passed, 0);
  const skipped = count('skipped');
  for (const title of files.flatMap((file) => file.skipped)) console.log(`skipped: ${title}`);
  console.log(`${passed} passed, ${count('failed')} failed${skipped ? `, ${skipped} skipped` : ''}`);
  return count('failed');
}
