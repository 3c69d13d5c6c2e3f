import { closeSync, existsSync, openSync } from 'node:fs';
import { appendFile, truncate, utimes, writeFile } from 'node:fs/promises';
import 'should';
import { FileContent } from '../../../../src/backup/entries/source-entry';
import { bytes } from '../../../support/content';
import { useDisk } from '../../../support/disk';

const SIZE = 600;

describe('content of a file', () => {
  const disk = useDisk();

  /** Reads a file in two steps, and changes it before one of them. */
  async function readFile(
    step: number,
    change: () => Promise<void>,
  ): Promise<{ content: Buffer; hasChanged: boolean }> {
    await writeFile(disk('file'), bytes(SIZE));
    const fd = openSync(disk('file'), 'r');
    const file = new FileContent(fd);
    file.stats.isFile().should.be.true();
    const content = Buffer.alloc(SIZE + 10);
    let length = 0;
    for (const [index, size] of [200, 1_000].entries()) {
      if (index === step) await change();
      length += file.fill(content.subarray(length, length + size));
    }
    file.remaining.should.equal(0);
    file.finish();
    file.close();
    (() => closeSync(fd)).should.throw({ code: 'EBADF' });
    return { content: content.subarray(0, length), hasChanged: file.hasChanged };
  }

  it('a file that stays the same is read completely', async () => {
    (await readFile(-1, () => Promise.resolve())).should.eql({ content: bytes(SIZE), hasChanged: false });
  });

  for (const step of [0, 1]) {
    it(`of a file that grows before step ${step}, the announced bytes are read`, async () => {
      const read = await readFile(step, () => appendFile(disk('file'), 'more'));
      read.should.eql({ content: bytes(SIZE), hasChanged: true });
    });

    it(`a file that shrinks before step ${step} is padded with zeros`, async () => {
      const read = await readFile(step, () => truncate(disk('file'), 300));
      const content = Buffer.concat([bytes(SIZE).subarray(0, 300), Buffer.alloc(300)]);
      read.should.eql({ content, hasChanged: true });
    });

    it(`a file that is overwritten before step ${step} has changed`, async () => {
      (await readFile(step, () => utimes(disk('file'), 1, 1))).hasChanged.should.be.true();
    });
  }

  it('of a file that can’t be read any more, the error is kept', function () {
    // Linux has a file whose first bytes can't be read, as on a disk that was removed.
    if (!existsSync('/proc/self/mem')) this.skip('needs Linux');
    const file = new FileContent(openSync('/proc/self/mem', 'r'));
    Object.assign(file.stats, { size: BigInt(SIZE) });
    const content = Buffer.alloc(SIZE, 1);
    file.fill(content).should.equal(SIZE);
    file.finish();
    file.close();
    [file.failure].should.eql(['EIO']);
    content.equals(Buffer.alloc(SIZE)).should.be.true();
  });
});
