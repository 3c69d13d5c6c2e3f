/**
 * The benchmarks: `npm run bench -- [CASE…] [--size 1GiB] [--rounds 5] [--folder DIR] [--json FILE] [--markdown] [--readme]`.
 * Runs all cases by default. See README.md in this folder.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../test/support/node-red/built-package';
import type { Case } from './harness/case';
import { Noise, machine } from './harness/machine';
import { installPeers, versions } from './harness/peers';
import { writeReadme } from './harness/readme';
import { type Report, asMarkdown, asText } from './harness/report';
import { measureTable } from './harness/rounds';
import type { MeasuredTable } from './harness/statistics';

const CASES = path.join(__dirname, 'cases');
const RESULTS = path.join(__dirname, 'results');

interface Settings {
  cases: string[];
  /** Bytes. */
  size: number;
  rounds: number;
  folder: string;
  json: string | undefined;
  markdown: boolean;
  /** Updates the table in bench/README.md. */
  readme: boolean;
  offline: boolean;
}

function settingsFrom(args: string[]): Settings {
  const all = allCases();
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      size: { type: 'string', default: '1GiB' },
      rounds: { type: 'string', default: '5' },
      folder: { type: 'string', default: tmpdir() },
      json: { type: 'string' },
      markdown: { type: 'boolean', default: false },
      readme: { type: 'boolean', default: false },
      offline: { type: 'boolean', default: false },
    },
  });
  const unknown = positionals.find((name) => !all.includes(name));
  if (unknown !== undefined) throw new Error(`Unknown case ${unknown}. Cases: ${all.join(', ')}.`);
  if (values.readme && values.json !== undefined)
    throw new Error('--readme reads bench/results: omit --json.');
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error('--rounds must be a whole number of at least 1.');
  return {
    cases: positionals.length > 0 ? positionals : all,
    size: bytesIn(values.size ?? ''),
    rounds,
    folder: path.resolve(values.folder ?? ''),
    json: values.json,
    markdown: values.markdown ?? false,
    readme: values.readme ?? false,
    offline: values.offline ?? false,
  };
}

function bytesIn(text: string): number {
  const found = /^(\d+) ?(KiB|MiB|GiB)?$/.exec(text);
  if (!found) throw new Error('--size must be a number, followed by KiB, MiB or GiB.');
  return Number(found[1]) * { '': 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 }[found[2] ?? '']!;
}

async function runCase(name: string, settings: Settings): Promise<Report> {
  const { size, rounds } = settings;
  const started = Date.now();
  const noise = new Noise();
  const notes: string[] = [];
  const missing = settings.offline ? undefined : installPeers();
  if (missing !== undefined) notes.push(missing);
  const { default: measured } = (await import(path.join(CASES, `${name}.ts`))) as { default: Case };
  const folder = mkdtempSync(path.join(settings.folder, 'cloud-drive-bench-'));
  const tables: MeasuredTable[] = [];
  try {
    const running = await measured.start({ size, folder, note: (text) => notes.push(text) });
    try {
      for (const table of running.tables) tables.push(await measureTable(table, { rounds, noise, progress }));
    } finally {
      await running.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return {
    ...{ case: name, about: measured.about, date: new Date(started).toISOString(), size, rounds },
    seconds: (Date.now() - started) / 1e3,
    machine: machine(versions()),
    noise: noise.findings(),
    notes,
    tables,
  };
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${text}`);
}

function allCases(): string[] {
  return readdirSync(CASES).map((file) => path.basename(file, '.ts'));
}

function resultsOf(name: string): string {
  return path.join(RESULTS, `${name}.json`);
}

/** The latest report of every case. @throws if one is missing */
function lastReports(): Report[] {
  const missing = allCases().filter((name) => !existsSync(resultsOf(name)));
  if (missing.length > 0)
    throw new Error(`--readme needs the results of all cases; run these too: ${missing.join(', ')}.`);
  return allCases().map((name) => JSON.parse(readFileSync(resultsOf(name), 'utf8')) as Report);
}

async function main(): Promise<void> {
  const settings = settingsFrom(process.argv.slice(2));
  ensureBuilt();
  const reports: Report[] = [];
  for (const name of settings.cases) {
    const report = await runCase(name, settings);
    progress('');
    process.stdout.write(`${settings.markdown ? asMarkdown(report) : asText(report)}\n`);
    reports.push(report);
    if (settings.json === undefined) write(resultsOf(name), report);
  }
  if (settings.json !== undefined) write(settings.json, reports);
  if (settings.readme) await writeReadme(lastReports());
}

function write(file: string, content: unknown): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  process.stdout.write(`\nAlso in ${path.relative(process.cwd(), file)}.\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
