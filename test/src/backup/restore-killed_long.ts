/** kill -9 while an archive is restored. */
import 'should';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { restoreFixture } from '../../support/archive/restore-fixture';
import { describeTree, varyAttributes, writeTree } from '../../support/archive/tree';
import { bytes } from '../../support/content';

const CHILD = require.resolve('../../support/archive/restore-child');
const KILLS = 12;
const FILES = 1_500;

function treeOf(label: string): Record<string, string> {
  const files = Array.from({ length: FILES }, (_, index) => [
    `home/d${index % 40}/f${index}`,
    `${label} ${index}`,
  ]);
  const large = bytes(4_000_000, label.length).toString('latin1');
  return {
    ...(Object.fromEntries(files) as Record<string, string>),
    'home/large': large,
    'home/link': `-> ${label}`,
  };
}

describe('restore in a process that is killed', () => {
  const fixture = restoreFixture();

  async function archiveOf(
    label: string,
    stripTop: string,
  ): Promise<{ id: string; tree: Record<string, string> }> {
    const folder = fixture.path(label);
    await writeTree(folder, treeOf(label));
    await varyAttributes(folder);
    const content = execFileSync('tar', ['-C', folder, '--format=pax', '-cz', 'home'], { maxBuffer: 1e9 });
    return {
      id: await fixture.addArchive(`${label}.tar.gz`, content),
      tree: await describeTree(join(folder, stripTop)),
    };
  }

  /** Runs a restore until it ends or `ms` have passed since it has started. @returns whether it has ended */
  async function restoreIn(id: string, target: string, stripTop: string, ms = Infinity): Promise<boolean> {
    const args = [
      '--require',
      'tsx/cjs',
      CHILD,
      fixture.drive.url,
      id,
      target,
      fixture.path('records'),
      stripTop,
    ];
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
    return output.includes('done');
  }

  for (const stripTop of ['', 'home'])
    it(`${KILLS} kills at any moment leave the old or the new tree, and the next run restores the new one ${stripTop && 'without its top folder'}`, async function () {
      this.timeout(600_000);
      const target = fixture.path('area', 'target');
      const trees = [await archiveOf('one', stripTop), await archiveOf('second', stripTop)] as const;
      const start = performance.now();
      await restoreIn(trees[0].id, target, stripTop);
      const duration = performance.now() - start;
      (await describeTree(target)).should.deepEqual(trees[0].tree);
      let kills = 0;
      for (let round = 0; round < KILLS; round++) {
        const [old, next] = round % 2 === 0 ? trees : [trees[1], trees[0]];
        const hasEnded = await restoreIn(next.id, target, stripTop, duration * ((round + 0.5) / KILLS));
        if (!hasEnded) kills += 1;
        const now = await describeTree(target);
        const inUse = await readdir(fixture.path('area'));
        const hidden = inUse.filter((name) => name !== 'target');
        const hasJournal = (await Promise.all(hidden.map((name) => readdir(fixture.path('area', name)))))
          .flat()
          .includes('journal');
        // In the instant between two renames only the journal knows the state, which the next run completes.
        if (!hasJournal) [old.tree, next.tree].should.containDeep([now]);
        (await restoreIn(next.id, target, stripTop)).should.be.true();
        (await describeTree(target)).should.deepEqual(next.tree);
        (await readdir(fixture.path('area'))).should.deepEqual(['target']);
      }
      kills.should.be.aboveOrEqual(KILLS / 2);
    });
});
