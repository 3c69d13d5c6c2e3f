/** Checksums of files on disk. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import 'should';
import { BufferPool } from '../../../src/concurrency/buffer-pool';
import { CHUNK_SIZE, localChecksum } from '../../../src/sync/local-checksum';
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
});
