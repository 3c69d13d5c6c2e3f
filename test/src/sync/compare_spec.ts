/** Comparison of a file on disk with the file on the drive. */
import 'should';
import { type Comparison, compareFiles, isSameTime } from '../../../src/sync/compare';
import type { RemoteFile } from '../../../src/sync/sync-folder';

const TIME = 1_700_000_000_000;
const LOCAL = { size: 5, mtimeMs: TIME + 400 };

const compared = (
  remote: Partial<RemoteFile>,
  direction: 'up' | 'down' = 'up',
  compare: 'time' | 'checksum' = 'time',
): Comparison => {
  const all = { id: 'F', size: 5, time: TIME, checksum: undefined, isDocument: false, ...remote };
  return compareFiles(LOCAL, all, { direction, compare });
};

describe('comparison of files', () => {
  it('files of equal size and equal time in whole seconds are the same, others have changed', () => {
    compared({}).should.equal('same');
    compared({ size: 6 }).should.equal('changed');
    compared({ time: TIME - 1_000 }).should.equal('changed');
  });

  const limits: [disk: string, stored: number, wanted: number][] = [
    ['ext4', -(2 ** 31), -62_135_596_800],
    ['ext4', 15_032_385_535, 253_402_300_799],
    ['FAT', 315_532_800, 0],
    ['FAT in another time zone', 315_532_800 - 5 * 3_600, 0],
    ['FAT', 4_354_819_198, 253_402_300_799],
  ];
  for (const [disk, stored, wanted] of limits) {
    it(`the time ${stored} on disk is the same as ${wanted}, which ${disk} can’t store, and as no other time`, () => {
      isSameTime(stored * 1_000, wanted * 1_000).should.be.true();
      isSameTime(wanted * 1_000, stored * 1_000).should.be.false();
      isSameTime(stored * 1_000, (2 * stored - wanted) * 1_000).should.be.false();
    });
  }

  it('a checksum is compared if the times differ, are unknown, or if that is requested', () => {
    const checksum = 'x'.repeat(16);
    compared({ checksum }).should.equal('same');
    compared({ checksum, time: TIME - 1_000 }).should.equal('checksum');
    compared({ checksum, time: undefined }).should.equal('checksum');
    compared({ checksum }, 'up', 'checksum').should.equal('checksum');
    compared({ checksum, size: 6 }, 'up', 'checksum').should.equal('changed');
  });

  it('without checksums, a newer file on the drive is newer for uploads and changed for downloads', () => {
    compared({ time: TIME + 1_000 }, 'up').should.equal('newer');
    compared({ time: TIME + 1_000 }, 'down').should.equal('changed');
  });

  it('without time and checksum, files of equal size are the same, and without a size nothing is known', () => {
    compared({ time: undefined }).should.equal('same');
    compared({ time: undefined, size: undefined }).should.equal('unknown');
  });

  it('if checksums are wanted and there are none, the time decides, and equal sizes alone prove nothing', () => {
    for (const direction of ['up', 'down'] as const) {
      compared({}, direction, 'checksum').should.equal('same');
      compared({ time: TIME - 1_000 }, direction, 'checksum').should.equal('changed');
      compared({ time: undefined }, direction, 'checksum').should.equal('unknown');
      compared({ time: undefined, size: 6 }, direction, 'checksum').should.equal('changed');
    }
  });

  it('a document has no size or checksum, so only its time is compared, if it has one', () => {
    const document = { isDocument: true, size: undefined };
    compared(document).should.equal('same');
    compared({ ...document, time: undefined }).should.equal('same');
    compared({ ...document, time: TIME + 1_000 }, 'down').should.equal('changed');
  });
});
