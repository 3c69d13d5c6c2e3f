/** Synchronizations survive kills: the next run completes them, without duplicates, and resumes what there is. */
import 'should';
import { lstat, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { parsePartName } from '../../../src/fs/reserved-names';
import { Random } from '../random';
import { bytes } from '../content';
import { type SyncChildResult, startSyncChild } from './run-sync-child';
import { syncFixture } from './sync-fixture';

interface Kills {
  count: number;
  seed: number;
  /** Numbers of files with about 100 KB and 10 MB. */
  small: number;
  large: number;
  /** The part of all bytes that may be uploaded twice, apart from headers. */
  maxResent: number;
}

/** Of each download. */
const BYTES_PER_SECOND = 4_000_000;
/** Of each request. */
const HEADER_BYTES = 1_500;
/** Of the lists of files in a run. */
const LIST_BYTES = 500_000;

export function testKilledSyncs({ count, seed, small, large, maxResent }: Kills): void {
  const fixture = syncFixture();

  function tree(): Record<string, string> {
    const contentOf = (length: number, index: number): string => bytes(length, index).toString('base64');
    const files: Record<string, string> = {};
    for (let index = 0; index < small; index++) {
      files[`d${index % 7}/${index}.bin`] =
        `${contentOf(50_000 + index * 100, index)} @${1_600_000_000 + index}`;
    }
    for (let index = 0; index < large; index++) {
      files[`large/${index}.bin`] = `${contentOf(7_500_000 + index, index)} @1600000000`;
    }
    return files;
  }

  /**
   * Bytes of the files on disk, and of the parts of large ones. What a killed process still had in memory, or hadn't read
   * yet, depends on the speed of the machine.
   */
  async function storedBytes(): Promise<number> {
    const entries = await readdir(fixture.path(), { withFileTypes: true, recursive: true }).catch(() => []);
    let sum = 0;
    for (const entry of entries) {
      const isPart = parsePartName(entry.name) !== undefined;
      const isLarge = path.basename(entry.parentPath) === 'large';
      if (entry.isFile() && (isLarge || !isPart))
        sum += (await lstat(path.join(entry.parentPath, entry.name))).size;
    }
    return sum;
  }

  /** Runs a download. @throws if it gets more than what isn't on disk yet */
  async function runOnce<T>(direction: 'up' | 'down', total: number, run: () => Promise<T>): Promise<T> {
    const { traffic, requests } = fixture.drive;
    const missing = total - (await storedBytes());
    const [sent, count] = [traffic.sent, requests.all.length];
    const result = await run();
    if (direction === 'down') {
      const headers = (requests.all.length - count) * HEADER_BYTES + LIST_BYTES;
      (traffic.sent - sent).should.be.belowOrEqual(missing + headers);
    }
    return result;
  }

  /** @returns bytes on the wire */
  async function runWithKills(direction: 'up' | 'down', total: number): Promise<number> {
    const { traffic, url } = fixture.drive;
    const onWire = (): number => (direction === 'up' ? traffic.received : traffic.sent);
    // Below the limit of the client, so that it reads what the drive sends.
    const rate = { bytesPerSecond: BYTES_PER_SECOND, times: Number.MAX_SAFE_INTEGER };
    fixture.drive.faults.add({ kind: 'throttle', ...rate, match: { query: /alt=media/ } });
    const random = new Random(seed);
    const before = onWire();
    const sessions = `${fixture.path()}-sessions.json`;
    for (let kill = 0; kill < count; kill++) {
      const position = ((kill + random.fraction()) * total * 0.95) / count;
      await runOnce(direction, total, async () => {
        const child = startSyncChild(url, sessions, fixture.request(direction));
        let hasEnded = false;
        void child.result.then(() => (hasEnded = true));
        const start = onWire();
        await traffic.until(() => hasEnded || (onWire() - before >= position && onWire() - start > 50_000));
        hasEnded.should.be.false();
        child.process.kill('SIGKILL');
        await child.result;
      });
    }
    const last = (): Promise<SyncChildResult | undefined> =>
      startSyncChild(url, sessions, fixture.request(direction)).result;
    const result = await runOnce(direction, total, last);
    (result?.error === undefined).should.be.true();
    result?.summary.unchanged.should.be.above(0);
    return onWire() - before;
  }

  for (const direction of ['up', 'down'] as const) {
    it(`sync ${direction} completes after ${count} kills, without duplicates, and sends little twice`, async () => {
      await fixture.writeDisk(tree());
      const source = await fixture.readDisk();
      if (direction === 'down') {
        await fixture.up();
        await rename(fixture.path(), `${fixture.path()}-source`);
        await rm(fixture.path(), { recursive: true, force: true });
      }
      const total = Object.values(source).reduce((sum, text) => sum + text.length, 0);
      const onWire = await runWithKills(direction, total);
      (await fixture.readDrive()).should.eql(source);
      (await fixture.readDisk()).should.eql(source);
      const requests = fixture.drive.requests.all.length;
      if (direction === 'up')
        onWire.should.be.belowOrEqual(total * (1 + maxResent) + requests * HEADER_BYTES);
    });
  }
}
