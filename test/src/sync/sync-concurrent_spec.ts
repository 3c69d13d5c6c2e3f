/** Two synchronizations to the same folder at once. */
import 'should';
import { createTestClient } from '../../support/client/test-client';
import { syncFixture } from '../../support/sync/sync-fixture';

const TREE = Object.fromEntries(
  Array.from({ length: 24 }, (_, index) => [
    `d${index % 4}/e${index % 2}/${index}.txt`,
    `${index} @1600000000`,
  ]),
);

describe('two synchronizations at once', () => {
  const fixture = syncFixture();

  it('of two nodes of one account, the second finds what the first has uploaded', async () => {
    await fixture.writeDisk(TREE);
    const results = await Promise.all([fixture.up(), fixture.up()]);
    results.map(({ summary }) => summary.created).should.eql([24, 0]);
    (await fixture.readDrive()).should.eql(await fixture.readDisk());
    fixture.requests().should.containEql({ 'POST files': 8, 'POST upload': 24 });
  });

  it('two clients that upload the same folder leave one of each file and folder', async () => {
    await fixture.writeDisk(TREE);
    const other = createTestClient(fixture.drive.url);
    // Both have listed the empty folder before one of them creates anything.
    let lists = 0;
    const bothListed = new Promise<void>((resolve) => {
      const until = (): Promise<void> => {
        if (++lists === 2) resolve();
        return bothListed;
      };
      fixture.drive.faults.add({ kind: 'delay', until, times: 2, match: { path: /files$/ } });
    });
    const [own, others] = await Promise.all([fixture.up(), other.client.sync(fixture.request('up'))]);
    other.close();
    (own.error === undefined && others.error === undefined).should.be.true();
    const disk = await fixture.readDisk();
    (await fixture.readDrive()).should.eql(disk);
    (await fixture.up()).changes.should.eql([]);
    const ids = fixture.drive.files.in(fixture.folderId).filter(({ trashed }) => !trashed);
    ids.length.should.equal(4);
  });

  it('downloads to folders inside each other run one after the other', async () => {
    await fixture.writeDrive(TREE);
    const other = createTestClient(fixture.drive.url);
    const folderId = await fixture.drive.files.addFolder('other');
    const localPath = fixture.path('d1', 'inside');
    const inside = fixture.request('down', { folderId, localPath });
    await Promise.all([fixture.down(), other.client.sync(inside)]);
    other.close();
    const { all } = fixture.drive.requests;
    const lastContent = all.map(({ params }) => params.get('alt')).lastIndexOf('media');
    all.findIndex(({ params }) => params.get('q')?.includes(folderId)).should.be.above(lastContent);
  });

  it('two clients that download to the same folder leave complete files only', async () => {
    await fixture.writeDrive(TREE);
    const other = createTestClient(fixture.drive.url);
    const [own, others] = await Promise.all([fixture.down(), other.client.sync(fixture.request('down'))]);
    other.close();
    (own.error === undefined && others.error === undefined).should.be.true();
    (await fixture.readDisk()).should.eql(await fixture.readDrive());
  });
});
