/** Killed in the middle of a transfer, again and again: one whole file at the end, and hardly a byte sent twice. */
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { type Kills, through } from './kills';
import { Plant, type PlantOptions, md5OfFile } from './plant';

const OLD = Buffer.from('what was there before');
/** Bytes that each kill may cost: what was on its way. One that began anew each time would need more. */
const LOST = 4 * 1024 * 1024;

export function killAgainAndAgain(options: PlantOptions, kills: Kills): void {
  let plant: Plant;
  beforeEach(async () => {
    plant = await Plant.open(options);
  });
  afterEach(() => plant.close());

  it('an upload', async () => {
    const { drive, folderId, source } = plant;
    const check = (): void => void drive.files.in(folderId).should.be.empty();
    const { last, wire } = await through(plant, 'upload', kills, { run: () => plant.upload(), check });
    should(last['error']).be.undefined();
    const [file, ...others] = drive.files.in(folderId);
    others.should.be.empty();
    should(last.payload).match({ id: file?.id, md5Checksum: source.md5 });
    const stored = path.join(drive.dataDir, 'content', file?.content?.blob ?? '');
    should(await md5OfFile(stored)).equal(source.md5);
    wire.should.be.within(source.size, source.size + kills.count * LOST);
  });

  it('a download', async () => {
    const { drive, disk, source } = plant;
    const id = await drive.files.add({ name: 'large.bin', content: { path: source.path } });
    const folder = await mkdtemp(path.join(disk, 'target-'));
    const target = path.join(folder, 'target.bin');
    await writeFile(target, OLD);
    const check = (): void => void readFileSync(target).equals(OLD).should.be.true();
    const run = () => plant.download(id, target);
    const { last, wire } = await through(plant, 'download', kills, { run, check });
    should(last['error']).be.undefined();
    should(await md5OfFile(target)).equal(source.md5);
    (await readdir(folder)).should.deepEqual(['target.bin']);
    wire.should.be.within(source.size, source.size + kills.count * LOST);
  });
}
