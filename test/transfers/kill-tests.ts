/** Killed in the middle of a transfer, again and again: one whole file at the end, and hardly a byte sent twice. */
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { type Kills, transferWithKills } from './transfer-with-kills';
import { NodeRedEnv, type NodeRedEnvOptions, md5OfFile } from './node-red-env';

const OLD = Buffer.from('what was there before');
/** Bytes that each kill may cost: what was on its way. One that began anew each time would need more. */
const LOST = 4 * 1024 * 1024;

export function testTransfersWithKills(options: NodeRedEnvOptions, kills: Kills): void {
  let plant: NodeRedEnv;
  beforeEach(async () => {
    plant = await NodeRedEnv.open(options);
  });
  afterEach(() => plant.close());

  it('an upload', async () => {
    const { drive, folderId, source } = plant;
    const check = (): void => void drive.files.in(folderId).should.be.empty();
    const { lastMessage, wireBytes } = await transferWithKills(plant, 'upload', kills, {
      run: () => plant.upload(),
      check,
    });
    should(lastMessage['error']).be.undefined();
    const [file, ...others] = drive.files.in(folderId);
    others.should.be.empty();
    should(lastMessage.payload).match({ id: file?.id, md5Checksum: source.md5 });
    const stored = path.join(drive.dataDir, 'content', file?.content?.blob ?? '');
    should(await md5OfFile(stored)).equal(source.md5);
    wireBytes.should.be.within(source.size, source.size + kills.count * LOST);
  });

  it('a download', async () => {
    const { drive, disk, source } = plant;
    const id = await drive.files.add({ name: 'large.bin', content: { path: source.path } });
    const folder = await mkdtemp(path.join(disk, 'target-'));
    const target = path.join(folder, 'target.bin');
    await writeFile(target, OLD);
    const check = (): void => void readFileSync(target).equals(OLD).should.be.true();
    const run = () => plant.download(id, target);
    const { lastMessage, wireBytes } = await transferWithKills(plant, 'download', kills, { run, check });
    should(lastMessage['error']).be.undefined();
    should(await md5OfFile(target)).equal(source.md5);
    (await readdir(folder)).should.deepEqual(['target.bin']);
    wireBytes.should.be.within(source.size, source.size + kills.count * LOST);
  });
}
