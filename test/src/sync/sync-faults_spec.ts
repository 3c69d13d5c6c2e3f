/** Synchronization while a part of all requests fails. */
import 'should';
import { rename } from 'node:fs/promises';
import { Random } from '../../support/random';
import { addRandomFaults } from '../../support/sync/random-faults';
import { syncFixture } from '../../support/sync/sync-fixture';

describe('synchronization under random faults', () => {
  const fixture = syncFixture();

  /** Small files, and one that is sent in an upload session. */
  function tree(): Record<string, string> {
    const files: Record<string, string> = {};
    for (let index = 0; index < 80; index++) {
      files[`d${index % 5}/e${index % 3}/${index}.txt`] =
        `${'x'.repeat(index * 10)} @${1_600_000_000 + index}`;
    }
    files['large.bin'] = `${'y'.repeat(5_500_000)} @1600000000`;
    return files;
  }

  it('trees are identical after faults in 2 % of all requests', async () => {
    await fixture.writeDisk(tree());
    const source = await fixture.readDisk();
    const count = addRandomFaults(fixture.drive, new Random(1), 0.02);
    const up = await fixture.up();
    const seen = count();
    const down = await rename(fixture.path(), `${fixture.path()}-source`).then(() => fixture.down());
    fixture.drive.faults.clear();
    (up.error === undefined && down.error === undefined).should.be.true();
    seen.should.be.above(0);
    count().should.be.above(seen);
    (await fixture.readDrive()).should.eql(source);
    (await fixture.readDisk()).should.eql(source);
    (await fixture.up()).changes.should.eql([]);
  });
});
