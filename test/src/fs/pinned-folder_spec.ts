import 'should';
import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PinnedFolder, openInside } from '../../../src/fs/pinned-folder';
import { rejected } from '../../support/client/rejected';
import { useDisk } from '../../support/disk';

const REPLACED = ['local_file', 'local_file_folder_replaced'] as const;

for (const hasProc of process.platform === 'linux' ? [true, false] : [false]) {
  describe(`PinnedFolder ${hasProc ? 'with' : 'without'} /proc`, () => {
    let top: string;
    beforeEach(async () => {
      top = await realpath(await mkdtemp(join(tmpdir(), 'pinned ')));
      for (const folder of ['inside', 'inside/a', 'inside/a/b', 'outside', 'outside/b'])
        await mkdir(join(top, folder));
    });
    afterEach(() => rm(top, { recursive: true, force: true }));

    const swapForLink = async (): Promise<void> => {
      await rename(join(top, 'inside/a'), join(top, 'moved'));
      await symlink(join(top, 'outside'), join(top, 'inside/a'));
    };

    it(`a folder is opened whatever its depth, ${hasProc ? 'with' : 'without'} /proc`, async () => {
      for (const name of ['inside/a/b', 'inside', '']) {
        const folder = await PinnedFolder.open(join(top, name), hasProc);
        await writeFile(folder.pathOf('file'), name);
        await folder.check();
        await folder.close();
        (await readFile(join(top, name, 'file'), 'utf8')).should.equal(name);
      }
      await (await PinnedFolder.open('/', hasProc)).close();
    });

    it(`a path with a link or file in it is rejected, ${hasProc ? 'with' : 'without'} /proc`, async () => {
      await swapForLink();
      await writeFile(join(top, 'file'), '');
      for (const name of ['inside/a', 'inside/a/b', 'file', 'file/a'])
        await rejected(PinnedFolder.open(join(top, name), hasProc), ...REPLACED);
      await PinnedFolder.open(join(top, 'missing'), hasProc).should.be.rejectedWith({ code: 'ENOENT' });
    });

    it(`a folder that was replaced by a link is noticed, ${hasProc ? 'with' : 'without'} /proc`, async () => {
      const folder = await PinnedFolder.open(join(top, 'inside/a/b'), hasProc);
      await swapForLink();
      await rejected(folder.check(), ...REPLACED);
      if (hasProc) await writeFile(folder.pathOf('file'), '');
      if (hasProc) (await readFile(join(top, 'moved/b/file'), 'utf8')).should.equal('');
      await folder.close();
    });

    it(`a folder that was closed has no path, ${hasProc ? 'with' : 'without'} /proc`, async () => {
      const folder = await PinnedFolder.open(join(top, 'inside'), hasProc);
      await folder.close();
      (() => folder.pathOf('file')).should.throw(/is closed/);
    });
  });
}

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
