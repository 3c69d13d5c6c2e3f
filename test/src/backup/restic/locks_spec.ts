/** How locks of other clients are respected, and which are removed. */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { CAPABILITIES } from '../../../../src/capabilities';
import { currentOwner } from '../../../../src/fs/part-owner';
import { DriveStore } from '../../../../src/backup/drive-store';
import { RepositoryCache } from '../../../../src/backup/restic/cache';
import { readMemory, writeMemory } from '../../../../src/backup/restic/clean-up';
import { idOf, seal } from '../../../../src/backup/restic/crypto';
import { RepositoryLock } from '../../../../src/backup/restic/locks';
import { Repository } from '../../../../src/backup/restic/repository';
import { type Lock, lockJson } from '../../../../src/backup/restic/snapshot-file';
import type { LockHolder } from '../../../../src/backup/restic/snapshot-request';
import { type RecordedRequest, TestClock } from '../../../local-drive';
import { rejected } from '../../../support/client/rejected';
import { uploadContext } from '../../../support/client/stream-fixture';
import { createTestClient } from '../../../support/client/test-client';
import { DiskRepository } from '../../../support/snapshots/disk-repository';
import { exportFolder } from '../../../support/snapshots/drive-repository';
import { PASSPHRASE, SnapshotFixture } from '../../../support/snapshots/snapshot-fixture';

/** More than Linux allows. */
const NO_PID = 2 ** 30;

