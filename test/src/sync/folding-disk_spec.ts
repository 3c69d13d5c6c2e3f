/** Synchronizations with disks that ignore case, and with disks that refuse some names. */
import 'should';
import fs, { readdir, rename, writeFile } from 'node:fs/promises';
import { rejected } from '../../support/client/rejected';
import { useMountedDisk } from '../../support/mounted-disk';
import { syncFixture } from '../../support/sync/sync-fixture';

const TREE = { 'Photo.jpg': 'one', 'Trip/A.jpg': 'two', 'Trip/B.jpg': 'three', 'Empty/': '' };

for (const kind of ['exfat', 'ntfs'] as const) {
  describe(`synchronization with a disk that ignores case: ${kind}`, () => {
    const disk = useMountedDisk(kind);
    // The folder is the mount point, whose parent distinguishes case.
    const fixture = syncFixture({}, (_folder, ...names) => disk(...names));
    const contents = (tree: Record<string, string>): string[] => Object.values(tree).sort();

    /** A new name on the drive, with the old time. */
    async function renameOnDrive(id: string | undefined, name: string): Promise<void> {
      const { modifiedTime } = fixture.drive.files.find(id ?? '') ?? {};
      const changes = { name, modifiedTime: new Date(modifiedTime ?? 0).toISOString() };
      await fixture.client.updateMetadata({ id: id ?? '', changes, fields: 'id' });
    }

    it(`files that were renamed in case on the drive survive on ${kind}, and then on the drive`, async () => {
      const ids = await fixture.writeDrive(TREE);
      (await fixture.down({ extra: 'delete' })).summary.created.should.equal(3);
      const before = contents(await fixture.readDisk());
      await renameOnDrive(ids['Photo.jpg'], 'photo.jpg');
      await renameOnDrive(ids['Trip/A.jpg'], 'a.jpg');
      await renameOnDrive(ids['Trip/'], 'TRIP');
      await renameOnDrive(ids['Empty/'], 'empty');
      const { summary } = await fixture.down({ extra: 'delete' });
      summary.should.containEql({ created: 0, removed: 0, unchanged: 3 });
      contents(await fixture.readDisk()).should.eql(before);
      await fixture.up({ extra: 'delete' });
      contents(await fixture.readDrive()).should.eql(before);
    });

    it(`no file is lost if nothing shows that ${kind} ignores case`, async () => {
      const ids = await fixture.writeDrive(TREE);
      await fixture.down();
      const before = await fixture.readDisk();
      for (const path of Object.keys(ids).sort()) {
        const name = path.replace(/\/$/, '').split('/').at(-1) ?? '';
        await renameOnDrive(ids[path], name.toUpperCase());
      }
      const added = { name: 'PHOTO.jpg', parent: fixture.folderId, content: 'six', modifiedTime: 1.7e12 };
      await fixture.drive.files.add(added);
      const { opendir, mkdtemp } = fs;
      const fail = (): Promise<never> => Promise.reject(new Error('blind'));
      Object.assign(fs, { opendir: fail, mkdtemp: fail });
      try {
        const { summary } = await fixture.down({ extra: 'delete' });
        summary.should.containEql({ removed: 0 });
        summary.failed.should.be.above(0);
        (await fixture.down({ extra: 'delete', exclude: ['PHOTO.jpg'] })).summary.removed.should.equal(0);
      } finally {
        Object.assign(fs, { opendir, mkdtemp });
      }
      contents(await fixture.readDisk()).should.eql(contents(before));
    });

    for (const dryRun of [false, true]) {
      const run = dryRun ? 'a dry run' : 'a run';
      it(`${run} reports two files whose names are the same on ${kind} as conflict, and writes nothing`, async () => {
        await writeFile(fixture.path('other.txt'), 'x');
        await fixture.writeDrive({ 'a.txt': 'one', 'A.txt': 'two' });
        await rejected(fixture.down({ dryRun }), 'conflict', 'conflict_sync_names');
        (await readdir(fixture.path())).should.eql(['other.txt']);
      });
    }
  });
}

describe('synchronization from a disk that ignores case', () => {
  const disk = useMountedDisk('exfat');
  const fixture = syncFixture({}, disk);

  for (const extra of ['trash', 'delete'] as const) {
    it(`extra: ${extra} removes the old spelling of files that were renamed in case on exfat`, async () => {
      await fixture.writeDisk(TREE);
      await fixture.up();
      await rename(fixture.path('Photo.jpg'), fixture.path('photo.jpg'));
      await rename(fixture.path('Trip'), fixture.path('trip'));
      await rename(fixture.path('Empty'), fixture.path('empty'));
      const { summary } = await fixture.up({ extra });
      summary.should.containEql({ created: 3, removed: 3, skipped: 0 });
      (await fixture.readDrive()).should.eql(await fixture.readDisk());
    });
  }
});

for (const kind of ['exfat', 'ntfs-windows-names'] as const) {
  describe(`synchronization with a disk that refuses some names: ${kind}`, () => {
    const disk = useMountedDisk(kind);
    const fixture = syncFixture({}, disk);

    it(`a name that ${kind} refuses is changed, and recognized by dry runs, runs and uploads`, async () => {
      await fixture.writeDrive({ 'q?.txt': 'one', 'a:b/c.txt': 'two' });
      const { summary, changes, error } = await fixture.down({ extra: 'delete' });
      (error === undefined).should.be.true();
      summary.created.should.equal(2);
      changes.find(({ path }) => path === 'q？.txt')?.reason?.should.equal('renamed');
      (await fixture.namesOnDisk()).should.eql(['a：b/', 'a：b/c.txt', 'q？.txt']);
      for (const dryRun of [true, false]) {
        (await fixture.down({ extra: 'delete', dryRun })).changes.should.eql([]);
        (await fixture.up({ extra: 'delete', dryRun })).changes.should.eql([]);
      }
    });
  });
}
