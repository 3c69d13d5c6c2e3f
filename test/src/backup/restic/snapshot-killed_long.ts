/** kill -9 while a snapshot is taken, its repository is cleaned up, or it is restored. */
import 'should';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestClock } from '../../../local-drive';
import { needsProgram } from '../../../support/archive/programs';
import { describeTree } from '../../../support/archive/tree';
import { bytes } from '../../../support/content';
import { Random } from '../../../support/random';
import type { SnapshotJob } from '../../../support/snapshots/snapshot-child';
import { roundTimes } from '../../../support/snapshots/random-edits';
import { SnapshotFixture } from '../../../support/snapshots/snapshot-fixture';

const CHILD = require.resolve('../../../support/snapshots/snapshot-child');
const KILLS = Number(process.env['KILLS'] ?? 40);
const SEED = Number(process.env['PROPERTY_SEED'] ?? 1);
const FILES = 8;
/** s */
const HOUR = 3_600;

describe('a repository whose processes are killed', () => {
  const clock = new TestClock(Date.parse('2024-05-17T10:00:00Z'));
  const fixture = new SnapshotFixture({ clock });
  const random = new Random(SEED, 2);

  before(function () {
    needsProgram(this, 'restic');
  });

  /** Runs until it ends or `ms` have passed since its start. @returns what it printed */
  async function runIn(ms: number, target?: string): Promise<string> {
    const { folderId, folder, source } = fixture;
    const job: SnapshotJob = { baseUrl: fixture.on.drive.url, folderId, folder, source };
    const args = ['--require', 'tsx/cjs', CHILD, JSON.stringify({ ...job, target })];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    await once(child.stdout, 'data');
    const ended = once(child, 'close');
    if (Number.isFinite(ms)) {
      await Promise.race([ended, sleep(ms)]);
      child.kill('SIGKILL');
    }
    await ended;
    return output;
  }

  /** Although a killed process may have left its lock, which restic removes with `unlock` only. */
  async function checkRepository(): Promise<void> {
    (await fixture.restic('check', '--read-data', '--no-lock')).should.match(/no errors were found/);
  }

  async function unreferencedPacks(): Promise<string[]> {
    const output = await fixture.restic('check', '--no-lock');
    return [...output.matchAll(/pack (\w+): not referenced/g)].map(([, pack]) => pack ?? '');
  }

  async function change(round: number): Promise<void> {
    for (let count = 0; count < 3; count++)
      await writeFile(
        path.join(fixture.source, `file${random.between(1, FILES)}`),
        bytes(random.between(1, 4_000_000), 100 * round + count),
      );
    roundTimes(fixture.source);
  }

  it(`${KILLS} kills of backups at any moment leave a repository without errors, and the next run ends well`, async function () {
    this.timeout(3_600_000);
    await change(0);
    const start = performance.now();
    (await runIn(Infinity)).should.endWith('done\n');
    const duration = performance.now() - start;
    let kills = 0;
    for (let round = 1; round <= KILLS; round++) {
      await change(round);
      // Cleaning up takes an hour between its phases.
      clock.advance(random.chance(0.5) ? 2 * HOUR : 60);
      const output = await runIn(duration * random.fraction());
      if (!output.endsWith('done\n')) kills += 1;
      await checkRepository();
      clock.advance(60);
      (await runIn(Infinity)).should.endWith('done\n', `round ${round}`);
      await checkRepository();
      (await fixture.restored()).should.deepEqual(await describeTree(fixture.source));
      fixture.names('locks').should.be.empty();
    }
    kills.should.be.aboveOrEqual(KILLS / 2);
    const left = await unreferencedPacks();
    for (let run = 0; run < 2; run++) {
      clock.advance(2 * HOUR);
      (await runIn(Infinity)).should.endWith('done\n');
    }
    // Each run may leave new ones, for an hour.
    fixture
      .packs()
      .filter((pack) => left.includes(pack))
      .should.be.empty();
  });

  it('kills of restores leave the old or the new tree, and the next run restores the new one', async function () {
    this.timeout(3_600_000);
    const area = path.join(fixture.folder, 'area');
    const target = path.join(area, 'target');
    await change(0);
    (await runIn(Infinity)).should.endWith('done\n');
    const start = performance.now();
    (await runIn(Infinity, target)).should.endWith('done\n');
    const duration = performance.now() - start;
    for (let round = 1; round <= KILLS / 4; round++) {
      const old = await describeTree(target);
      await change(round);
      // The newest snapshot is the one with the latest time.
      clock.advance(60);
      (await runIn(Infinity)).should.endWith('done\n');
      const wanted = await describeTree(fixture.source);
      await runIn(duration * random.fraction(), target);
      const work = (await readdir(area)).filter((name) => name !== 'target');
      const inWork = await Promise.all(work.map((name) => readdir(path.join(area, name))));
      // In the instant between two renames only the journal knows the state.
      if (!inWork.flat().includes('journal')) [old, wanted].should.containDeep([await describeTree(target)]);
      (await runIn(Infinity, target)).should.endWith('done\n', `round ${round}`);
      (await describeTree(target)).should.deepEqual(wanted);
      (await readdir(area)).should.deepEqual(['target']);
      await checkRepository();
    }
  });
});
