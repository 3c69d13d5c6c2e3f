/** Runs that were suspended for longer than their lock counts, while others cleaned the repository up. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import type { DriveClient, SnapshotBackupRequest } from '../../../../src/index';
import { type RecordedRequest, TestClock } from '../../../local-drive';
import { needsProgram } from '../../../support/archive/programs';
import { describeTree } from '../../../support/archive/tree';
import { rejected } from '../../../support/client/rejected';
import { TOKEN, createTestClient } from '../../../support/client/test-client';
import { bytes } from '../../../support/content';
import { DiskRepository } from '../../../support/snapshots/disk-repository';
import { exportFolder } from '../../../support/snapshots/drive-repository';
import { RULES, SnapshotFixture } from '../../../support/snapshots/snapshot-fixture';

/** s */
const HOUR = 3_600;

describe('runs that were suspended', () => {
  const clock = new TestClock(Date.parse('2024-05-17T10:00:00Z'));
  const fixture = new SnapshotFixture({ clock });
  const file = (name: string): string => path.join(fixture.source, name);
  const retention = { ...RULES, keepNewest: 1 };

  before(function () {
    needsProgram(this, 'restic');
  });

  /** How often a run has looked whether it still has its lock. */
  function checks(): number {
    const isCheck = ({ params }: RecordedRequest): boolean => params.get('fields') === 'id,trashed';
    return fixture.on.drive.requests.to('GET').filter(isCheck).length;
  }

  /** The transfer of the packs takes minutes, so that the lock is looked for once more. */
  function afterMinutes(isReached: () => boolean): () => boolean {
    let isLater = false;
    return () => {
      if (!isLater && fixture.packs().length >= 4) clock.advance(120);
      isLater ||= fixture.packs().length >= 4;
      return isReached();
    };
  }

  /** Whether a clean-up, which follows the checks after an index and a snapshot, has written a pack. */
  function hasRewritten(): () => boolean {
    let before = Infinity;
    return () => {
      if (checks() === 2) before = Math.min(before, fixture.packs().length);
      return fixture.packs().length > before;
    };
  }

  /** Another machine backs up another folder, and cleans up, until packs are removed. */
  async function cleanUpElsewhere(): Promise<void> {
    const other = path.join(fixture.folder, 'other');
    await mkdir(other, { recursive: true });
    const request: Partial<SnapshotBackupRequest> = {
      ...{ sources: [other], host: 'other', retention, maxUnused: 0 },
      cacheFolder: path.join(fixture.folder, 'other-cache'),
    };
    for (let run = 0; run < 3; run++) {
      await writeFile(path.join(other, 'file'), String(run));
      clock.advance(HOUR * 1.1);
      await fixture.backUp(request);
    }
  }

  /** @returns packs that an index refers to, and that don't exist */
  async function missingPacks(): Promise<string[]> {
    const copy = path.join(fixture.folder, 'copy');
    await exportFolder(fixture.on.drive, fixture.folderId, copy);
    const { index } = await DiskRepository.open(copy);
    const stored = fixture.packs();
    return index.packs.filter((pack) => !stored.includes(pack));
  }

  /**
   * Suspends a run before its first request for which this is true, while others remove packs.
   * @returns its result
   */
  async function runSuspended<T>(
    isReached: () => boolean,
    run: (client: DriveClient) => Promise<T>,
  ): Promise<T> {
    let resume = (): void => undefined;
    let running: Promise<T> | undefined;
    const resumed = new Promise<void>((resolve) => (resume = resolve));
    fixture.on.drive.requests.clear();
    const suspended = new Promise<void>((resolve) => {
      const get = async (): Promise<string> => {
        if (isReached()) {
          resolve();
          await resumed;
        }
        return TOKEN;
      };
      const tokens = { get, renew: get };
      const own = createTestClient(fixture.on.drive.url, { tokens });
      running = run(own.client).finally(() => own.close());
    });
    await suspended;
    const stored = fixture.packs();
    await cleanUpElsewhere();
    stored.filter((pack) => !fixture.packs().includes(pack)).should.not.be.empty();
    resume();
    const result = await (running as unknown as Promise<T>);
    (await missingPacks()).should.be.empty();
    return result;
  }

  for (const [what, isReached] of [
    ['a pack', () => fixture.packs().length >= 4],
    ['the index', afterMinutes(() => checks() === 1)],
    ['the snapshot', () => checks() === 1 && fixture.names('index').length > 1],
  ] as const) {
    it(`a backup that was suspended before ${what} leaves nothing that refers to packs that were removed`, async () => {
      await fixture.backUp();
      await fixture.writePacks('large', 4);
      const before = fixture.names('snapshots').length;
      await runSuspended(isReached, (client) =>
        rejected(fixture.backUp({}, {}, client), 'conflict', 'conflict_repository_lock_lost'),
      );
      fixture.names('snapshots').length.should.equal(before + 1);
      await backUpAndCheck();
    });
  }

  for (const [when, isReached] of [
    ['before it stores an index', hasRewritten()],
    ['after it has stored an index', () => checks() === 3],
    ['before it removes an index', () => checks() === 4],
  ] as const) {
    it(`a clean-up that was suspended ${when} leaves no index of packs that were removed`, async () => {
      await writeFile(file('a'), bytes(400_000, 1));
      await writeFile(file('b'), bytes(400_000, 2));
      await fixture.backUp();
      await rm(file('a'));
      const { laterError } = await runSuspended(isReached, (client) =>
        fixture.backUp({ retention, maxUnused: 0 }, {}, client),
      );
      should(laterError).have.property('code', 'partial_failure');
      await backUpAndCheck();
    });
  }

  async function backUpAndCheck(): Promise<void> {
    const { snapshot } = await fixture.backUp();
    (await missingPacks()).should.be.empty();
    await fixture.check();
    should(await fixture.restored(snapshot.id)).deepEqual(await describeTree(fixture.source));
  }
});
