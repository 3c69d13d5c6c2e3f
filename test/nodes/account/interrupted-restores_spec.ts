/** Restores that were killed while they moved files, when Node-RED starts again. */
import { EventEmitter } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import type { NodeAPI } from 'node-red';
import should from 'should';
import { interruptedRestores } from '../../../nodes/account/accounts/interrupted-restores';
import { currentOwner } from '../../../src/fs/part-owner';
import { StateFile } from '../../../nodes/shared/runtime/state-file';
import { writeJournal } from '../../support/archive/swap-plan';
import { contentsOf, writeTree } from '../../support/archive/tree';
import { useDisk } from '../../support/disk';
import { startNodeRed } from '../../support/node-red/node-red';

const NAME = '.cloud-drive-restores';

describe('interrupted restores', () => {
  const disk = useDisk();

  it('The secret that marks hidden folders stays the same, and no other user can read it', async () => {
    const start = (): NodeAPI =>
      ({ events: new EventEmitter(), log: {}, settings: { userDir: disk() } }) as unknown as NodeAPI;
    const secret = await interruptedRestores(start()).records.secret?.();
    should(secret).match(/^[0-9a-f]{64}$/);
    should(await interruptedRestores(start()).records.secret?.()).equal(secret);
    ((await stat(disk(NAME))).mode & 0o777).should.equal(0o600);
    (await readFile(disk(NAME))).includes(secret ?? '').should.be.false();
  });

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
