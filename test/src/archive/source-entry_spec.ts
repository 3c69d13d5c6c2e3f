import { closeSync, existsSync, fstatSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import 'should';
import { BufferPool } from '../../../src/archive/buffer-pool';
import { FileContent } from '../../../src/archive/source-entry';
import { bytes } from '../../support/content';
import { useDisk } from '../../support/disk';

const BUFFER_SIZE = 1_000;
const SIZE = 600;

describe('content of a small file', () => {
  const disk = useDisk();

  /** Reads a file that had another size when it was opened. */
  async function readFile(sizeBefore: number): Promise<{ content: Buffer; hasChanged: boolean }> {
    await writeFile(disk('file'), bytes(SIZE));
    const fd = openSync(disk('file'), 'r');
    const stats = Object.assign(fstatSync(fd, { bigint: true }), { size: BigInt(sizeBefore) });
    const file = new FileContent(fd, stats, new BufferPool(1, BUFFER_SIZE));
    await file.readIfSmall();
    const content = (await file.next()) ?? Buffer.alloc(0);
    (() => closeSync(fd)).should.throw({ code: 'EBADF' });
    return { content: Buffer.from(content), hasChanged: file.hasChanged };
  }

  it('a file that stays the same is read completely', async () => {
    (await readFile(SIZE)).should.eql({ content: bytes(SIZE), hasChanged: false });
  });

  it('of a file that has grown, the announced bytes are read', async () => {
    (await readFile(SIZE - 100)).should.eql({
      content: bytes(SIZE).subarray(0, SIZE - 100),
      hasChanged: true,
    });
  });

  it('of a file that can’t be read any more, the error is kept', async function () {
    // Linux has a file whose first bytes can't be read, as on a disk that was removed.
    if (!existsSync('/proc/self/mem')) this.skip();
    const fd = openSync('/proc/self/mem', 'r');
    const stats = Object.assign(fstatSync(fd, { bigint: true }), { size: BigInt(SIZE) });
    const file = new FileContent(fd, stats, new BufferPool(1, BUFFER_SIZE));
    await file.readIfSmall();
    file.should.have.properties({ hasChanged: true, failure: 'EIO' });
    await file.discard();
  });

  it('a file that has shrunk is padded with zeros', async () => {
    const content = Buffer.concat([bytes(SIZE), Buffer.alloc(100)]);
    (await readFile(SIZE + 100)).should.eql({ content, hasChanged: true });
  });
});
