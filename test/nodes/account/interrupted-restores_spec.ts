/** Restores that were killed while they moved files, when Node-RED starts again. */
import 'should';
import { currentOwner } from '../../../src/disk/part-owner';
import { StateFile } from '../../../nodes/shared/runtime/state-file';
import { writeJournal } from '../../support/archive/swap-plan';
import { contentsOf, writeTree } from '../../support/archive/tree';
import { useDisk } from '../../support/disk';
import { startNodeRed } from '../../support/node-red/node-red';

const NAME = '.cloud-drive-restores';

describe('interrupted restores', () => {
  const disk = useDisk();

  it('Node-RED completes them when it starts, and says so, also without a credential secret', async function () {
    this.timeout(60_000);
    const [target, work] = [
      disk('target'),
      disk(`.target.restore-${currentOwner().pidNamespace}-999999999-abc-00000000-0`),
    ];
    await writeTree(target, { a: 'new', b: 'old' });
    await writeTree(work, { 'new/b': 'new', 'old/a': 'old' });
    const records = new Map<string, string>();
    await writeJournal({ target, work }, { moves: ['a', 'b'], folders: [] }, records);
    const nodeRed = await startNodeRed({ settings: { credentialSecret: false } });
    try {
      await nodeRed.stop();
      const file = new StateFile({
        name: NAME,
        userDir: nodeRed.userDir,
        secret: () => NAME,
        warn: () => {},
      });
      await file.set('swaps', target, records.get(target));
      await nodeRed.restart();
      while (!nodeRed.warnings.some((line) => line.includes('restore'))) await new Promise(setImmediate);
      nodeRed.warnings.filter((line) => line.includes(target)).should.have.length(1);
      (await contentsOf(disk())).should.deepEqual({ 'target/': '', 'target/a': 'new', 'target/b': 'new' });
    } finally {
      await nodeRed.close();
    }
  });
});
