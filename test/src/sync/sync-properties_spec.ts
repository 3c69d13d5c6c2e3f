/** Synchronizations of random trees, compared with a simple model. */
import 'should';
import fc from 'fast-check';
import { rm } from 'node:fs/promises';
import { CAPABILITIES } from '../../../src/capabilities';
import { type SyncResult, isDriveError } from '../../../src/index';
import { checkAsyncProperty } from '../../support/property';
import { syncFixture } from '../../support/sync/sync-fixture';
import { type TreePair, expectedResult, treePairs } from '../../support/sync/tree-pairs';
import { planOf, readDrive, writeDrive } from '../../support/sync/trees';

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
    (preview as SyncResult).summary.should.eql({ ...summary, dryRun: true });
    planOf(preview as SyncResult).should.eql(planOf(result as SyncResult));
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
        Number(process.env['PAIRS'] ?? 36),
      ));
  }
});

/** Names of files in the trees, and of an export. */
const documents = fc.array(
  fc.record({
    name: fc.constantFrom('a', 'C', 'Doc', 'Doc.csv'),
    type: fc.constantFrom('document', 'spreadsheet', 'form'),
    depth: fc.nat(2),
  }),
  { maxLength: 4 },
);

for (const kind of ['google', 'custom'] as const) {
  describe(`dry runs of random trees with Workspace documents, ${kind}`, () => {
    const fixture = syncFixture({ service: { can: CAPABILITIES[kind] } });

    async function check(
      { source, destination, options }: TreePair,
      items: readonly { name: string; type: string; depth: number }[],
      exportFormat: string,
    ): Promise<void> {
      await rm(fixture.path(), { recursive: true });
      await fixture.writeDisk(destination);
      const folderId = await fixture.drive.files.addFolder('pair');
      const ids = await writeDrive(fixture.drive, folderId, source);
      const folders = [
        folderId,
        ...Object.keys(ids).flatMap((path) => (path.endsWith('/') ? ids[path] : [])),
      ];
      for (const { name, type, depth } of items) {
        const parent = folders[depth % folders.length] as string;
        await fixture.drive.files.add({ name, parent, mimeType: `application/vnd.google-apps.${type}` });
      }
      const request = { ...options, folderId, exportFormat };
      const outcome = (dryRun: boolean): Promise<object> =>
        fixture.down({ ...request, dryRun }).then(planOf, ({ text }: { text: string }) => ({ text }));
      const before = await fixture.readDisk();
      const plan = await outcome(true);
      (await fixture.readDisk()).should.eql(before);
      plan.should.eql(await outcome(false));
    }

    it('sync down does what the dry run has shown', () =>
      checkAsyncProperty(
        fc.asyncProperty(treePairs('down'), documents, fc.constantFrom('', 'csv', 'pdf', 'zzz'), check),
        Number(process.env['PAIRS'] ?? 24),
      ));
  });
}
