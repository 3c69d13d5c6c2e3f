/** Files are read only where they belong. */
import 'should';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { openInside } from '../../../src/fs/pinned-folder';
import { rejected } from '../../support/client/rejected';
import { useDisk } from '../../support/disk';

for (const hasProc of [true, false]) {
  describe(`files in a folder, ${hasProc ? 'with' : 'without'} /proc`, () => {
    const disk = useDisk();

    beforeEach(async () => {
      for (const name of ['top', 'top-outside']) {
        await mkdir(disk(name));
        await writeFile(disk(name, 'file'), name);
      }
      await symlink('file', disk('top', 'inside'));
      await symlink('../top-outside/file', disk('top', 'outside'));
      await symlink('../top-outside', disk('top', 'folder'));
    });

    for (const name of ['file', 'inside'])
      it(`a path that leads to a file in the folder is opened: ${name}`, async () => {
        const handle = await openInside(disk('top', name), disk('top'), hasProc);
        (await handle.readFile('utf8')).should.equal('top');
        await handle.close();
      });

    for (const name of ['outside', 'folder/file'])
      it(`a path that leads out of the folder is local_file: ${name}`, async () => {
        const opening = openInside(disk('top', name), disk('top'), hasProc);
        await rejected(opening, 'local_file', 'local_file_folder_replaced');
        await (await openInside(disk('top', name), undefined, hasProc)).close();
      });
  });
}
