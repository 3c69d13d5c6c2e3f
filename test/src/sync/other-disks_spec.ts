/** Downloads to a disk that contains what belongs to the system or to another disk, and to one with a limited range of times. */
import 'should';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { useMountedDisk } from '../../support/mounted-disk';
import { syncFixture } from '../../support/sync/sync-fixture';

describe('a download to the top of an ext4 disk', () => {
  const disk = useMountedDisk('ext4');
  const fixture = syncFixture({}, (_folder, ...names) => disk(...names));

  it('extra files on disks that are mounted in the folder stay, and so does lost+found', async () => {
    for (const folder of ['both', 'extra']) {
      await mkdir(disk(folder, 'below'), { recursive: true });
      spawnSync('mount', ['--bind', disk(folder, 'below'), disk(folder)]).status?.should.equal(0);
      await writeFile(disk(folder, 'kept'), 'x');
    }
    await fixture.writeDisk({ 'old/file': 'x', 'lost+found/file': 'x' });
    await fixture.writeDrive({ 'both/new': 'x' });
    const request = { extra: 'delete' } as const;
    const plan = await fixture.down({ ...request, dryRun: true });
    const { summary, error } = await fixture.down(request);
    (error === undefined).should.be.true();
    plan.summary.should.containEql({ created: 1, removed: 1 });
    summary.should.containEql({ created: 1, removed: 1 });
    (await readdir(disk())).sort().should.eql(['both', 'extra', 'lost+found']);
    (await readdir(disk('both'))).sort().should.eql(['kept', 'new']);
    (await readdir(disk('extra'))).should.eql(['kept']);
    (await readdir(disk('lost+found'))).should.eql(['file']);
  });

  it('files with times that ext4 can’t store are unchanged in the second run, in both directions', async () => {
    for (const year of ['0001', '1901', '1969', '2446', '9999']) {
      const modifiedTime = Date.parse(`${year}-01-02T03:04:05Z`);
      await fixture.add(year, { content: 'x', modifiedTime });
    }
    (await fixture.down()).summary.created.should.equal(5);
    (await fixture.down()).changes.should.eql([]);
    (await fixture.up({ exclude: ['lost+found'] })).changes.should.eql([]);
  });
});
