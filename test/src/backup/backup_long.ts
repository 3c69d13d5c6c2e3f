/** Backups of large trees, and in processes that are killed. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { restoreFixture } from '../../support/archive/restore-fixture';
import { needsProgram } from '../../support/archive/programs';
import { describeTree } from '../../support/archive/tree';
import { writeUnusualTree } from '../../support/archive/unusual-tree';
import { bytes } from '../../support/content';
import { withIdleDelay } from '../../support/idle-delay';
import { ensureBuilt } from '../../support/node-red/built-package';
import { Random } from '../../support/random';

const CHILD = require.resolve('../../support/client/backup-child');
const LAUNCHER = require.resolve('../../support/client/with-built-worker.cjs');
const FILES = 20_000;
const KILLS = 10;
const MAX_GROWTH = 64 * 1024 * 1024;
/** ms */
const MAX_DELAY = 20;

interface Report {
  number: number;
  changed: string[];
  skipped: unknown[];
  growth: number;
  /** ms */
  p99: number;
}

describe('backup of large trees', () => {
  before(ensureBuilt);
  const fixture = restoreFixture();

  function start(source: string): { child: ReturnType<typeof spawn>; report: Promise<Report | undefined> } {
    const args = [LAUNCHER, CHILD, fixture.drive.url, fixture.folderId, source];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    const report = new Promise<Report | undefined>((resolve) =>
      child.on('close', () => resolve(output === '' ? undefined : (JSON.parse(output) as Report))),
    );
    return { child, report };
  }

  const archives = () => fixture.drive.files.in(fixture.folderId);

  it(`${FILES} files with unusual names come back identical from restore and from GNU tar, with flat memory`, async function () {
    this.timeout(600_000);
    needsProgram(this, 'tar');
    const source = fixture.path('home');
    await writeUnusualTree(source, FILES);
    const expected = await describeTree(source);
    Object.keys(expected).length.should.be.above(0.9 * FILES);
    const { result: report, idle } = await withIdleDelay(() => start(source).report);
    should(report).containEql({ number: 1, changed: [], skipped: [] });
    report!.growth.should.be.below(MAX_GROWTH);
    (report!.p99 - idle).should.be.below(MAX_DELAY);

    await fixture.restore();
    (await describeTree(fixture.path('target/home'))).should.eql(expected);
    const archive = fixture.path('archive.tar.gz');
    await writeFile(archive, await fixture.drive.files.contentOf(archives()[0]!.id));
    await mkdir(fixture.path('tar'));
    execFileSync('tar', ['-xpzf', archive, '-C', fixture.path('tar')]);
    (await describeTree(fixture.path('tar/home'))).should.eql(expected);
  });

  it(`${KILLS} kills at any moment leave no archive, and the next run creates one`, async function () {
    this.timeout(600_000);
    const source = fixture.path('home');
    await mkdir(source);
    await writeFile(path.join(source, 'large'), bytes(60_000_000));
    const { traffic } = fixture.drive;
    const random = new Random(2);
    for (let kill = 0; kill < KILLS; kill++) {
      const target = traffic.received + random.between(1_000, 55_000_000);
      const { child, report } = start(source);
      await traffic.until(() => traffic.received >= target);
      child.kill('SIGKILL');
      should(await report).be.undefined();
      archives().should.be.empty();
    }
    should(await start(source).report).containEql({ number: 1 });
    archives()
      .map(({ name }) => name)
      .should.eql(['home-0001.tar.gz']);
    execFileSync('tar', ['-tz'], { input: await fixture.drive.files.contentOf(archives()[0]!.id) });
  });
});
