/** The folder to restore to, before anything is restored. */
import { mkdir, readdir, realpath, symlink, writeFile } from 'node:fs/promises';
import should from 'should';
import { RestoreTarget } from '../../../../src/backup/restore/restore-target';
import { useDisk } from '../../../support/disk';
import { rejected } from '../../../support/client/rejected';

describe('the folder to restore to', () => {
  const disk = useDisk();

  it('a file, a path below one and a link to itself are errors of the disk', async () => {
    await writeFile(disk('file'), '');
    await symlink('loop', disk('loop'));
    for (const [path, reason, text] of [
      [disk('file'), 'ENOTDIR', 'local_file_sync_not_folder'],
      [disk('file', 'below'), 'ENOTDIR', 'local_file_not_folder'],
      [disk('loop', 'below'), 'ELOOP', undefined],
    ] as const) {
      should((await rejected(RestoreTarget.resolve(path), 'local_file', text)).reason).equal(reason);
    }
  });

  it('missing parents are created and removed again, but not those that something else uses', async () => {
    await mkdir(disk('real'));
    await symlink('real', disk('link'));
    const target = await RestoreTarget.resolve(disk('link', 'a', 'b', 'target'));
    target.path.should.equal(`${await realpath(disk('real'))}/a/b/target`);
    // Another program creates the first parent, and puts a file into the second.
    await mkdir(disk('real', 'a'));
    await target.createParents();
    (await readdir(disk('real', 'a'))).should.eql(['b']);
    await writeFile(disk('real', 'a', 'b', 'other'), '');
    await target.removeEmptyParents();
    (await readdir(disk('real', 'a', 'b'))).should.eql(['other']);

    const second = await RestoreTarget.resolve(disk('new', 'b', 'target'));
    await second.createParents();
    await second.removeEmptyParents();
    (await readdir(disk())).sort().should.eql(['link', 'real']);
  });

  it('a parent that has become a file is an error', async () => {
    const target = await RestoreTarget.resolve(disk('a', 'b', 'target'));
    await writeFile(disk('a'), '');
    await target.createParents().should.be.rejectedWith({ code: 'ENOTDIR' });
  });
});
