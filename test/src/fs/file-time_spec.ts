/** The times that Node.js sets. */
import 'should';
import { stat, utimes, writeFile } from 'node:fs/promises';
import { fileTime } from '../../../src/fs/durable';
import { useDisk } from '../../support/disk';
import { Random } from '../../support/random';

const SECONDS = 1_620_008_999;

describe('fileTime', () => {
  const disk = useDisk();

  it('a time that a number can express stays exactly the same', () => {
    for (const time of [0, 1, 0.5, SECONDS, SECONDS + 0.25, SECONDS + 0.75])
      fileTime(time).should.equal(time);
  });

  it('a time that no number can express becomes less than a quarter of a microsecond later, and never earlier', async () => {
    const random = new Random(1);
    await writeFile(disk('file'), '');
    for (let index = 0; index < 300; index++) {
      const microseconds = random.between(0, 999_999);
      const time = fileTime(SECONDS + microseconds / 1e6) as number;
      await utimes(disk('file'), time, time);
      const { mtimeNs } = await stat(disk('file'), { bigint: true });
      const later = Number(mtimeNs % 1_000_000_000n) - microseconds * 1_000;
      later.should.be.within(0, 250, `${microseconds} µs`);
    }
  });

  it('a time before 1970 is set to the microsecond', async () => {
    const random = new Random(2);
    await writeFile(disk('file'), '');
    const times = Array.from({ length: 300 }, () => random.between(0, SECONDS * 1e6));
    for (const microseconds of [1, 999_999, 1e6, ...times]) {
      const time = fileTime(-microseconds / 1e6);
      await utimes(disk('file'), time, time);
      const { mtimeNs } = await stat(disk('file'), { bigint: true });
      Number(BigInt(-microseconds) * 1_000n - mtimeNs).should.be.within(0, 250);
    }
  });
});
