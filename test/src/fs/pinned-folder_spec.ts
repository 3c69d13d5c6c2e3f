import 'should';
import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PinnedFolder } from '../../../src/fs/pinned-folder';
import { rejected } from '../../support/client/rejected';

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
