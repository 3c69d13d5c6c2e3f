/** Interrupted uploads, as docs/nodes/upload.md describes them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bytes, md5 } from '../../support/content';
import { useDrive } from '../../support/node-red/flow-drive';
import { type FlowNode, load, useNodeRed } from '../../support/node-red/load';
import { failed, passed } from '../../support/node-red/outcome';

const CONTENT = bytes(20_000_000);
const MIB = 1024 * 1024;

const node = (type: string, more: object = {}): FlowNode => ({
  id: type,
  type: `cloud-drive-${type}`,
  ...more,
});

describe('upload node after a cancelled upload', () => {
  useNodeRed();
  const drive = useDrive();
  let disk: string;
  let filename: string;

  before(async () => {
    disk = await mkdtemp(path.join(tmpdir(), 'resume-'));
    filename = path.join(disk, 'large.bin');
    await writeFile(filename, CONTENT);
  });
  after(() => rm(disk, { recursive: true }));

  const slowDown = (): void => {
    const match = { method: 'PUT' };
    drive().faults.add({ kind: 'throttle', bytesPerSecond: 10 * MIB, match, times: Infinity });
  };

  for (const ifExists of ['duplicate', 'replace', 'skip', 'rename', 'error']) {
    it(`upload resumes at the stored offset when the message is repeated, with ${ifExists}`, async () => {
      const folderId = await drive().files.addFolder('folder');
      const nodes = [node('upload', { source: 'file', ifExists })];
      const flow = await load(nodes, { url: drive().url, service: 'google' });
      const before = drive().traffic.received;
      slowDown();
      const first = flow.run('upload', { filename, folderId });
      await drive().traffic.until(() => drive().traffic.received > before + 8 * MIB);
      flow.send('upload', { cancel: true });
      failed(await first, 'cancelled');
      drive().files.in(folderId).should.be.empty();
      drive().faults.clear();
      passed(await flow.run('upload', { filename, folderId })).should.match({
        created: true,
        skipped: false,
      });
      const [file, ...more] = drive().files.in(folderId);
      more.should.be.empty();
      md5(await drive().files.contentOf(file?.id ?? '')).should.equal(md5(CONTENT));
      (drive().traffic.received - before).should.be.below(CONTENT.length + 6 * MIB);
      drive()
        .requests.to('POST')
        .filter(({ query }) => query.includes('uploadType=resumable'))
        .length.should.equal(1);
    });
  }

  it('upload sends within the bandwidth limit and lets other nodes send requests meanwhile', async () => {
    const nodes = [node('upload', { source: 'file' }), node('about')];
    const account = { bandwidth: 100 };
    const flow = await load(nodes, { url: drive().url, service: 'google', account });
    const before = drive().traffic.received;
    const run = flow.run('upload', { filename });
    await drive().traffic.until(() => drive().traffic.received > before + 30_000);
    passed(await flow.run('about'));
    flow.send('upload', { cancel: true });
    failed(await run, 'cancelled');
    (drive().traffic.received - before).should.be.below(2 * MIB);
  });
});