describe('locks of a repository', () => {
  const clock = new TestClock(Date.parse('2024-05-17T10:00:00Z'));
  const fixture = new SnapshotFixture({ clock });

  beforeEach(() => fixture.backUp());

  /** @returns the name of the lock */
  async function addLock(more: Partial<Lock>): Promise<string> {
    const { drive } = fixture.on;
    const copy = path.join(fixture.folder, 'copy');
    await exportFolder(drive, fixture.folderId, copy);
    const { key } = await DiskRepository.open(copy);
    const who = { hostname: 'pi', username: 'root', pid: NO_PID };
    const content = seal(key, lockJson({ time: clock.now(), exclusive: true, ...who, ...more }));
    const parent = drive.files.in(fixture.folderId).find(({ name }) => name === 'locks')?.id ?? '';
    await drive.files.add({ name: idOf(content), parent, content, mimeType: 'application/octet-stream' });
    return idOf(content);
  }

  it('the lock of a process that has ended is ignored and removed', async () => {
    const lock = await addLock({ owner: { ...currentOwner(), pid: NO_PID } });
    await fixture.backUp();
    fixture.names('locks').should.not.containEql(lock);
  });

  it('a stale lock that this account may not delete stays, and keeps nobody from backing up', async () => {
    const lock = await addLock({ hostname: 'other' });
    clock.advance(31 * 60);
    const match = { path: new RegExp(fixture.idOf('locks', lock)) };
    const fault = { kind: 'error', reason: 'insufficientFilePermissions', match, times: Infinity } as const;
    fixture.on.drive.faults.add(fault);
    await fixture.backUp();
    fixture.names('locks').should.eql([lock]);
    fixture.on.drive.faults.clear();
    await fixture.backUp();
    fixture.names('locks').should.be.empty();
  });

  it('a stale lock that the service fails to remove keeps nobody from backing up, and isn’t tried again', async () => {
    const lock = await addLock({ hostname: 'other' });
    clock.advance(31 * 60);
    const match = { path: new RegExp(fixture.idOf('locks', lock)), method: 'DELETE' };
    const fault = fixture.on.drive.faults.add({
      kind: 'error',
      reason: 'backendError',
      match,
      times: Infinity,
    });
    should((await fixture.backUp()).laterError).be.undefined();
    fixture.names('locks').should.eql([lock]);
    fault.hits.should.equal(1);
  });

  it('an own stale lock is removed although many of others are newer, and may not be removed', async () => {
    await addLock({ hostname: 'own' });
    const others: string[] = [];
    for (const hostname of 'abcd') others.push(await addLock({ hostname }));
    const sharedWithMe = { owner: 'other@example.org', role: 'writer', time: 0 };
    for (const name of others)
      Object.assign(fixture.on.drive.files.find(fixture.idOf('locks', name))!, { sharedWithMe });
    clock.advance(31 * 60);
    fixture.on.drive.requests.clear();
    await fixture.backUp();
    fixture.names('locks').sort().should.eql(others.sort());
    fixture.on.drive.requests.to('DELETE').should.have.length(2);
  });

  it('a new stale lock is removed although many old ones can’t be', async () => {
    const old: string[] = [];
    for (const hostname of 'abcd') old.push(fixture.idOf('locks', await addLock({ hostname })));
    clock.advance(60);
    const latest = await addLock({ hostname: 'latest' });
    clock.advance(31 * 60);
    const match = {
      method: 'DELETE',
      when: ({ path }: RecordedRequest) => old.some((id) => path.endsWith(id)),
    };
    fixture.on.drive.faults.add({ kind: 'error', reason: 'backendError', match, times: Infinity });
    await fixture.backUp();
    fixture.names('locks').should.not.containEql(latest);
    fixture.names('locks').should.have.length(4);
  });

  it('an own lock that the service fails to remove doesn’t spoil a backup', async () => {
    const match = { method: 'DELETE' };
    fixture.on.drive.faults.add({ kind: 'error', reason: 'backendError', match, times: Infinity });
    should((await fixture.backUp()).laterError).be.undefined();
    fixture.names('locks').should.have.length(1);
  });

  for (const [who, role, left] of [
    ['a contributor, who may remove nothing,', 'writer', 3],
    ['a content manager, who may only move files to the trash,', 'fileOrganizer', 0],
  ] as const) {
    it(`backups of ${who} end well, and leave no exclusive lock`, async () => {
      const { drive } = fixture.on;
      const { team, other } = await fixture.useSharedDrive(role);
      const back = async (call = {}): Promise<void> => {
        const { laterError } = await fixture.backUp({ mode: 'trash', onProgress }, call, other.client);
        should(laterError).be.undefined();
      };
      const aborter = new AbortController();
      const onProgress = ({ entries }: { entries: number }): void => void (entries > 0 && aborter.abort());
      // Cleaning up is due after it.
      await rejected(back({ signal: aborter.signal }), 'cancelled');
      for (const content of ['first', 'second']) {
        await writeFile(path.join(fixture.source, 'file'), content);
        await back();
      }
      fixture.names('locks').should.have.length(left);
      clock.advance(31 * 60);
      drive.requests.clear();
      await back();
      const locks = fixture.names('locks').map((name) => fixture.idOf('locks', name));
      const read = drive.requests.to('GET').filter(({ query }) => query.includes('alt=media'));
      read.filter(({ path: target }) => locks.some((id) => target.endsWith(id))).should.be.empty();
      await drive.files.setRole(team, 'organizer');
      clock.advance(31 * 60);
      await back();
      fixture.names('locks').should.be.empty();
      await fixture.check();
      other.close();
    });
  }

  it('the lock of another container with the same host name counts until it is half an hour old', async () => {
    const owner = { ...currentOwner(), pid: NO_PID, pidNamespace: '00000000' };
    for (const more of [{ owner }, {}]) {
      const lock = await addLock(more);
      await rejected(fixture.backUp({}, { retryFor: 0 }), 'conflict', 'conflict_repository_locked');
      fixture.names('locks').should.eql([lock]);
      clock.advance(31 * 60);
      await fixture.backUp();
      fixture.names('locks').should.be.empty();
    }
  });

  it('the lock of a clock that is far ahead counts until half an hour after it was created', async () => {
    const lock = await addLock({ time: clock.now() + 1e11, hostname: 'other' });
    await rejected(fixture.backUp({}, { retryFor: 0 }), 'conflict', 'conflict_repository_locked');
    fixture.names('locks').should.eql([lock]);
    clock.advance(31 * 60);
    await fixture.backUp();
    fixture.names('locks').should.be.empty();
  });

  it('a lock that can’t be read counts until half an hour after it was created', async () => {
    const { files } = fixture.on.drive;
    const parent = files.in(fixture.folderId).find(({ name }) => name === 'locks')?.id ?? '';
    const content = Buffer.from('no lock');
    for (const name of [idOf(content), idOf(Buffer.from('another name'))]) {
      await files.add({ name, parent, content, mimeType: 'application/octet-stream' });
      let host: string | undefined = '';
      const onWaiting = (holder: LockHolder): void => void ({ host } = holder);
      const backup = fixture.backUp({ onWaiting }, { retryFor: 0 });
      await rejected(backup, 'conflict', 'conflict_repository_lock_unreadable');
      should(host).be.undefined();
      clock.advance(31 * 60);
      await fixture.backUp();
      fixture.names('locks').should.be.empty();
    }
  });

  for (const [when, seconds, isExplained] of [
    ['when the packs were stored', 60, true],
    ['an hour before the packs were stored', -3_600, false],
    ['an hour after the packs were stored', 3_600, false],
  ] as const)
    it(`packs without a snapshot are ${isExplained ? '' : 'not '}those of a first backup whose lock was left ${when}`, async () => {
      const { files } = fixture.on.drive;
      const lock = files.find(fixture.idOf('locks', await addLock({ hostname: 'other' })))!;
      Object.assign(lock, { createdTime: lock.createdTime + seconds * 1_000 });
      for (const name of fixture.names('snapshots'))
        await fixture.moveTo(await files.addFolder('Elsewhere'), fixture.idOf('snapshots', name));
      await rm(path.join(fixture.folder, 'cache'), { recursive: true });
      clock.advance(2 * 3_600);
      for (let run = 0; run < 2; run++) {
        if (isExplained) await fixture.backUp();
        else await rejected(fixture.backUp(), 'conflict', 'conflict_repository_trashed');
      }
    });

  it('a backup that waits for a lock doesn’t list the packs until it has its own', async () => {
    const { drive } = fixture.on;
    const data = drive.files.in(fixture.folderId).find(({ name }) => name === 'data');
    const parts = drive.files.in(data?.id ?? '').map(({ id }) => `'${id}' in parents`);
    const listsOfPacks = (): unknown[] =>
      drive.requests.all.filter(({ params }) => parts.some((part) => params.get('q')?.includes(part)));
    const lock = await addLock({ hostname: 'other' });
    await rejected(fixture.backUp({}, { retryFor: 60_000 }), 'conflict', 'conflict_repository_locked');
    listsOfPacks().should.be.empty();
    await drive.files.remove(fixture.idOf('locks', lock));
    await fixture.backUp();
    listsOfPacks().should.have.length(1);
  });

  it('a backup that waits for another process keeps what that remembers in the cache folder', async () => {
    const lock = await addLock({ hostname: 'other' });
    const { config } = await DiskRepository.open(path.join(fixture.folder, 'copy'));
    const { cacheFolder } = fixture.request();
    const cache = new RepositoryCache(cacheFolder, `${fixture.on.drive.url} ${fixture.folderId}`);
    const orphans = { ['a'.repeat(64)]: clock.now() };
    const onWaiting = (): void => {
      writeMemory({ cache, config }, { ...readMemory({ cache, config })!, orphans });
      void fixture.on.drive.files.remove(fixture.idOf('locks', lock));
    };
    const { snapshot } = await fixture.backUp({ onWaiting });
    const memory = readMemory({ cache, config });
    should(memory?.orphans).eql(orphans);
    // It's the same file.
    should(memory?.snapshots).containEql(snapshot.id);
  });

  it('a lock that isn’t exclusive stays, and doesn’t keep others from backing up', async () => {
    const lock = await addLock({ exclusive: false, hostname: 'other' });
    await fixture.backUp();
    fixture.names('locks').should.eql([lock]);
  });

  it('a lock that is replaced by a newer one while it is looked for isn’t lost', async () => {
    const { drive } = fixture.on;
    const { folderId } = fixture;
    const store = new DriveStore(uploadContext(fixture.on), { folderId, mode: 'trash' }, {});
    const { cacheFolder, host, username } = fixture.request();
    const access = {
      passphrase: PASSPHRASE,
      cacheFolder,
      host,
      username,
      retryFor: 0,
      place: '',
      folder: '/',
    };
    const repository = await Repository.open(store, access);
    const { setInterval } = globalThis;
    let refresh = (): void => undefined;
    Object.assign(globalThis, { setInterval: (work: () => void) => void (refresh = work) });
    const acquiring = RepositoryLock.tryAcquire(repository, false);
    const lock = (await acquiring.finally(() =>
      Object.assign(globalThis, { setInterval }),
    )) as RepositoryLock;
    const [name = ''] = fixture.names('locks');
    const id = fixture.idOf('locks', name);
    const until = async (): Promise<void> => {
      refresh();
      await drive.traffic.until(() => drive.files.find(id) === undefined);
    };
    drive.faults.add({ kind: 'delay', until, match: { method: 'GET', path: new RegExp(id) } });
    await lock.check();
    fixture.names('locks').should.have.length(1);
    fixture.names('locks').should.not.containEql(name);
    await lock.release();
  });

  for (const kind of ['google', 'custom'] as const)
    it(`a backup whose lock is removed, or that was suspended for too long, stores no snapshot: ${kind}`, async () => {
      const own = createTestClient(fixture.on.drive.url, {
        service: { can: CAPABILITIES[kind] },
      });
      const { files } = fixture.on.drive;
      const removeLocks = async (): Promise<void> => {
        for (const name of fixture.names('locks')) await files.remove(fixture.idOf('locks', name));
      };
      const trashLocks = (): void => {
        for (const name of fixture.names('locks'))
          (files.find(fixture.idOf('locks', name)) as { trashed: boolean }).trashed = true;
      };
      for (const lose of [removeLocks, trashLocks, () => clock.advance(31 * 60)]) {
        const before = fixture.names('snapshots');
        await writeFile(path.join(fixture.source, 'new'), lose.toString());
        let lost: Promise<void> | undefined;
        // The first bytes that are sent are those of the lock.
        const onProgress = ({ entries }: { entries: number }): void => {
          if (entries > 0) lost ??= Promise.resolve(lose());
        };
        await rejected(
          fixture.backUp({ onProgress }, {}, own.client),
          'conflict',
          'conflict_repository_lock_lost',
        );
        fixture.names('snapshots').should.eql(before);
        await removeLocks();
      }
      own.close();
    });
});
