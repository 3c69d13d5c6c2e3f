/** Runs the archive benchmark with small trees, without checking its values. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Report } from '../../bench/harness/report';

const ROOT = path.join(__dirname, '../..');

describe('npm run bench -- archive', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('the archive benchmark measures all contestants and leaves no files', async () => {
    const json = path.join(folder, 'report.json');
    const size = ['--size', '16MiB', '--rounds', '1', '--folder', folder];
    const args = ['--import', 'tsx', 'bench/run.ts', 'archive', ...size, '--offline', '--json', json];
    await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    const [{ tables }] = JSON.parse(await readFile(json, 'utf8')) as [Report];
    const titles = tables.map(({ title }) => title);
    for (const task of ['Backup', 'Restore']) titles.should.containEql(`${task} of 1,000 small files`);
    for (const { rows } of tables) {
      for (const { samples } of rows) samples[0]!.wall!.should.be.a.Number().and.above(0);
    }
    (await readdir(folder)).should.deepEqual(['report.json']);
  });
});
