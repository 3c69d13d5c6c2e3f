/**
 * Lets the processes that specs start take part in mutation testing: they run with the same change, and tell which
 * changes they came by. Loaded by mocha, and by each such process on its own.
 * https://stryker-mutator.io/docs/stryker-js/parallel-workers (its environment variable is that of its command runner)
 */
const { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');

const MUTANT = '__STRYKER_ACTIVE_MUTANT__';
const FOLDER = 'MUTANTS_OF_CHILDREN';
/** What Stryker and its changed sources know of each other. */
const known = () => globalThis.__stryker__ ?? {};

if (process.env[FOLDER]) process.once('exit', tell);

function tell() {
  const { mutantCoverage } = known();
  const file = path.join(process.env[FOLDER], `${process.pid}.json`);
  if (mutantCoverage) writeFileSync(file, JSON.stringify(mutantCoverage.static));
}

exports.mochaHooks = {
  beforeEach() {
    const { activeMutant = '' } = known();
    process.env[MUTANT] = activeMutant;
    process.env[FOLDER] = mkdtempSync(path.join(tmpdir(), 'mutants-'));
    process.env.NODE_OPTIONS = `--require ${JSON.stringify(__filename)}`;
  },
  afterEach() {
    const folder = process.env[FOLDER];
    for (const name of [MUTANT, FOLDER, 'NODE_OPTIONS']) delete process.env[name];
    for (const name of readdirSync(folder)) note(JSON.parse(readFileSync(path.join(folder, name), 'utf8')));
    rmSync(folder, { recursive: true });
  },
};

function note(cameBy) {
  const { mutantCoverage, currentTestId } = known();
  if (!mutantCoverage || !currentTestId) return;
  const own = (mutantCoverage.perTest[currentTestId] ??= {});
  for (const [mutant, count] of Object.entries(cameBy)) {
    // What runs as a module loads runs so in each process: no spec is about it.
    if (!(mutant in mutantCoverage.static)) own[mutant] = (own[mutant] ?? 0) + count;
  }
}
