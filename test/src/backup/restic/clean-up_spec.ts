/** What retention and cleaning up remove from a repository, and what they never remove. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import type { SnapshotBackupResult } from '../../../../src/index';
import { RepositoryCache } from '../../../../src/backup/restic/cache';
import { NOTHING_REMEMBERED, readMemory, writeMemory } from '../../../../src/backup/restic/clean-up';
import { type RecordedRequest, TestClock } from '../../../local-drive';
import { needsProgram } from '../../../support/archive/programs';
import { describeTree } from '../../../support/archive/tree';
import { rejected } from '../../../support/client/rejected';
import { bytes } from '../../../support/content';
import { holdRequest } from '../../../support/http/hold-request';
import { withoutRestic } from '../../../support/snapshots/restic-oracle';
import { RULES, SnapshotFixture } from '../../../support/snapshots/snapshot-fixture';

/** s */
const HOUR = 3_600;

describe('cleaning up a repository', () => {
  const clock = new TestClock(Date.parse('2024-05-17T10:00:00Z'));
  const fixture = new SnapshotFixture({ clock });
  const file = (name: string): string => path.join(fixture.source, name);
  const retention = { ...RULES, keepNewest: 1 };

  before(function () {
    needsProgram(this, 'restic');
  });

  /** Two packs that only the first snapshot needs, and one that the second needs a part of. */
  async function twoSnapshots(): Promise<SnapshotBackupResult[]> {
    await fixture.writePacks('gone', 3);
    const first = await fixture.backUp();
    await rm(file('gone'), { recursive: true });
    await writeFile(file('stays'), bytes(500_000, 2));
    clock.advance(HOUR / 60);
    return [first, await fixture.backUp({ retention })];
  }

  it('old snapshots are removed at once, and their packs an hour later', async () => {
    const [first, second] = await twoSnapshots();
    second!.pruned.should.have.properties({ removed: [first!.snapshot], failed: [], freedBytes: 0 });
    second!.pruned.kept.should.eql([second!.snapshot]);
    fixture.names('snapshots').should.eql([second!.snapshot.id]);
    await fixture.check();
    const packs = fixture.packs();
    clock.advance(HOUR / 2);
    (await fixture.backUp()).pruned.freedBytes.should.equal(0);
    clock.advance(HOUR);
    const { pruned } = await fixture.backUp();
    pruned.freedBytes.should.be.within(1_200_000, 1_300_000);
    packs.filter((pack) => !fixture.packs().includes(pack)).length.should.be.aboveOrEqual(2);
    await fixture.check();
    should(await fixture.restored()).deepEqual(await describeTree(fixture.source));
    fixture.names('locks').should.be.empty();
  });

  it('packs are removed only while the lock is there', async () => {
    await twoSnapshots();
    clock.advance(2 * HOUR);
    const { files } = fixture.on.drive;
    const loseLock = async (): Promise<void> => {
      clock.advance(HOUR / 50);
      for (const name of fixture.names('locks')) await files.remove(fixture.idOf('locks', name));
    };
    const before = fixture.packs();
    const ids = fixture.packIds();
    const when = ({ path: target }: RecordedRequest): boolean => ids.some((id) => target.endsWith(id));
    fixture.on.drive.faults.add({ kind: 'delay', until: loseLock, match: { method: 'DELETE', when } });
    const { laterError } = await fixture.backUp();
    should(laterError).have.property('text', 'partial_failure_clean_up');
    should(laterError?.params).have.property('reason', 'conflict');
    const removed = (): string[] => before.filter((pack) => !fixture.packs().includes(pack));
    // The first response has the earlier time.
    removed().should.have.length(2);
    await fixture.check();
    clock.advance(2 * HOUR);
    await fixture.backUp();
    removed().length.should.be.above(2);
  });

  it('a lock that stays after cleaning up is reported, because it locks all others out', async () => {
    await fixture.backUp();
    await writeFile(file('new'), 'new');
    const isLock = ({ path: target }: RecordedRequest): boolean =>
      fixture.names('locks').some((name) => target.endsWith(fixture.idOf('locks', name)));
    const match = { method: 'DELETE', when: isLock, nth: 2 };
    fixture.on.drive.faults.add({ kind: 'error', reason: 'backendError', match, times: Infinity });
    const { laterError, pruned, snapshot } = await fixture.backUp({ retention });
    should(laterError).have.property('text', 'partial_failure_clean_up_lock');
    should(laterError?.params).have.property('id', snapshot.shortId);
    pruned.removed.should.have.length(1);
    fixture.names('locks').should.have.length(1);
    fixture.on.drive.faults.clear();
    // This process doesn't use it any more.
    await fixture.backUp({}, { retryFor: 0 });
    fixture.names('locks').should.be.empty();
  });

  for (let nth = 1; nth <= 8; nth++) {
    it(`a backup that is cancelled at request ${nth} of its clean-up leaves no lock, and the next one isn’t refused`, async () => {
      await twoSnapshots();
      clock.advance(2 * HOUR);
      const aborter = new AbortController();
      let isReleased = false;
      const when = ({ method, path: target }: RecordedRequest): boolean => {
        const wasReleased = isReleased;
        isReleased ||=
          method === 'DELETE' &&
          fixture.names('locks').some((name) => target.endsWith(fixture.idOf('locks', name)));
        return wasReleased;
      };
      // The request is answered although it was cancelled.
      const until = (): Promise<void> => Promise.resolve(aborter.abort());
      const fault = fixture.on.drive.faults.add({ kind: 'delay', until, match: { when, nth } });
      const { laterError } = await fixture.backUp({ retention }, { signal: aborter.signal });
      fault.hits.should.equal(1);
      should(laterError).have.property('code', 'cancelled');
      await fixture.backUp({ retention }, { retryFor: 0 });
      fixture.names('locks').should.be.empty();
      await fixture.check();
    });
  }

  it('a lock that is removed with the last attempt after cleaning up isn’t reported', async () => {
    await fixture.backUp();
    await writeFile(file('new'), 'new');
    const isLock = ({ path: target }: RecordedRequest): boolean =>
      fixture.names('locks').some((name) => target.endsWith(fixture.idOf('locks', name)));
    const match = { method: 'DELETE', when: isLock, nth: 2 };
    const fault = fixture.on.drive.faults.add({ kind: 'error', reason: 'badRequest', match, times: 1 });
    should((await fixture.backUp({ retention })).laterError).be.undefined();
    fault.hits.should.equal(1);
    fixture.names('locks').should.be.empty();
  });

  /** Begins a backup of another folder, and holds it when it stores its first pack. */
  async function beginOther(): Promise<{ end: () => Promise<SnapshotBackupResult> }> {
    const source = path.join(fixture.folder, 'other');
    await mkdir(source);
    await writeFile(path.join(source, 'file'), 'other');
    const held = holdRequest(fixture.on.drive, { path: /upload/, nth: 2 });
    const backup = fixture.backUp({ sources: [source] });
    await held.reached;
    return { end: () => (held.release(), backup) };
  }

  it('packs of snapshots that were removed while another backup ran are removed', async () => {
    await fixture.writePacks('gone', 3);
    await fixture.backUp();
    await rm(file('gone'), { recursive: true });
    const other = await beginOther();
    (await fixture.backUp({ retention })).pruned.removed.should.have.length(1);
    await other.end();
    clock.advance(2 * HOUR);
    (await fixture.backUp()).pruned.freedBytes.should.be.above(1_000_000);
    await fixture.check();
  });

  it('packs of a backup that failed after another one had ended are removed', async () => {
    await fixture.backUp();
    await fixture.writePacks('large', 4);
    const other = await beginOther();
    const held = holdRequest(fixture.on.drive, { path: /upload/, nth: 3 });
    const failing = fixture.backUp();
    await held.reached;
    await other.end();
    fixture.on.drive.faults.add({
      kind: 'error',
      reason: 'forbidden',
      match: { path: /upload/ },
      times: 100,
    });
    held.release();
    await rejected(failing, 'permission_denied');
    fixture.on.drive.faults.clear();
    await rm(file('large'), { recursive: true });
    await fixture.backUp();
    clock.advance(2 * HOUR);
    (await fixture.backUp()).pruned.freedBytes.should.be.above(400_000);
    await fixture.check();
  });

  /** A snapshot of another source, in My Drive. @returns the IDs of its files, which only their owner may remove */
  async function backUpAsOther(): Promise<Record<'snapshots' | 'index' | 'packs', string[]>> {
    const source = path.join(fixture.folder, 'other');
    await mkdir(source);
    await writeFile(path.join(source, 'file'), bytes(300_000, 77));
    await fixture.backUp({ host: 'other', sources: [source] });
    const idsOf = (type: string): string[] => fixture.names(type).map((name) => fixture.idOf(type, name));
    const theirs = { snapshots: idsOf('snapshots'), index: idsOf('index'), packs: fixture.packIds() };
    const sharedWithMe = { owner: 'other@example.org', role: 'writer', time: 0 };
    for (const id of Object.values(theirs).flat())
      Object.assign(fixture.on.drive.files.find(id)!, { sharedWithMe });
    return theirs;
  }

  it('packs that another account’s index lists and nobody has don’t let each backup clean up', async () => {
    withoutRestic('packs are missing');
    const { snapshots, packs } = await backUpAsOther();
    for (const id of [...snapshots, ...packs]) await fixture.on.drive.files.remove(id);
    for (const hours of [0, 25, 2]) {
      clock.advance(hours * HOUR);
      await fixture.backUp();
    }
    fixture.on.drive.requests.clear();
    (await fixture.backUp()).damagedPacks.should.equal(packs.length);
    // The lock of the backup. Cleaning up has one of its own.
    fixture.on.drive.requests.to('DELETE', /\/files\//).should.have.length(1);
  });

  for (const [what, lost] of [
    ['packs that it needs', []],
    ['packs that it no longer needs', ['snapshots']],
    ['packs that are in no index', ['snapshots', 'index']],
    ['an index of packs that are gone', ['snapshots', 'packs']],
  ] as const) {
    it(`an account cleans up what it has stored itself, and leaves the other account ${what}`, async () => {
      const { files } = fixture.on.drive;
      const theirs = await backUpAsOther();
      for (const id of lost.flatMap((type) => theirs[type].splice(0))) await files.remove(id);
      await twoSnapshots();
      clock.advance(2 * HOUR);
      const { laterError, pruned } = await fixture.backUp({ retention });
      should(laterError).be.undefined();
      pruned.freedBytes.should.be.above(1_000_000);
      const index = fixture.names('index');
      clock.advance(2 * HOUR);
      should((await fixture.backUp({ retention })).laterError).be.undefined();
      fixture.names('index').should.containDeep(index);
      for (const id of Object.values(theirs).flat()) {
        files.find(id)!.should.have.property('trashed', false);
        await files.remove(id);
      }
      await fixture.check();
    });
  }

  it('a snapshot that is dated a year ahead is neither a parent nor the newest one for retention', async () => {
    const first = await fixture.backUp();
    await fixture.resticWrites('backup', '--host', 'pi', '--time', '2025-06-01 00:00:00', fixture.source);
    await writeFile(file('new'), 'new');
    const second = await fixture.backUp({ retention });
    should(second.snapshot.parent).equal(first.snapshot.id);
    should(second.pruned.removed).eql([first.snapshot]);
    const third = await fixture.backUp({ retention });
    should(third.snapshot.parent).equal(second.snapshot.id);
    fixture.names('snapshots').should.have.length(2);
  });

  it('what is left of a pack is written to a new one if more than the limit is unused', async () => {
    await writeFile(file('a'), bytes(400_000, 1));
    await writeFile(file('b'), bytes(400_000, 2));
    await fixture.backUp();
    await rm(file('a'));
    await fixture.backUp({ retention, maxUnused: 90 });
    const before = fixture.packs();
    await writeFile(file('c'), bytes(10, 3));
    clock.advance(2 * HOUR);
    await fixture.backUp({ retention, maxUnused: 5 });
    const rewritten = fixture.packs().filter((pack) => !before.includes(pack));
    rewritten.length.should.be.aboveOrEqual(2);
    await fixture.check();
    clock.advance(2 * HOUR);
    (await fixture.backUp()).pruned.freedBytes.should.be.above(800_000);
    await fixture.check();
    should(await fixture.restored()).deepEqual(await describeTree(fixture.source));
  });

  it('a snapshot that a late list lacked keeps its packs', async () => {
    await fixture.writePacks('gone', 3);
    const first = await fixture.backUp({ host: 'other' });
    const content = await describeTree(fixture.source);
    await rm(file('gone'), { recursive: true });
    await fixture.backUp();
    clock.advance(HOUR / 60);
    await fixture.backUp({ retention });
    const hide = hideFromLists(first.snapshot.id);
    await fixture.backUp({ retention });
    hide.remove();
    clock.advance(2 * HOUR);
    await fixture.backUp({ retention });
    await fixture.check();
    should(await fixture.restored(first.snapshot.id)).deepEqual(content);
  });

  /** As a list that is behind. */
  function hideFromLists(name: string): { remove(): void } {
    const record = fixture.on.drive.files.find(fixture.idOf('snapshots', name)) as { trashed: boolean };
    record.trashed = true;
    return { remove: () => void (record.trashed = false) };
  }

  it('packs of a run that was interrupted are removed by later ones', async () => {
    await fixture.backUp();
    await fixture.writePacks('large', 4);
    const fault = {
      kind: 'error',
      reason: 'forbidden',
      match: { method: 'POST', path: /upload/, nth: 4 },
    } as const;
    fixture.on.drive.faults.add({ ...fault, times: 100 });
    await fixture.backUp().then(
      () => should.fail('', '', 'no error', ''),
      () => undefined,
    );
    fixture.on.drive.faults.clear();
    const left = fixture.packs().length;
    await rm(file('large'), { recursive: true });
    await fixture.backUp();
    fixture.packs().length.should.be.aboveOrEqual(left);
    clock.advance(2 * HOUR);
    (await fixture.backUp()).pruned.freedBytes.should.be.above(800_000);
    await fixture.check();
  });

  it('nothing is written again if all of it is used', async () => {
    await writeFile(file('a'), bytes(100_000, 1));
    const first = await fixture.backUp();
    clock.advance(HOUR / 60);
    const { pruned, backup } = await fixture.backUp({ retention, maxUnused: 0 });
    pruned.removed.should.eql([first.snapshot]);
    backup.uploadedBytes.should.be.below(50_000);
  });

  it('nothing is removed while a pack that is needed is missing', async () => {
    await twoSnapshots();
    const before = fixture.packIds();
    await writeFile(file('unique'), bytes(1_000_000, 3));
    await fixture.backUp({ host: 'other' });
    await rm(file('unique'));
    const needed = fixture.packIds().filter((id) => !before.includes(id));
    for (const id of needed) await fixture.on.drive.files.remove(id);
    const left = fixture.packs();
    clock.advance(2 * HOUR);
    const { laterError } = await fixture.backUp({ retention });
    should(laterError).have.property('code', 'partial_failure');
    fixture.packs().should.containDeep(left);
  });

  it('packs that are in the trash are neither stored again nor forgotten', async () => {
    await fixture.backUp();
    await fixture.backUp();
    const { client } = fixture.on;
    const [index, packs] = [fixture.names('index'), fixture.packIds()];
    for (const id of packs) await client.trash(id);
    for (const hours of [0, 25, 2]) {
      clock.advance(hours * HOUR);
      await rejected(fixture.backUp({ retention }), 'conflict', 'conflict_repository_trashed');
    }
    fixture.names('index').should.containDeep(index);
    for (const id of packs) await client.updateMetadata({ id, changes: { trashed: false }, fields: 'id' });
    should((await fixture.backUp({ retention })).laterError).be.undefined();
    await fixture.check();
  });

  it('only snapshots of the same host and paths are removed', async () => {
    const other = path.join(fixture.folder, 'other');
    await mkdir(other);
    await writeFile(path.join(other, 'file'), 'file');
    const kept = [await fixture.backUp({ host: 'other' }), await fixture.backUp({ sources: [other] })];
    const first = await fixture.backUp({ retention });
    const { pruned, snapshot } = await fixture.backUp({ retention });
    pruned.should.have.properties({ removed: [first.snapshot], kept: [snapshot] });
    const ids = [...kept, { snapshot }].map(({ snapshot: { id } }) => id);
    fixture.names('snapshots').sort().should.eql(ids.sort());
  });

  it('what is remembered belongs to one repository, although accounts may have theirs at the same place', () => {
    const cache = new RepositoryCache(path.join(fixture.folder, 'cache'), 'https://www.googleapis.com root');
    const [first, second] = ['a', 'b'].map((digit) => ({
      cache,
      config: { version: 2, id: digit.repeat(64), polynomial: 0n } as const,
    }));
    const memory = { orphans: { pack: 1 }, isDue: true, snapshots: ['a'] };
    writeMemory(first!, memory);
    should(readMemory(second!)).be.undefined();
    writeMemory(second!, NOTHING_REMEMBERED);
    should(readMemory(first!)).eql(memory);
  });
});
