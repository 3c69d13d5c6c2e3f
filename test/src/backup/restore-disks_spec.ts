/** Restores to disks whose rules for names differ from those of the temporary folder's disk. */
import 'should';
import { mkdir, readdir } from 'node:fs/promises';
import { restoreFixture } from '../../support/archive/restore-fixture';
import { tar } from '../../support/archive/tar-builder';
import { rejected } from '../../support/client/rejected';
import { useMountedDisk } from '../../support/mounted-disk';

describe('restore to an exFAT disk', () => {
  const fixture = restoreFixture();
  const disk = useMountedDisk('exfat');

  for (const [place, names] of [
    ['the disk itself', []],
    ['an existing folder', ['there']],
    ['a missing folder', ['missing', 'inside']],
  ] as const) {
    it(`What exFAT can’t store is reported before anything changes in ${place}`, async () => {
      await mkdir(disk('there'));
      const path = disk(...names);
      const restore = (pattern: string): Promise<unknown> =>
        fixture.restore({ path, overwrite: 'replace', pattern });
      await fixture.addArchive('case.tar', tar({ name: 'a', content: '1' }, { name: 'A', content: '2' }));
      await rejected(restore('case*'), 'bad_response', 'bad_response_archive_collision');
      for (const [index, name] of ['a:b', 'd/a:b', 'a:b/c'].entries()) {
        await fixture.addArchive(`${index}.tar`, tar({ name, content: '1' }));
        const { params } = await rejected(restore(`${index}*`), 'local_file', 'local_file_entry_name');
        params.should.containEql({ entry: name, reason: 'ENOENT' });
      }
      (await readdir(disk())).should.eql(['there']);
      (await readdir(disk('there'))).should.eql([]);
    });
  }
});
