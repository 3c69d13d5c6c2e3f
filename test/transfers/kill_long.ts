/**
 * Transfers survive twenty kills of Node-RED: they end with one complete file, and few bytes are sent twice. `KILL_SEED`
 * repeats a run.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { transferWithKills } from './transfer-with-kills';
import { NodeRedEnv, md5OfFile } from './node-red-env';

const OLD = Buffer.from('what was there before');
/** Bytes that may be sent again after each kill. Restarting from the first byte would exceed it. */
const MAX_RESENT = 4 * 1024 * 1024;
const KILLS = { count: 20, seed: Number(process.env['KILL_SEED'] ?? Date.now() % 1e6) };

describe('transfers of 200 MB with twenty kills of Node-RED', function () {
  this.timeout(600_000);
  let env: NodeRedEnv;
  before(async () => {
    env = await NodeRedEnv.open({ size: 200_000_000, bytesPerSecond: 20_000_000 });
  });
  after(() => env.close());

  it('an upload completes after Node-RED was killed', async () => {
    const { drive, folderId, source } = env;
    const check = (): void => void drive.files.in(folderId).should.be.empty();
    const { lastMessage, wireBytes } = await transferWithKills(env, 'upload', KILLS, {
      run: () => env.upload(),
      check,
    });
    should(lastMessage['error']).be.undefined();
    const [file, ...others] = drive.files.in(folderId);
    others.should.be.empty();
    should(lastMessage.payload).match({ id: file?.id, md5Checksum: source.md5 });
    const stored = path.join(drive.dataDir, 'content', file?.content?.blob ?? '');
    should(await md5OfFile(stored)).equal(source.md5);
    wireBytes.should.be.within(source.size, source.size + KILLS.count * MAX_RESENT);
  });

  it('a download completes after Node-RED was killed', async () => {
    const { drive, disk, source } = env;
    const id = await drive.files.add({ name: 'large.bin', content: { path: source.path } });
    const folder = await mkdtemp(path.join(disk, 'target-'));
    const target = path.join(folder, 'target.bin');
    await writeFile(target, OLD);
    const check = (): void => void readFileSync(target).equals(OLD).should.be.true();
    const run = () => env.download(id, target);
    const { lastMessage, wireBytes } = await transferWithKills(env, 'download', KILLS, { run, check });
    should(lastMessage['error']).be.undefined();
    should(await md5OfFile(target)).equal(source.md5);
    (await readdir(folder)).should.deepEqual(['target.bin']);
    wireBytes.should.be.within(source.size, source.size + KILLS.count * MAX_RESENT);
  });
});
