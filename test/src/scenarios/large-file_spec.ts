/** Memory used to upload and download 100 MiB: docs/nodes.md, "Limits". */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import should from 'should';
import { bytes } from '../../support/content';
import { driveFixture } from '../../support/client/drive-fixture';

const MIB = 1024 * 1024;
const SIZE = 100 * MIB;

describe('DriveClient with a file of 100 MiB', () => {
  const fixture = driveFixture();

  it('DriveClient uploads and downloads 100 MiB unchanged with less than 60 MiB of additional memory', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'large-'));
    const [source, target] = [join(folder, 'source'), join(folder, 'target')];
    try {
      const handle = await open(source, 'w');
      for (let offset = 0; offset < SIZE; offset += 10 * MIB) await handle.write(bytes(10 * MIB, offset + 1));
      await handle.close();
      const child = require.resolve('../../support/client/transfer-child');
      const command = ['-r', 'tsx/cjs', child, fixture.drive.url, source, target];
      // Other specs measure the coverage of what it runs.
      const env = { ...process.env, NODE_V8_COVERAGE: undefined };
      const { stdout } = await promisify(execFile)(process.execPath, command, { env });
      const { id, growth } = JSON.parse(stdout) as { id: string; growth: number };
      const expected = await md5Of(source);
      should(fixture.drive.files.find(id)?.content?.md5).equal(expected);
      should(await md5Of(target)).equal(expected);
      (growth / MIB).should.be.below(60);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

async function md5Of(path: string): Promise<string> {
  const hash = createHash('md5');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
