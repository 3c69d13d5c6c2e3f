/** Checksums of files on disk. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import 'should';
import { BufferPool } from '../../../src/core/buffers';
import { CHUNK_SIZE, localChecksum } from '../../../src/sync/transfer-files';
import { needsProgram } from '../../support/archive/programs';
import { bytes } from '../../support/content';
import { rejected } from '../../support/client/rejected';
import { useDisk } from '../../support/disk';

describe('checksums of files on disk', () => {
  const disk = useDisk();
  const { signal } = new AbortController();
  const memory = new BufferPool(CHUNK_SIZE);

  it('16 bytes are the MD5 and 32 bytes the SHA-256 of the whole file', async () => {
    const content = bytes(600_000);
    await writeFile(disk('file'), content);
    for (const [length, algorithm] of [
      [16, 'md5'],
      [32, 'sha256'],
    ] as const) {
      const expected = createHash(algorithm).update(content).digest().toString('latin1');
      (await localChecksum(disk('file'), length, { signal, memory, within: disk() })).should.equal(expected);
    }
  });

  it('a missing file is an error of the disk, and an aborted computation is cancelled', async () => {
    await rejected(localChecksum(disk('missing'), 16, { signal, memory, within: disk() }), 'local_file');
    await writeFile(disk('file'), 'a');
    await rejected(
      localChecksum(disk('file'), 16, { signal: AbortSignal.abort(), memory, within: disk() }),
      'cancelled',
    );
  });

  it('a FIFO that has taken the place of a file doesn’t block', async function () {
    if (process.platform === 'win32') this.skip('not on Windows');
    execFileSync('mkfifo', [disk('fifo')]);
    const empty = createHash('md5').digest().toString('latin1');
    (await localChecksum(disk('fifo'), 16, { signal, memory, within: disk() })).should.equal(empty);
  });

  it('a file that another program has leased is read when the lease ends', async function () {
    if (process.platform !== 'linux') this.skip('needs Linux');
    needsProgram(this, 'python3');
    await writeFile(disk('file'), 'a');
    const lease = spawn('python3', ['-c', LEASE, disk('file')]);
    const ended = once(lease, 'exit');
    await once(lease.stdout, 'data');
    const expected = createHash('md5').update('a').digest().toString('latin1');
    (await localChecksum(disk('file'), 16, { signal, memory, within: disk() })).should.equal(expected);
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
