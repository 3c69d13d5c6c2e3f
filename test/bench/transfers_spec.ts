/** Runs the transfer benchmark with small files, without checking its values. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Report } from '../../bench/harness/report';
import { itLong } from '../support/run/long';

const ROOT = path.join(__dirname, '../..');

describe('npm run bench -- transfers', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const bench = (...args: string[]) =>
    promisify(execFile)(process.execPath, ['--import', 'tsx', 'bench/run.ts', ...args], { cwd: ROOT });

  itLong('the transfer benchmark measures all contestants and leaves no files', async () => {
    const json = path.join(folder, 'report.json');
    const size = ['--size', '1MiB', '--rounds', '1', '--folder', folder];
    const { stdout } = await bench('transfers', ...size, '--offline', '--markdown', '--json', json);
    stdout.should.match(/^\*\*Download to disk, 1 MiB\*\*$/m);
    stdout.should.match(/^\| download node \| \d/m);
    stdout.should.match(/^- (met|NOT MET): wall time of download node × /m);
    const [{ tables }, ...others] = JSON.parse(await readFile(json, 'utf8')) as [Report, ...Report[]];
    others.should.be.empty();
    tables.should.have.length(4);
    for (const { rows, metrics } of tables) {
      rows.length.should.be.aboveOrEqual(3);
      for (const { contestant, samples } of rows) {
        samples.should.have.length(1);
        const measured = samples[0]?.[metrics[0] ?? 'wall'];
        measured!.should.be.a.Number().and.not.NaN();
        contestant.should.not.be.empty();
      }
    }
    (await readdir(folder)).should.deepEqual(['report.json']);
  });

  it('the benchmark rejects --readme with --json', async () => {
    const asked = bench('--readme', '--json', path.join(folder, 'report.json'));
    const failure = (await asked.catch((error: unknown) => error)) as { stderr: string };
    failure.stderr.should.match(/^--readme .*: omit --json\.\n$/);
  });

  it('the benchmark lists the cases when given an unknown one', async () => {
    const failure = (await bench('transfer').catch((error: unknown) => error)) as { stderr: string };
    failure.stderr.should.match(/^Unknown case transfer\. Cases: (\w+, )*transfers(, \w+)*\.\n$/);
  });
});
