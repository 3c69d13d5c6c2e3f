/**
 * Includes child processes of the specs in mutation testing: they run with the active mutant and report the mutants they
 * covered. Loaded by mocha and by each child process.
 * https://stryker-mutator.io/docs/stryker-js/parallel-workers (the command runner sets the environment variable)
 */
const { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');

const MUTANT = '__STRYKER_ACTIVE_MUTANT__';
const FOLDER = 'MUTANTS_OF_CHILDREN';
/** The state shared by Stryker and the instrumented sources. */
const strykerState = () => globalThis.__stryker__ ?? {};

if (process.env[FOLDER]) process.once('exit', reportCoverage);

function reportCoverage() {
  const { mutantCoverage } = strykerState();
  const file = path.join(process.env[FOLDER], `${process.pid}.json`);
  if (mutantCoverage) writeFileSync(file, JSON.stringify(mutantCoverage.static));
}

exports.mochaHooks = {
  beforeEach() {
    const { activeMutant = '' } = strykerState();
    process.env[MUTANT] = activeMutant;
    process.env[FOLDER] = mkdtempSync(path.join(tmpdir(), 'mutants-'));
    process.env.NODE_OPTIONS = `--require ${JSON.stringify(__filename)}`;
  },
  afterEach() {
    const folder = process.env[FOLDER];
    for (const name of [MUTANT, FOLDER, 'NODE_OPTIONS']) delete process.env[name];
    for (const name of readdirSync(folder))
      addCoverage(JSON.parse(readFileSync(path.join(folder, name), 'utf8')));
    rmSync(folder, { recursive: true });
  },
};

function addCoverage(covered) {
  const { mutantCoverage, currentTestId } = strykerState();
  if (!mutantCoverage || !currentTestId) return;
  const own = (mutantCoverage.perTest[currentTestId] ??= {});
  for (const [mutant, count] of Object.entries(covered)) {
    // Code that runs while modules load is covered in every process.
    if (!(mutant in mutantCoverage.static)) own[mutant] = (own[mutant] ?? 0) + count;
  }
}
