/** What disks of other file systems do with names. */
import 'should';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { detectDiskNames } from '../../../src/sync/disk-names';
import { type MountedDiskKind, useMountedDisk } from '../../support/mounted-disk';

interface Case {
  ignoresCase: boolean;
  /** The name for `q?.txt`. */
  odd: string;
}

const CASES: Partial<Record<MountedDiskKind, Case>> = {
  exfat: { ignoresCase: true, odd: 'q？.txt' },
  ntfs: { ignoresCase: true, odd: 'q?.txt' },
  'ntfs-windows-names': { ignoresCase: false, odd: 'q？.txt' },
  ext4: { ignoresCase: false, odd: 'q?.txt' },
};

for (const [kind, { ignoresCase, odd }] of Object.entries(CASES)) {
  describe(`names on ${kind}`, () => {
    const disk = useMountedDisk(kind as MountedDiskKind);

    for (const [place, names] of Object.entries({ empty: [], full: ['Some file', 'OTHER'], missing: [] })) {
      it(`what ${kind} does with names is detected in a folder that is ${place}, and nothing is left in it`, async () => {
        for (const name of names) await writeFile(disk(name), '');
        const before = await readdir(disk());
        const detected = await detectDiskNames(place === 'missing' ? disk('new', 'folder') : disk(), false);
        (detected.key('A.txt') === detected.key('a.txt')).should.equal(ignoresCase);
        await detected.prepare([{ name: 'q?.txt' }]);
        detected.toDisk('q?.txt').should.equal(odd);
        (await readdir(disk())).should.eql(before);
      });
    }

    it(`a dry run detects in a folder that isn’t empty whether ${kind} ignores case, and finds names of earlier runs`, async () => {
      await mkdir(disk('Folder'));
      await writeFile(disk('Folder', odd), '');
      const before = await readdir(disk());
      const detected = await detectDiskNames(disk(), true);
      (detected.key('A.txt') === detected.key('a.txt')).should.equal(ignoresCase);
      await detected.prepare([{ name: 'q?.txt' }]);
      detected.toDisk('q?.txt', (name) => name === odd).should.equal(odd);
      (await readdir(disk())).should.eql(before);
    });
  });
}

it('a folder that can’t be written to is handled as in a dry run', async () => {
  const detected = await detectDiskNames('/proc/self', false);
  await detected.prepare([{ name: 'q?.txt' }]);
  detected.toDisk('q?.txt').should.equal('q?.txt');
});
