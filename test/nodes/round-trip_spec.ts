/** A backup is uploaded, found and downloaded unchanged, as in examples/nightly-backup.json. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { NodeMessage } from 'node-red';
import should from 'should';
import { bytes } from '../support/content';
import { useDisk } from '../support/disk';
import { useDrive } from '../support/node-red/flow-drive';
import { load, useNodeRed } from '../support/node-red/load';
import { passed } from '../support/node-red/outcome';

const MIB = 1024 * 1024;

async function md5Of(path: string): Promise<string> {
  const hash = createHash('md5');
  for await (const chunk of createReadStream(path, { highWaterMark: MIB })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** MiB: more than the buffers contain. src/scenarios/large-file_spec.ts transfers 100 MiB. */
const LARGE = 20;

/** Writes a file without repeated blocks. */
async function writeLarge(path: string): Promise<void> {
  const handle = await open(path, 'w');
  const block = bytes(MIB);
  for (let number = 0; number < LARGE; number++) {
    block.writeUInt32LE(number, 0);
    await handle.write(block);
  }
  await handle.close();
}

describe('round trip of a backup', () => {
  useNodeRed();
  const drive = useDrive();
  const disk = useDisk();

  /** The result of each node is the input of the next one. */
  it('a message passes create-folder, upload, search-files, download and delete without nodes in between', async () => {
    const wired = (id: string, type: string, next: string[], more: object = {}) => ({
      id,
      type: `cloud-drive-${type}`,
      wires: [next],
      ...more,
    });
    const flow = await load(
      [
        wired('make', 'create-folder', ['up'], { targetName: 'topic', targetNameType: 'msg' }),
        wired('up', 'upload', ['find'], {
          data: 'archive',
          folder: 'payload',
          targetName: '"backup-" & number & ".tar"',
          targetNameType: 'jsonata',
        }),
        wired('find', 'search-files', ['down'], { folder: 'payload.parents', text: 'number' }),
        wired('down', 'download', ['compare'], { output: 'string' }),
        { id: 'compare', type: 'helper', z: 'tab', x: 0, y: 0, wires: [['gone']] },
        wired('gone', 'delete', ['end'], { file: 'file' }),
        { id: 'end', type: 'helper', z: 'tab', x: 0, y: 0, wires: [] },
      ],
      { url: drive().url },
    );
    let downloaded: NodeMessage = {};
    flow.node('compare').on('input', (msg: NodeMessage) => {
      downloaded = { ...msg };
      flow.node('compare').send(msg);
    });
    flow.send('make', { topic: 'backups', number: 2042, archive: 'content of the archive' });
    const [end] = await flow.received('end');
    should(downloaded.payload).equal('content of the archive');
    should(downloaded['file']).match({ name: 'backup-2042.tar' });
    should(end?.payload).match({ result: 'deleted' });
    should(end).match({ topic: 'backups', number: 2042, created: true, skipped: false, truncated: false });
    should(drive().files.find((downloaded['file'] as { id: string }).id)).be.undefined();
  });

  for (const service of ['custom', 'google'] as const) {
    it(`a file of ${LARGE} MiB is uploaded from disk and downloaded to disk with an equal MD5, at a ${service} service`, async function () {
      await writeLarge(disk('up.bin'));
      const md5 = await md5Of(disk('up.bin'));
      const flow = await load(
        [
          { id: 'up', type: 'cloud-drive-upload', source: 'file' },
          { id: 'down', type: 'cloud-drive-download', output: 'file' },
        ],
        { url: drive().url, service },
      );
      const { payload } = passed(await flow.run('up', { filename: disk('up.bin') }));
      should(payload).match({ size: String(LARGE * MIB), md5Checksum: md5 });
      passed(await flow.run('down', { payload, filename: disk('down.bin') }));
      (await md5Of(disk('down.bin'))).should.equal(md5);
    });
  }
});
