/** The order of transfers, one that fails by a mistake in this program, and the checksums of files on disk. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import 'should';
import { BufferPool } from '../../../src/core/buffers';
import { Semaphore } from '../../../src/core/semaphore';
import { abortable } from '../../../src/core/abort';
import { DRIVE_NAMES } from '../../../src/sync/disk-names';
import { Plan } from '../../../src/sync/plan';
import { SyncFolder } from '../../../src/sync/sync-folder';
import { type SyncContext, SyncRun } from '../../../src/sync/sync-run';
import { CHUNK_SIZE } from '../../../src/sync/sync-run';
import { localChecksum, transferFiles } from '../../../src/sync/transfer-files';
import { needsProgram } from '../../support/archive/programs';
import { rejected } from '../../support/client/rejected';
import { FakeClock } from '../../support/clock';
import { bytes } from '../../support/content';
import { useDisk } from '../../support/disk';
import { SYNC_DEFAULTS } from '../../support/sync/sync-fixture';

describe('transferFiles', () => {
  const request = { ...SYNC_DEFAULTS, direction: 'up', localPath: '/x', folderId: 'top' } as const;

  const setTime = (): Promise<'set'> => Promise.resolve('set');

  /** @param sizes of the files in each folder */
  function runWith(sizes: Readonly<Record<string, Readonly<Record<string, number>>>>): SyncRun {
    const plan = new Plan(request, DRIVE_NAMES);
    const top = new SyncFolder(undefined, '');
    for (const [folderName, files] of Object.entries(sizes)) {
      const folder = new SyncFolder(top, folderName);
      for (const [name, size] of Object.entries(files)) {
        const local = { size, mtimeMs: 0 };
        plan.addTransfer({ folder, name, local, remote: undefined, isRenamed: false });
      }
    }
    const upload = { drive: { clock: new FakeClock() }, transfers: new Semaphore(2) };
    return new SyncRun({ upload } as unknown as SyncContext, request, { top, plan, listedAt: 0, call: {} });
  }

  for (const failing of ['large', 'small']) {
    it(`an unexpected error of the ${failing} file is thrown, not the cancellation of the other`, async () => {
      const run = runWith({ folder: { large: 2, small: 1 } });
      const error = new TypeError('unexpected');
      const write = ({ name }: { name: string }): Promise<void> =>
        name === failing ? Promise.reject(error) : abortable(new Promise(() => undefined), run.signal);
      await transferFiles(run, { write, setTime }).should.be.rejectedWith(error);
    });
  }

  it('small files of about the same size are transferred folder by folder, beside the largest file', async () => {
    const run = runWith({
      a: { a1: 1_100, a2: 1_700, large: 1_000_000, a3: 1_300 },
      b: { b1: 1_500, b2: 1_200, tiny: 1, b3: 1_600 },
    });
    const written: string[] = [];
    let endLarge: () => void;
    const othersDone = new Promise<void>((resolve) => (endLarge = resolve));
    const write = async ({ name }: { name: string }): Promise<void> => {
      written.push(name);
      if (written.length === 8) endLarge();
      if (name === 'large') await othersDone;
    };
    await transferFiles(run, { write, setTime });
    written.should.eql(['large', 'tiny', 'b3', 'b2', 'b1', 'a3', 'a2', 'a1']);
  });
});

describe('checksums of files on disk', () => {
  const disk = useDisk();
  const { signal } = new AbortController();
  const memory = new BufferPool(CHUNK_SIZE);
  const checksumOf = (name: string, length: number, abortedBy = signal): Promise<string> =>
    localChecksum(disk(name), length, { signal: abortedBy, memory, within: disk() });

  it('16 bytes are the MD5 and 32 bytes the SHA-256 of the whole file', async () => {
    const content = bytes(600_000);
    await writeFile(disk('file'), content);
    for (const [length, algorithm] of [
      [16, 'md5'],
      [32, 'sha256'],
    ] as const) {
      const expected = createHash(algorithm).update(content).digest().toString('latin1');
      (await checksumOf('file', length)).should.equal(expected);
    }
  });

  it('a missing file is an error of the disk, and an aborted computation is cancelled', async () => {
    await rejected(checksumOf('missing', 16), 'local_file');
    await writeFile(disk('file'), 'a');
    await rejected(checksumOf('file', 16, AbortSignal.abort()), 'cancelled');
  });

  it('a FIFO that has taken the place of a file doesn’t block', async function () {
    if (process.platform === 'win32') this.skip('not on Windows');
    execFileSync('mkfifo', [disk('fifo')]);
    const empty = createHash('md5').digest().toString('latin1');
    (await checksumOf('fifo', 16)).should.equal(empty);
  });

  it('a file that another program has leased is read when the lease ends', async function () {
    if (process.platform !== 'linux') this.skip('needs Linux');
    needsProgram(this, 'python3');
    await writeFile(disk('file'), 'a');
    const lease = spawn('python3', ['-c', LEASE, disk('file')]);
    const ended = once(lease, 'exit');
    await once(lease.stdout, 'data');
    const expected = createHash('md5').update('a').digest().toString('latin1');
    (await checksumOf('file', 16)).should.equal(expected);
    await ended;
  });
});

/** Ends its lease, and itself, when another process opens the file. */
const LEASE = `
import fcntl, os, signal, sys
file = os.open(sys.argv[1], os.O_RDWR)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGIO])
fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print(flush=True)
signal.sigwait([signal.SIGIO])
fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
`;
