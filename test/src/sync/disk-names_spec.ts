/** Names of files on the drive, on disk. */
import 'should';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { DRIVE_NAMES, detectDiskNames } from '../../../src/sync/disk-names';
import { toDiskName } from '../../../src/fs/safe-name';
import { useDisk } from '../../support/disk';

describe('names on disk', () => {
  const disk = useDisk();

  const cases: [name: string, onLinux: string, onWindows: string][] = [
    ['plain.txt', 'plain.txt', 'plain.txt'],
    ['a/b', 'a／b', 'a／b'],
    ['.', '．', '．'],
    ['..', '．．', '．．'],
    ['...', '...', '．．．'],
    ['nul\0', 'nul\u2400', 'nul\u2400'],
    ['a:b?*"<>|\\', 'a:b?*"<>|\\', 'a：b？＊＂＜＞｜＼'],
    ['end. ', 'end. ', 'end．\u2420'],
    ['line\nbreak', 'line\nbreak', 'line\u240abreak'],
    ['con', 'con', '_con'],
    ['LPT1.txt', 'LPT1.txt', '_LPT1.txt'],
    ['console', 'console', 'console'],
    ['', 'unnamed', 'unnamed'],
    ['\ud800', '\ufffd', '\ufffd'],
  ];
  for (const [name, onLinux, onWindows] of cases) {
    it(`the name ${JSON.stringify(name)} is safe on every disk`, () => {
      toDiskName(name, false).should.equal(onLinux);
      toDiskName(name, true).should.equal(onWindows);
    });
  }

  it('a long name keeps its extension', () => {
    const name = toDiskName(`${'ä'.repeat(300)}.txt`, false);
    Buffer.byteLength(name).should.be.within(250, 255);
    name.should.endWith('.txt');
  });

  it('a disk that distinguishes case is recognized, in an empty or missing folder too', async () => {
    await mkdir(disk('Folder', '123'), { recursive: true });
    for (const folder of [disk('Folder', '123'), disk('missing', 'too')]) {
      const names = await detectDiskNames(folder, false);
      names.key('A').should.not.equal(names.key('a'));
      names.key('e\u0301').should.equal(names.key('é'));
    }
    (await readdir(disk('Folder', '123'))).should.eql([]);
    (await readdir(disk())).should.eql(['Folder']);
    DRIVE_NAMES.key('e\u0301').should.equal(DRIVE_NAMES.key('é'));
  });

  it('a dry run detects what a disk does with names without writing', async () => {
    const { mtimeMs } = await stat(disk());
    const names = await detectDiskNames(disk(), true);
    names.key('A').should.not.equal(names.key('a'));
    await names.prepare([{ name: 'a:b' }]);
    names.toDisk('a:b').should.equal('a:b');
    (await stat(disk())).mtimeMs.should.equal(mtimeMs);
  });
});
