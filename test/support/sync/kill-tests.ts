/** Synchronizations survive kills: the next run completes them, without duplicates, and sends few bytes twice. */
import 'should';
import { rename, rm } from 'node:fs/promises';
import { Random } from '../random';
import { bytes } from '../content';
import { queuedBytes } from './queued-bytes';
import { startSyncChild } from './run-sync-child';
import { syncFixture } from './sync-fixture';

interface Kills {
  count: number;
  seed: number;
  /** Numbers of files with about 100 KB and 10 MB. */
  small: number;
  large: number;
  /**
   * The part of all bytes that may be sent twice, apart from headers. A kill loses what is in memory: up to one block of
   * 256 KiB for each of the four transfers, and more if the disk is slow.
   */
  maxResent: number;
}

/** Where the system doesn't report how many bytes a killed process hasn't read. */
const USUALLY_QUEUED = 4 * 1024 * 1024;
/** Of each download. */
const BYTES_PER_SECOND = 4_000_000;
/** Of each request. */
const HEADER_BYTES = 1_500;

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

  /** @returns bytes on the wire, except those that a process hadn't read when it was killed */
  async function runWithKills(direction: 'up' | 'down', total: number): Promise<number> {
    const { traffic, url } = fixture.drive;
    const onWire = (): number => (direction === 'up' ? traffic.received : traffic.sent);
    // Below the limit of the client, so that it reads what the drive sends.
    const rate = { bytesPerSecond: BYTES_PER_SECOND, times: Number.MAX_SAFE_INTEGER };
    fixture.drive.faults.add({ kind: 'throttle', ...rate, match: { query: /alt=media/ } });
    const random = new Random(seed);
    const before = onWire();
    let unread = 0;
    const sessions = `${fixture.path()}-sessions.json`;
    for (let kill = 0; kill < count; kill++) {
      const position = ((kill + random.fraction()) * total * 0.95) / count;
      const child = startSyncChild(url, sessions, fixture.request(direction));
      let hasEnded = false;
      void child.result.then(() => (hasEnded = true));
      const start = onWire();
      await traffic.until(() => hasEnded || (onWire() - before >= position && onWire() - start > 50_000));
      hasEnded.should.be.false();
      child.process.kill('SIGSTOP');
      if (direction === 'down') unread += traffic.waiting + (queuedBytes(url) ?? USUALLY_QUEUED);
      child.process.kill('SIGKILL');
      await child.result;
    }
    const result = await startSyncChild(url, sessions, fixture.request(direction)).result;
    (result?.error === undefined).should.be.true();
    result?.summary.unchanged.should.be.above(0);
    return onWire() - before - unread;
  }

  for (const direction of ['up', 'down'] as const) {
    it(`sync ${direction} completes after ${count} kills, without duplicates and with few bytes sent twice`, async () => {
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
      onWire.should.be.belowOrEqual(total * (1 + maxResent) + requests * HEADER_BYTES);
    });
  }
}
