/**
 * Mutation testing: changes src in one place at a time and sees whether a spec notices.
 *
 *     npm run test:mutants [-- folder or file of src …]
 *
 * Each folder is run with the specs that are about it, and these with the processes they start. Installs on first use: Stryker's runner wants an older mocha than the project's.
 * Tells the survivors of each and ends with the scores; red where one is below the least.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../..');
/** Folders of src, and of test/src the ones with what they do: `network` is http in processes of their own. */
const FOLDERS = { http: ['http', 'network'], auth: ['auth'], upload: ['upload'], download: ['download'] };
/** Percent of the changes that have to be noticed. */
const LEAST = 80;
/** What becomes of a mutant; any other end, such as that it doesn't load, counts for neither side. */
const NOTICED = ['Killed', 'Timeout'];
const UNNOTICED = ['Survived', 'NoCoverage'];

process.chdir(root);
install();
const { Stryker } = await import('@stryker-mutator/core');
const { require } = JSON.parse(await readFile('.mocharc.json', 'utf8'));
const given = process.argv.slice(2);
const scores = [];
for (const place of given.length > 0 ? given : Object.keys(FOLDERS)) scores.push(await scoreOf(place));
console.log(`\n${scores.map(({ line }) => line).join('\n')}`);
process.exitCode = scores.every(({ percent }) => percent >= LEAST) ? 0 : 1;

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

/** @param place a folder of src, or a file in one: `auth`, `auth/refusal.ts` */
async function scoreOf(place) {
  const [folder] = place.split('/');
  const mutants = await new Stryker({
    mutate: [place.endsWith('.ts') ? `src/${place}` : `src/${place}/**/*.ts`],
    plugins: ['@stryker-mutator/mocha-runner'],
    testRunner: 'mocha',
    mochaOptions: {
      config: '.mocharc.json',
      require: [...require, './test/mutants/children.cjs'],
      spec: (FOLDERS[folder] ?? [folder]).map((each) => `test/src/${each}/*_spec.ts`),
    },
    coverageAnalysis: 'perTest',
    // What runs once, when the module loads, could be tried only by starting anew for each.
    ignoreStatic: true,
    // Two at once slow each other down, and what then takes too long would count as noticed.
    concurrency: 1,
    timeoutMS: 20_000,
    tempDirName: '.stryker',
    reporters: ['progress-append-only'],
  }).runMutationTest();
  const noticed = mutants.filter(({ status }) => NOTICED.includes(status)).length;
  const unnoticed = mutants.filter(({ status }) => UNNOTICED.includes(status));
  for (const mutant of unnoticed) console.log(await shown(mutant));
  const percent = (100 * noticed) / (noticed + unnoticed.length);
  return { percent, line: `${place}: ${percent.toFixed(1)} %, ${unnoticed.length} unnoticed` };
}

/** The change as one line: where, what stood there, what stood there instead. */
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
