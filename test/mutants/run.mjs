/**
 * Mutation testing: changes one expression of src at a time and checks that a spec fails.
 *
 *     npm run test:mutants [-- folder or file of src …]
 *
 * Runs the specs of each folder, including their child processes. Installs Stryker on first use, because its runner needs
 * an older mocha. Prints the surviving mutants and the scores; fails if a score is below the minimum.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../..');
/** Folders of src, and of test/src the ones with what they do: `network` is http in processes of their own. */
const FOLDERS = { http: ['http', 'network'], auth: ['auth'], transfer: ['transfer/{upload,download}'] };
/** Minimum percentage of killed mutants. */
const MIN_SCORE = 80;
/** The statuses that count; others, such as compile errors, don't. */
const DETECTED = ['Killed', 'Timeout'];
const UNDETECTED = ['Survived', 'NoCoverage'];

process.chdir(root);
install();
const { Stryker } = await import('@stryker-mutator/core');
const { require } = JSON.parse(await readFile('.mocharc.json', 'utf8'));
const targets = process.argv.slice(2);
const scores = [];
for (const target of targets.length > 0 ? targets : Object.keys(FOLDERS)) scores.push(await scoreOf(target));
console.log(`\n${scores.map(({ line }) => line).join('\n')}`);
process.exitCode = scores.every(({ percent }) => percent >= MIN_SCORE) ? 0 : 1;

function install() {
  if (existsSync(path.join(here, 'node_modules'))) return;
  const npm = process.env.npm_execpath;
  if (npm === undefined) throw new Error('Run it as npm run test:mutants.');
  const { status } = spawnSync(process.execPath, [npm, 'ci', '--no-audit', '--no-fund'], {
    cwd: here,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** @param target a folder of src, or a file in one: `auth`, `auth/scopes.ts` */
async function scoreOf(target) {
  const [folder] = target.split('/');
  const mutants = await new Stryker({
    mutate: [target.endsWith('.ts') ? `src/${target}` : `src/${target}/**/*.ts`],
    plugins: ['@stryker-mutator/mocha-runner'],
    testRunner: 'mocha',
    mochaOptions: {
      config: '.mocharc.json',
      // Mocha's command line gets TypeScript as an option of Node.js, which the runner doesn't read.
      require: ['./test/support/run/typescript.cjs', ...require, './test/mutants/children.cjs'],
      spec: (FOLDERS[folder] ?? [folder]).map((each) => `test/src/${each}/*_spec.ts`),
    },
    coverageAnalysis: 'perTest',
    // Code that runs while modules load would need a new process for each mutant.
    ignoreStatic: true,
    // Parallel runs slow each other down, and timeouts count as detected.
    concurrency: 1,
    timeoutMS: 20_000,
    tempDirName: '.stryker',
    reporters: ['progress-append-only'],
  }).runMutationTest();
  const detected = mutants.filter(({ status }) => DETECTED.includes(status)).length;
  const undetected = mutants.filter(({ status }) => UNDETECTED.includes(status));
  for (const mutant of undetected) console.log(await shown(mutant));
  const percent = (100 * detected) / (detected + undetected.length);
  return { percent, line: `${target}: ${percent.toFixed(1)} %, ${undetected.length} undetected` };
}

/** Describes a mutant in one line: location, original and replacement. */
async function shown({ fileName, location: { start, end }, replacement, status }) {
  const lines = (await readFile(fileName, 'utf8')).split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = lines[last].slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  const where = `${path.relative(root, fileName)}:${start.line}`;
  return `${where} ${status}: ${short(lines.join(' '))}  →  ${short(replacement)}`;
}

function short(text) {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
