/** Synchronizations of random trees, compared with a simple model. */
import 'should';
import fc from 'fast-check';
import { rm } from 'node:fs/promises';
import { isDriveError } from '../../../src/index';
import { checkAsyncProperty } from '../../support/property';
import { syncFixture } from '../../support/sync/sync-fixture';
import { type TreePair, expectedResult, treePairs } from '../../support/sync/tree-pairs';
import { readDrive, writeDrive } from '../../support/sync/trees';

describe('synchronizations of random trees', () => {
  const fixture = syncFixture();

  async function check(direction: 'up' | 'down', pair: TreePair): Promise<void> {
    const { source, destination, options } = pair;
    await rm(fixture.path(), { recursive: true });
    const folderId = await fixture.drive.files.addFolder('pair');
    await fixture.writeDisk(direction === 'up' ? source : destination);
    await writeDrive(fixture.drive, folderId, direction === 'up' ? destination : source);
    const request = { ...options, folderId };
    const trees = async () => [await fixture.readDisk(), await readDrive(fixture.drive, folderId)];
    const [before, [, driveBefore]] = [await fixture.readDisk(), await trees()];
    const expected = expectedResult(pair);
    const preview = await fixture[direction]({ ...request, dryRun: true }).catch((error: unknown) => error);
    const result = await fixture[direction](request).catch((error: unknown) => error);
    const [disk = {}, drive = {}] = await trees();
    const [sourceAfter, destinationAfter] = direction === 'up' ? [disk, drive] : [drive, disk];
    sourceAfter.should.eql(direction === 'up' ? before : driveBefore);
    if ('conflict' in expected) {
      for (const error of [preview, result]) isDriveError(error, 'conflict').should.be.true();
      (result as { text: string }).text.should.equal(expected.conflict);
      destinationAfter.should.eql(direction === 'up' ? driveBefore : before);
      return;
    }
    const { summary, error } = result as Awaited<ReturnType<typeof fixture.up>>;
    (error === undefined).should.be.true();
    destinationAfter.should.eql(expected.tree);
    summary.should.containEql(expected.counts);
    (preview as { summary: object }).summary.should.eql({ ...summary, dryRun: true });
    fixture.requests();
    (await fixture[direction](request)).changes.should.eql([]);
    // An empty folder is checked with one request more.
    const { 'GET files/id': _check, ...lists } = fixture.requests();
    Object.keys(lists).should.eql(['GET files']);
  }

  for (const direction of ['up', 'down'] as const) {
    it(`sync ${direction} makes of random trees what the model expects, and finds nothing to do in a second run`, () =>
      checkAsyncProperty(
        fc.asyncProperty(treePairs(direction), (pair) => check(direction, pair)),
        Number(process.env['PAIRS'] ?? 30),
      ));
  }
});
