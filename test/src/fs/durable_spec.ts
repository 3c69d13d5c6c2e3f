/** Operations on the disk that fail. */
import { chmod, mkdir, readdir, stat, symlink, writeFile, utimes } from 'node:fs/promises';
import 'should';
import { exists, flushFileSystem, removeTree, renameEntry, fileTime } from '../../../src/fs/durable';
import { useDisk } from '../../support/disk';
import { withSync } from '../../support/sync-program';
import { Random } from '../../support/random';

describe('file system operations of a restore', () => {
  const disk = useDisk();

  it('a path below a file doesn’t exist, and one that can’t be a path is an error', async () => {
    await writeFile(disk('file'), '');
    (await exists(disk('file'))).should.be.true();
    (await exists(disk('file', 'below'))).should.be.false();
    (await exists(disk('missing'))).should.be.false();
    await exists(disk('n'.repeat(300))).should.be.rejectedWith({ code: 'ENAMETOOLONG' });
  });

  it('a failed rename changes neither the folder nor its mode, also of a read-only folder', async () => {
    await mkdir(disk('from'));
    await mkdir(disk('to'));
    await writeFile(disk('to', 'file'), '');
    for (const mode of [0o755, 0o555]) {
      await chmod(disk('from'), mode);
      await renameEntry(disk('from'), disk('to')).should.be.rejectedWith({ code: 'ENOTEMPTY' });
      ((await stat(disk('from'))).mode & 0o777).should.equal(mode);
    }
    await renameEntry(disk('missing'), disk('new')).should.be.rejectedWith({ code: 'ENOENT' });
    (await readdir(disk())).sort().should.eql(['from', 'to']);
  });

  it('a folder is removed with many entries, links and read-only folders in it', async () => {
    await mkdir(disk('tree', 'closed', 'inner'), { recursive: true });
    await mkdir(disk('other'));
    await writeFile(disk('other', 'kept'), '');
    await symlink(disk('other'), disk('tree', 'closed', 'link'));
    for (let index = 0; index < 600; index++) await writeFile(disk('tree', 'closed', `file ${index}`), '');
    await chmod(disk('tree', 'closed'), 0o500);
    await removeTree(disk('tree'));
    await removeTree(disk('tree'));
    (await readdir(disk())).should.eql(['other']);
    (await readdir(disk('other'))).should.eql(['kept']);
  });

  it('a missing folder counts as removed, and a path that can’t be removed is an error', async () => {
    await removeTree(disk('missing'));
    await writeFile(disk('file'), '');
    await removeTree(disk('file', 'below')).should.be.rejectedWith({ code: 'ENOTDIR' });
    await removeTree(disk('file'));
    (await readdir(disk())).should.eql([]);
  });

  for (const [message, code] of [
    ["sync: error syncing '/disk': Input/output error", 'EIO'],
    ['sync: /disk: I/O error', 'EIO'],
    ["sync: error syncing '/disk': No space left on device", 'ENOSPC'],
    ["sync: error syncing '/disk': Disk quota exceeded", 'EDQUOT'],
  ] as const) {
    it(`a flush of a disk fails with ${code} for “${message}”`, async function () {
      if (process.platform === 'win32') this.skip('not on Windows');
      await withSync(disk(), message, () =>
        flushFileSystem(disk(), undefined).should.be.rejectedWith({ code }),
      );
    });
  }

  it('a flush of a disk does nothing with a program that can’t flush a single disk, or without one', async function () {
    if (process.platform === 'win32') this.skip('not on Windows');
    await withSync(disk(), "sync: invalid option -- 'f'", () => flushFileSystem(disk(), undefined));
    await withSync(disk(), undefined, () => flushFileSystem(disk(), undefined));
  });
});

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
