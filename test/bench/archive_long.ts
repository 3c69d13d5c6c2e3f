/** Runs the benchmarks of archives with small trees, without checking their values. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Report } from '../../bench/harness/report';

const ROOT = path.join(__dirname, '../..');
const TITLES = {
  archive: ['Backup of 1,000 small files', 'Restore of 1,000 small files'],
  checks: ['Check of 16 MiB', 'Comparison of 16 MiB with a folder', 'One file out of 160 MiB'],
};

describe('npm run bench', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  for (const [name, titles] of Object.entries(TITLES))
    it(`the benchmark ${name} measures all contestants and leaves no files`, async () => {
      const json = path.join(folder, 'report.json');
      const size = ['--size', '16MiB', '--rounds', '1', '--folder', folder];
      const args = ['--import', 'tsx', 'bench/run.ts', name, ...size, '--offline', '--json', json];
      await promisify(execFile)(process.execPath, args, { cwd: ROOT });
      const [{ tables }] = JSON.parse(await readFile(json, 'utf8')) as [Report];
      tables.map(({ title }) => title).should.containDeep(titles);
      for (const { rows } of tables) {
        for (const { samples } of rows) samples[0]!.wall!.should.be.a.Number().and.above(0);
      }
      (await readdir(folder)).should.deepEqual(['report.json']);
    });
});
