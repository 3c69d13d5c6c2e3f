/** Runs the benchmark of synchronizing with a small folder, without checking its values. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import should from 'should';
import type { Report } from '../../bench/harness/report';

const ROOT = path.join(__dirname, '../..');

describe('npm run bench -- sync', function () {
  this.timeout(120_000);
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('the benchmark of synchronizing measures all runs, counts their requests, and leaves no files', async () => {
    const json = path.join(folder, 'report.json');
    const size = ['--size', '1MiB', '--rounds', '1', '--folder', folder];
    const args = ['--import', 'tsx', 'bench/run.ts', 'sync', ...size, '--offline', '--json', json];
    await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    const [{ tables }] = JSON.parse(await readFile(json, 'utf8')) as [Report];
    const ours = tables.map(({ title, rows }) => [title, rows[0]!.samples[0]!] as const);
    ours.should.have.length(7);
    for (const [title, { wall, requests }] of ours) {
      should(wall).be.above(0);
      should(requests).be.above(0);
      // Unchanged files need no requests of their own.
      if (title.includes('unchanged')) should(requests).be.below(10);
    }
    (await readdir(folder)).should.deepEqual(['report.json']);
  });
});
