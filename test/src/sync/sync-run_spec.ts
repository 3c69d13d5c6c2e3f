import 'should';
import { mkdir, readdir, readlink, realpath, rename, symlink, writeFile } from 'node:fs/promises';
import { PinnedFolders } from '../../../src/sync/sync-run';
import { useDisk } from '../../support/disk';
import { rejected } from '../../support/client/rejected';

describe('PinnedFolders', () => {
  const disk = useDisk();
  let folders: PinnedFolders;

  beforeEach(async () => {
    folders = new PinnedFolders();
    for (const name of ['a', 'other']) await mkdir(disk(name));
  });
  afterEach(() => folders.close());

  const use = async (name: string): Promise<string> =>
    folders.use(await realpath(disk(name)), async (folder) => {
      await writeFile(folder.pathOf('file'), '');
      return folder.path;
    });

  /** Of folders on the disk. */
  async function openCount(): Promise<number> {
    const links = (await readdir('/proc/self/fd')).map((fd) =>
      readlink(`/proc/self/fd/${fd}`).catch(() => ''),
    );
    return (await Promise.all(links)).filter((link) => link.startsWith(disk())).length;
  }

  it('writes to one folder, at once and one after the other, share one that is open', async function () {
    if (process.platform !== 'linux') this.skip('needs Linux');
    const paths = await Promise.all(['a', 'a', 'a'].map(use));
    new Set([...paths, await use('a')]).size.should.equal(1);
    (await openCount()).should.equal(1);
  });

  it("a folder that was replaced isn't used any more: a link is rejected, and a new folder is used", async () => {
    await use('a');
    const path = await realpath(disk('a'));
    await rename(disk('a'), disk('moved'));
    await symlink('other', disk('a'));
    const work = folders.use(path, (folder) => writeFile(folder.pathOf('late'), ''));
    await rejected(work, 'local_file', 'local_file_folder_replaced');
    await rename(disk('a'), disk('link'));
    await mkdir(disk('a'));
    await use('a');
    for (const [name, files] of Object.entries({ a: ['file'], moved: ['file'], other: [] }))
      (await readdir(disk(name))).should.eql(files);
  });

  it('only some folders stay open, and none after the end', async function () {
    if (process.platform !== 'linux') this.skip('needs Linux');
    const names = Array.from({ length: 40 }, (_, index) => `f${index}`);
    for (const name of names) await mkdir(disk(name));
    for (const name of names) await use(name);
    (await openCount()).should.be.belowOrEqual(16);
    await Promise.all(names.map(use));
    (await openCount()).should.be.belowOrEqual(16);
    await folders.close();
    (await openCount()).should.equal(0);
  });
});
