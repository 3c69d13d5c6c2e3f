/** A folder with more folders in it than a function can have arguments. */
import 'should';
import { mkdir } from 'node:fs/promises';
import { listBackupEntries } from '../../../src/index';
import { syncFixture } from '../../support/sync/sync-fixture';

const FOLDERS = 130_000;

describe(`a folder with ${FOLDERS} folders`, function () {
  this.timeout(3_600_000);
  const fixture = syncFixture();

  it('a folder with very many folders is planned and listed', async () => {
    for (let index = 0; index < FOLDERS; index++) await mkdir(fixture.path(`${index}`));
    const { error } = await fixture.up({ dryRun: true });
    (error === undefined).should.be.true();
    let count = 0;
    for await (const _entry of listBackupEntries({ sources: [fixture.path()], exclude: [] })) count += 1;
    count.should.equal(FOLDERS + 1);
  });
});
