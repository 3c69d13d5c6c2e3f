/** Backups as snapshots when something goes wrong: the service, other machines, the sources. */
import { rejects } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import should from 'should';
import { CAPABILITIES } from '../../../../src/capabilities';
import type { ObservedEvent, SnapshotBackupResult } from '../../../../src/index';
import { idOf } from '../../../../src/backup/restic/crypto';
import type { RecordedRequest } from '../../../local-drive';
import { needsProgram } from '../../../support/archive/programs';
import { describeTree } from '../../../support/archive/tree';
import { rejected } from '../../../support/client/rejected';
import { createTestClient } from '../../../support/client/test-client';
import { bytes } from '../../../support/content';
import { holdRequest } from '../../../support/http/hold-request';
import { addRepository, importFolder, resticOnDrive } from '../../../support/snapshots/drive-repository';
import { PASSPHRASE, RULES, SnapshotFixture } from '../../../support/snapshots/snapshot-fixture';

describe('backups as snapshots when something goes wrong', () => {
  const fixture = new SnapshotFixture();
  const file = (name: string): string => path.join(fixture.source, name);
  const retention = { ...RULES, keepNewest: 1 };

  before(function () {
    needsProgram(this, 'restic');
  });

  const isUpload = ({ method, path: target }: RecordedRequest): boolean =>
    target.startsWith('/upload/') && (method === 'PUT' || method === 'POST');

  /** Without what was renamed, because the account may not remove it. */
  const namesOf = (type: string): string[] =>
    fixture.names(type).filter((name) => /^[0-9a-f]{64}$/.test(name));

  /** A contributor may not do it, so they count for half an hour. */
  async function removeLocks(): Promise<void> {
    const { files } = fixture.on.drive;
    const folders = files.in(fixture.folderId).filter(({ name }) => name === 'locks');
    for (const { id } of folders.flatMap((folder) => files.in(folder.id))) await files.remove(id);
  }

  it('a lost reply to any upload leaves no file twice', async () => {
    await fixture.useEmptyFolder();
    await writeFile(file('large'), bytes(10_000_000));
    fixture.on.drive.faults.add({ kind: 'lostResponse', match: { when: isUpload }, times: 1 });
    for (let nth = 3; nth <= 13; nth += 2) {
      fixture.on.drive.faults.add({ kind: 'lostResponse', match: { when: isUpload, nth }, times: 1 });
    }
    await fixture.backUp();
    const all = ['keys', 'snapshots', 'index'].flatMap((type) => fixture.names(type)).concat(fixture.packs());
    new Set(all).size.should.equal(all.length);
    fixture.names('locks').should.be.empty();
    await fixture.check();
  });

  it('the index is written after all packs, and the snapshot after the index, each when the one before is there', async () => {
    await fixture.writePacks('large', 3);
    await fixture.backUp();
    const { files } = fixture.on.drive;
    const order = (type: string): number[] =>
      files.in(fixture.folderId).flatMap(({ id, name }) => {
        const inside = name === 'data' ? files.in(id).flatMap((part) => files.in(part.id)) : files.in(id);
        return name === type ? inside.map((each) => each.order) : [];
      });
    Math.max(...order('data')).should.be.below(Math.min(...order('index')));
    Math.max(...order('index')).should.be.below(Math.min(...order('snapshots')));
  });

  for (const [what, nth] of [
    ['a pack', 3],
    ['the index', 6],
    ['the snapshot', 7],
  ] as const) {
    it(`if ${what} can’t be stored, there is no snapshot, the lock is removed, and the next backup succeeds`, async () => {
      await fixture.backUp();
      await fixture.writePacks('large', 3);
      const isFirst = ({ path: target, method }: RecordedRequest): boolean =>
        target.startsWith('/upload/') && method === 'POST';
      const fault = { kind: 'error', reason: 'storageQuotaExceeded' } as const;
      fixture.on.drive.faults.add({ ...fault, match: { when: isFirst, nth }, times: 100 });
      await rejected(fixture.backUp(), 'quota_exceeded');
      fixture.on.drive.faults.clear();
      fixture.names('snapshots').length.should.equal(1);
      fixture.names('locks').should.be.empty();
      await fixture.check().catch((error: Error) => error.message.should.containEql('no errors were found'));
      await fixture.backUp();
      should(await fixture.restored()).deepEqual(await describeTree(fixture.source));
    });
  }

  it('a byte that the service stores wrongly is sent again', async () => {
    await writeFile(file('large'), bytes(10_000_000));
    fixture.on.drive.faults.add({ kind: 'corruptStored', at: 1_000_000, match: { method: 'PUT' }, times: 1 });
    await fixture.backUp();
    await fixture.check();
  });

  it('two machines that create a repository at once end up with one', async () => {
    await fixture.useEmptyFolder();
    const [one, other] = ['a', 'b'].map(() => createTestClient(fixture.on.drive.url));
    const runs = await Promise.allSettled([
      fixture.backUp({ host: 'a', cacheFolder: path.join(fixture.folder, 'cache-a') }, {}, one?.client),
      fixture.backUp({ host: 'b', cacheFolder: path.join(fixture.folder, 'cache-b') }, {}, other?.client),
    ]);
    one?.close();
    other?.close();
    const stored = runs.flatMap((run) => (run.status === 'fulfilled' ? [run.value.snapshot.id] : []));
    stored.length.should.be.aboveOrEqual(1);
    for (const run of runs)
      if (run.status === 'rejected') should(run.reason).have.property('code', 'conflict');
    const { files } = fixture.on.drive;
    files
      .untrashedNames(fixture.folderId)
      .filter((name) => name === 'config')
      .length.should.equal(1);
    await fixture.backUp();
    fixture.names('snapshots').should.containDeep(stored);
    await fixture.restic('snapshots');
    await fixture.check();
  });

  it('of two configs, the one with which a snapshot was written is used, although it is younger', async () => {
    const { drive } = fixture.on;
    const older = drive.files.in(fixture.folderId).find(({ name }) => name === 'config')!;
    await fixture.moveTo(await drive.files.addFolder('Elsewhere'), older.id);
    await addRepository(drive, fixture.folderId, PASSPHRASE);
    const { snapshot } = await fixture.backUp();
    await fixture.moveTo(fixture.folderId, older.id);
    const second = await fixture.backUp({ cacheFolder: path.join(fixture.folder, 'cache-b') });
    should(second.snapshot.parent).equal(snapshot.id);
    await fixture.check();
  });

  for (const [backup, hasIndex, role] of [
    ['a backup that learns this before it stores its index', false, 'organizer'],
    ['a backup that learns this when its index is stored', true, 'organizer'],
    ['such a backup of a content manager, who may only move files to the trash', true, 'fileOrganizer'],
    ['such a backup of a contributor, who may not even do that', true, 'writer'],
  ] as const) {
    it(`a repository that another machine created first can be used after ${backup}`, async () => {
      const { drive } = fixture.on;
      const { other } = await fixture.useSharedDrive(role);
      const keys = fixture.names('keys');
      const hidden = drive.files.in(fixture.folderId) as unknown as { trashed: boolean }[];
      const setHidden = (trashed: boolean): void => hidden.forEach((each) => (each.trashed = trashed));
      setHidden(true);
      const onProgress = ({ entries }: { entries: number }): void =>
        setHidden(hasIndex ? fixture.names('index').length === 0 : entries === 0);
      const misled = fixture.backUp({ mode: 'trash', onProgress }, {}, other.client);
      await rejected(misled, 'conflict', 'conflict_repository_replaced');
      namesOf('keys').should.eql(keys);
      for (const type of ['index', 'locks']) namesOf(type).should.be.empty();
      await fixture.backUp({ mode: 'trash' }, {}, other.client);
      await removeLocks();
      await fixture.check();
      other.close();
    });
  }

  it('a contributor who creates a repository uses the one that another machine has created meanwhile', async () => {
    const { drive } = fixture.on;
    const { other } = await fixture.useSharedDrive('writer');
    const keys = fixture.names('keys');
    const hidden = drive.files.in(fixture.folderId) as unknown as { trashed: boolean }[];
    hidden.forEach((each) => (each.trashed = true));
    const until = (): Promise<void> => Promise.resolve(hidden.forEach((each) => (each.trashed = false)));
    drive.faults.add({ kind: 'delay', until, match: { when: isUpload, nth: 2 } });
    const { snapshot } = await fixture.backUp({}, {}, other.client);
    namesOf('keys').should.eql(keys);
    drive.files
      .names(fixture.folderId)
      .filter((name) => name === 'config')
      .should.have.length(1);
    fixture.names('snapshots').should.eql([snapshot.id]);
    await removeLocks();
    await fixture.check();
    other.close();
  });

  for (const ms of [50, 20_000]) {
    it(`the first backups into an empty folder end well where lists are ${ms} ms late`, async () => {
      await fixture.useEmptyFolder();
      fixture.on.drive.faults.add({ kind: 'lateList', ms, match: { method: 'GET' }, times: Infinity });
      const first = await fixture.backUp();
      await writeFile(file('new'), 'new');
      const second = await fixture.backUp();
      second.backup.should.have.properties({ newFiles: 1, unchangedFiles: 1 });
      should(second.snapshot.parent).equal(first.snapshot.id);
      fixture.names('keys').should.have.length(1);
      const top = fixture.on.drive.files.names(fixture.folderId).sort();
      top.should.eql(['config', 'data', 'index', 'keys', 'locks', 'snapshots']);
      await fixture.check();
      should(await fixture.restored()).deepEqual(await describeTree(fixture.source));
    });
  }

  for (const kind of ['google', 'custom'] as const)
    for (const how of ['restic prunes', 'someone deletes'])
      it(`a backup stores again what ${how} a moment after the backup before: ${kind}`, async () => {
        const { drive } = fixture.on;
        const own = createTestClient(drive.url, { service: { can: CAPABILITIES[kind] } });
        await writeFile(file('large'), bytes(400_000, 7));
        const { snapshot } = await fixture.backUp({}, {}, own.client);
        const forget = ['forget', snapshot.id, '--prune'];
        if (how === 'restic prunes') await resticOnDrive(drive, fixture.folderId, forget, PASSPHRASE);
        else for (const id of fixture.packIds()) await drive.files.remove(id);
        // The first snapshot is removed: its trees may be lost, and then nothing is cleaned up.
        const second = await fixture.backUp({ retention }, {}, own.client);
        own.close();
        should(await fixture.restored(second.snapshot.id)).deepEqual(await describeTree(fixture.source));
      });

  it('a lock that another program removes at once is lost, although the service returns no checksum then', async () => {
    await fixture.backUp();
    const client = createTestClient(fixture.on.drive.url, { service: { can: CAPABILITIES.custom } });
    const hide = { kind: 'response', body: { id: 'gone', name: 'gone' } } as const;
    fixture.on.drive.faults.add({ ...hide, match: { when: isUpload } });
    const backup = fixture.backUp({}, {}, client.client);
    await rejected(backup, 'conflict', 'conflict_repository_lock_lost').finally(() => client.close());
  });

  it('`restic unlock` on this machine sends no signal to the process of a running backup, and leaves its lock', async () => {
    await fixture.backUp();
    await writeFile(file('new'), 'new');
    let signals = 0;
    const onSignal = (): void => void (signals += 1);
    process.on('SIGHUP', onSignal);
    const held = holdRequest(fixture.on.drive, { path: /upload/, nth: 2 });
    const backup = fixture.backUp({ host: hostname() });
    await held.reached;
    const locks = fixture.names('locks');
    locks.should.have.length(1);
    await fixture.resticWrites('unlock');
    fixture.names('locks').should.eql(locks);
    held.release();
    const { snapshot, laterError } = await backup.finally(() => process.off('SIGHUP', onSignal));
    should(laterError).be.undefined();
    signals.should.equal(0);
    snapshot.hostname.should.equal(hostname());
    await fixture.check();
  });

  it('folders with the same name are one', async () => {
    await fixture.backUp();
    const { files } = fixture.on.drive;
    for (const { name, id } of files.in(fixture.folderId)) {
      if (name === 'config') continue;
      const second = await files.addFolder(name, fixture.folderId);
      if (name === 'data') for (const part of files.in(id)) await files.addFolder(part.name, second);
      else
        for (const { id: moved, name: named } of files.in(id))
          (await files.add({ name: named, parent: second, content: await files.contentOf(moved) }),
            await files.remove(moved));
    }
    await writeFile(file('new'), 'new');
    const { backup, snapshot } = await fixture.backUp();
    backup.should.have.properties({ unchangedFiles: 1, newFiles: 1 });
    should(snapshot.parent).be.a.String();
    await fixture.check();
  });

  it('a list that stays incomplete ends the backup, and nothing is removed', async () => {
    await fixture.backUp();
    fixture.on.drive.faults.add({ kind: 'incompleteSearch', match: { path: /\/files$/ }, times: 1_000 });
    await rejected(fixture.backUp({ retention }), 'bad_response', 'bad_response_incomplete');
    fixture.names('snapshots').length.should.equal(1);
  });

  it('what is not yet in a list is neither removed nor counted as missing', async () => {
    const first = await fixture.backUp();
    const record = fixture.on.drive.files.find(fixture.idOf('snapshots', first.snapshot.id)) as {
      trashed: boolean;
    };
    record.trashed = true;
    await writeFile(file('new'), 'new');
    const second = await fixture.backUp({ retention });
    should(second.snapshot.parent).be.null();
    second.pruned.removed.should.be.empty();
    record.trashed = false;
    const third = await fixture.backUp({ retention });
    const removed = third.pruned.removed.map(({ id }) => id).sort();
    removed.should.eql([first.snapshot.id, second.snapshot.id].sort());
    await fixture.check();
  });

  it('a snapshot that lacks something is marked, and removes nothing; the next complete one replaces it', async () => {
    const first = await fixture.backUp();
    // Not even root can read it.
    const name = 'n'.repeat(200);
    const script = `for (let i = 0; i < 30; i++) fs.mkdirSync('${name}'), process.chdir('${name}')`;
    execFileSync(process.execPath, ['-e', script], { cwd: fixture.source });
    const second = await fixture.backUp({ retention, tags: ['nightly'] });
    execFileSync('rm', ['-r', file(name)]);
    second.backup.complete.should.be.false();
    second.snapshot.tags.should.eql(['nightly', 'incomplete']);
    should(second.laterError).have.properties({
      code: 'partial_failure',
      text: 'partial_failure_snapshot_unread',
    });
    should(second.laterError?.params['files']).match(/^home\/n+\/.* \(ENAMETOOLONG\)/);
    second.pruned.should.eql({ kept: [], removed: [], failed: [], freedBytes: 0 });
    fixture.names('snapshots').length.should.equal(2);
    const third = await fixture.backUp({ retention });
    should(third.laterError).be.undefined();
    third.pruned.removed
      .map(({ id }) => id)
      .sort()
      .should.eql([first, second].map(({ snapshot: { id } }) => id).sort());
    await fixture.check();
  });

  it('a source that vanishes while it is read makes the snapshot incomplete', async () => {
    await writeFile(file('large'), bytes(10_000_000));
    let isGone = false;
    const onProgress = ({ entries, sent }: { entries: number; sent: number }): void => {
      if (!isGone && entries > 0 && sent > 0) execFileSync('rm', ['-r', fixture.source]);
      isGone ||= entries > 0 && sent > 0;
    };
    const { laterError, snapshot } = await fixture.backUp({ onProgress });
    should(laterError).have.properties({
      code: 'partial_failure',
      text: 'partial_failure_snapshot_source_lost',
    });
    snapshot.tags.should.eql(['incomplete']);
    await fixture.check();
  });

  it('a file that changes while it is read is stored and listed', async () => {
    await writeFile(file('growing'), bytes(8_000_000));
    const onProgress = (): void => appendFileSync(file('growing'), 'more');
    const { backup, laterError } = await fixture.backUp({ onProgress });
    backup.changed.should.eql(['home/growing']);
    should(laterError).be.undefined();
    await fixture.check();
  });

  it('a backup whose packs are moved to the trash meanwhile stores neither an index nor a snapshot', async () => {
    await fixture.backUp();
    await fixture.writePacks('large', 6);
    const data = fixture.on.drive.files.in(fixture.folderId).find(({ name }) => name === 'data');
    const record = data as { trashed: boolean };
    const before = fixture.names('index');
    const onProgress = ({ entries, sent }: { entries: number; sent: number }): void => {
      if (entries > 0 && sent > 1_000_000) record.trashed = true;
    };
    await rejected(fixture.backUp({ onProgress }), 'conflict', 'conflict_repository_trashed');
    fixture.names('snapshots').should.have.length(1);
    fixture.names('index').should.eql(before);
    record.trashed = false;
    await fixture.backUp();
    await fixture.check();
    should(await fixture.restored()).deepEqual(await describeTree(fixture.source));
  });

  for (const [what, folder] of [
    ['the repository', ''],
    ['the folder of the snapshots', 'snapshots'],
    ['the folder of the packs', 'data'],
  ] as const) {
    it(`a backup notices if ${what} is moved to the trash after the last upload, and removes nothing`, async () => {
      const first = await fixture.backUp();
      const { drive } = fixture.on;
      const id = drive.files.in(fixture.folderId).find(({ name }) => name === folder)?.id;
      const record = drive.files.find(id ?? fixture.folderId) as { trashed: boolean };
      const until = (): Promise<boolean> => Promise.resolve((record.trashed = true));
      const when = (): boolean => fixture.names('snapshots').length === 2;
      drive.faults.add({ kind: 'delay', until, match: { when } });
      await rejected(fixture.backUp({ retention }), 'conflict', 'conflict_repository_trashed');
      record.trashed = false;
      fixture.names('snapshots').should.containEql(first.snapshot.id);
      await fixture.backUp({ retention });
      await fixture.check();
    });
  }

  /** Each way to use the repository. */
  function uses(): Record<'backup' | 'snapshots' | 'check' | 'list' | 'restore', () => Promise<unknown>> {
    const { client } = fixture.on;
    const query = fixture.query();
    const target = { path: path.join(fixture.folder, 'target'), overwrite: 'error' } as const;
    return {
      backup: () => fixture.backUp({ retention }),
      snapshots: () => client.findSnapshots(query),
      check: () => client.checkSnapshot({ ...query, readData: 0, maxAge: 0, depth: 'content' }),
      list: () => client.listSnapshot({ ...query, onEntries: () => Promise.resolve() }),
      restore: () => client.restoreSnapshot({ ...query, ...target }),
    };
  }

  /** Moves a part of the repository to the trash, or elsewhere. @returns moves it back */
  async function misplace(id: string, where: 'in the trash' | 'elsewhere'): Promise<() => Promise<void>> {
    const { client, drive } = fixture.on;
    if (where === 'elsewhere') {
      const { parent = '' } = drive.files.find(id)!;
      await fixture.moveTo(await drive.files.addFolder('Elsewhere'), id);
      return () => fixture.moveTo(parent, id);
    }
    await client.trash(id);
    return () =>
      client.updateMetadata({ id, changes: { trashed: false }, fields: 'id' }).then(() => undefined);
  }

  for (const [name, where] of [
    ...['', 'config', 'keys', 'snapshots', 'index', 'data'].map((each) => [each, 'in the trash'] as const),
    ...['keys', 'snapshots', 'index', 'data'].map((each) => [each, 'elsewhere'] as const),
  ]) {
    it(`while ${name || 'its own folder'} is ${where}, nothing of a repository is used or changed`, async () => {
      const first = await fixture.backUp();
      const { drive } = fixture.on;
      const idsOf = (): string[] => drive.files.in(fixture.folderId).map(({ id }) => id);
      const id = drive.files.in(fixture.folderId).find((each) => each.name === name)?.id ?? fixture.folderId;
      const moveBack = await misplace(id, where);
      const before = idsOf();
      for (const use of [...Object.values(uses()), uses().backup])
        await rejected(use(), 'conflict', 'conflict_repository_trashed');
      idsOf().should.eql(before);
      await moveBack();
      await fixture.backUp();
      fixture.names('snapshots').should.containEql(first.snapshot.id);
      await fixture.check();
    });
  }

  it('a repository that lacks a folder for a moment, because a list is late, is used', async () => {
    await fixture.backUp();
    const index = fixture.on.drive.files.in(fixture.folderId).find(({ name }) => name === 'index');
    const until = await misplace(index!.id, 'in the trash');
    const look = ({ params }: RecordedRequest): boolean => params.get('q')?.endsWith('trashed=true') === true;
    fixture.on.drive.faults.add({ kind: 'delay', until, match: { when: look } });
    await fixture.backUp();
    fixture.names('snapshots').should.have.length(2);
  });

  for (const name of ['snapshots', 'index', 'data', 'a part of data']) {
    it(`a backup during which ${name} is moved elsewhere fails, and nothing is removed`, async () => {
      await fixture.backUp();
      await writeFile(file('new'), bytes(1_000_000));
      const { files } = fixture.on.drive;
      const top = files.in(fixture.folderId);
      const data = top.find((each) => each.name === 'data')!;
      const { id } = top.find((each) => each.name === name) ?? files.in(data.id)[0]!;
      let moveBack = (): Promise<void> => Promise.resolve();
      const until = async (): Promise<void> => void (moveBack = await misplace(id, 'elsewhere'));
      fixture.on.drive.faults.add({ kind: 'delay', until, match: { when: isUpload, nth: 2 } });
      await rejected(fixture.backUp({ retention }), 'conflict', 'conflict_repository_trashed');
      await rejected(fixture.backUp({ retention }), 'conflict', 'conflict_repository_trashed');
      await moveBack();
      await fixture.backUp({ retention: { ...RULES, keepNewest: 9 } });
      fixture.names('snapshots').length.should.be.aboveOrEqual(2);
      await fixture.check();
      should(await fixture.restored()).deepEqual(await describeTree(fixture.source));
    });
  }

  it('a snapshot that is moved elsewhere while others are removed keeps its place in the index', async () => {
    const first = await fixture.backUp();
    await fixture.writePacks('gone', 2);
    const moved = fixture.idOf('snapshots', (await fixture.backUp()).snapshot.id);
    await rm(file('gone'), { recursive: true });
    let moveBack = (): Promise<void> => Promise.resolve();
    const until = async (): Promise<void> => void (moveBack = await misplace(moved, 'elsewhere'));
    const removed = fixture.idOf('snapshots', first.snapshot.id);
    const match = {
      when: ({ path: target, method }: RecordedRequest) => method !== 'GET' && target.includes(removed),
    };
    fixture.on.drive.faults.add({ kind: 'delay', until, match });
    const { laterError, pruned } = await fixture.backUp({ retention: { ...RULES, keepNewest: 2 } });
    should(laterError).have.property('code', 'partial_failure');
    pruned.removed.should.have.length(1);
    await moveBack();
    await fixture.check();
  });

  for (const [where, isRemembered] of [
    ['seen by this machine', true],
    ['never seen by this machine', false],
  ] as const) {
    it(`while snapshots ${where} are elsewhere, nothing that they need is removed`, async () => {
      await fixture.writePacks('gone', 2);
      await fixture.backUp();
      await rm(file('gone'), { recursive: true });
      const backs: (() => Promise<void>)[] = [];
      for (const name of fixture.names('snapshots'))
        backs.push(await misplace(fixture.idOf('snapshots', name), 'elsewhere'));
      if (!isRemembered) await rm(path.join(fixture.folder, 'cache'), { recursive: true });
      const packs = fixture.packs();
      for (let run = 0; run < 2; run++)
        await rejected(fixture.backUp({ retention }), 'conflict', 'conflict_repository_trashed');
      fixture.packs().should.eql(packs);
      for (const moveBack of backs) await moveBack();
      await fixture.backUp();
      fixture.names('snapshots').should.have.length(2);
      await fixture.check();
    });
  }

  for (const type of ['locks', 'index']) {
    it(`a file in ${type} that was removed, but is still in a list, does no harm`, async () => {
      await fixture.backUp();
      const { files } = fixture.on.drive;
      const parent = files.in(fixture.folderId).find((each) => each.name === 'locks')!.id;
      const lock = {
        name: idOf(bytes(100)),
        parent,
        content: bytes(100),
        mimeType: 'application/octet-stream',
      };
      await files.add(lock);
      const [name = ''] = fixture.names(type);
      if (type === 'index') await files.remove(fixture.idOf('locks', lock.name));
      await rm(path.join(fixture.folder, 'cache'), { recursive: true });
      const match = { path: new RegExp(fixture.idOf(type, name)) };
      fixture.on.drive.faults.add({ kind: 'error', reason: 'notFound', match, times: Infinity });
      await fixture.backUp({}, { retryFor: 0 });
      should(await fixture.restored()).deepEqual(await describeTree(fixture.source));
    });
  }

  it('a backup that continues an interrupted creation uses the key that is there, as restic does', async () => {
    const { files } = fixture.on.drive;
    const keys = fixture.names('keys');
    await files.remove(files.in(fixture.folderId).find(({ name }) => name === 'config')!.id);
    await fixture.backUp();
    fixture.names('keys').should.eql(keys);
    await fixture.check();
  });

  it('a key file that this account may not read keeps it from nothing', async () => {
    await fixture.backUp();
    const keys = fixture.on.drive.files.in(fixture.folderId).find(({ name }) => name === 'keys')!.id;
    const [name, content] = [idOf(bytes(100)), bytes(100)];
    const id = await fixture.on.drive.files.add({ name, parent: keys, content });
    const fault = { kind: 'error', reason: 'insufficientFilePermissions', times: Infinity } as const;
    fixture.on.drive.faults.add({ ...fault, match: { path: new RegExp(id) } });
    await fixture.backUp();
    const wrong = fixture.backUp({ passphrase: 'another passphrase' });
    await rejected(wrong, 'permission_denied');
  });

  it('a copy of a repository in the same drive isn’t what was moved out of it', async () => {
    await fixture.writePacks('gone', 2);
    await fixture.backUp();
    const { files } = fixture.on.drive;
    await importFolder(fixture.on.drive, await files.addFolder('Copy'), await fixture.exported());
    await fixture.resticWrites('forget', '--prune', fixture.names('snapshots')[0]!);
    await fixture.backUp();
    for (const id of fixture.packIds()) await files.remove(id);
    await fixture.backUp();
    should(await fixture.restored()).deepEqual(await describeTree(fixture.source));
  });

  it('a part of data in the folder above is no copy, but was moved', async () => {
    await fixture.backUp();
    const { files } = fixture.on.drive;
    const data = files.in(fixture.folderId).find(({ name }) => name === 'data')!;
    for (const { id } of files.in(data.id)) await fixture.moveTo(fixture.folderId, id);
    await rejected(fixture.backUp(), 'conflict', 'conflict_repository_trashed');
  });

  it('a first backup ends well while another machine stores the first snapshot', async () => {
    await fixture.writePacks('large', 1);
    const when = (request: RecordedRequest): boolean =>
      isUpload(request) && fixture.names('index').length > 0;
    const held = holdRequest(fixture.on.drive, { when });
    const first = fixture.backUp();
    await held.reached;
    const cacheFolder = path.join(fixture.folder, 'other');
    const second = fixture.backUp({ host: 'other', cacheFolder });
    await second.finally(held.release);
    await first;
    fixture.names('snapshots').should.have.length(2);
    await fixture.check();
  });

  it('a repository without snapshots may lack its empty folders, because rclone copies only files', async () => {
    const { files } = fixture.on.drive;
    for (const { id, name } of files.in(fixture.folderId))
      if (!['config', 'keys'].includes(name)) await files.remove(id);
    should(await fixture.on.client.findSnapshots(fixture.query()))
      .have.property('snapshots')
      .eql([]);
    await fixture.backUp({}, { retryFor: 0 });
    const top = files.names(fixture.folderId).sort();
    top.should.eql(['config', 'data', 'index', 'keys', 'locks', 'snapshots']);
    await fixture.check();
  });

  for (const [what, isPart, where] of [
    ['folders in data', true, 'in the trash'],
    ['packs', false, 'in the trash'],
    ['folders in data', true, 'elsewhere'],
    ['packs', false, 'elsewhere'],
  ] as const) {
    it(`while ${what} are ${where}, no part of a repository counts as damaged, and it isn’t changed`, async () => {
      await writeFile(file('gone'), bytes(600_000));
      await fixture.backUp();
      await rm(file('gone'));
      const first = await fixture.backUp();
      const { drive } = fixture.on;
      const before = [...fixture.names('snapshots'), ...fixture.names('index')];
      const data = drive.files.in(fixture.folderId).find(({ name }) => name === 'data');
      const trashed = isPart ? drive.files.in(data!.id).map(({ id }) => id) : fixture.packIds();
      const backs: (() => Promise<void>)[] = [];
      for (const id of trashed) backs.push(await misplace(id, where));
      const dropCache = (): Promise<void> =>
        rm(path.join(fixture.folder, 'cache'), { recursive: true, force: true });
      const { check, restore, list, backup } = uses();
      await rejected(check(), 'conflict', 'conflict_repository_trashed');
      for (const use of [list, backup, backup, restore]) {
        await dropCache();
        await rejected(use(), 'conflict', 'conflict_repository_trashed');
      }
      [...fixture.names('snapshots'), ...fixture.names('index')].should.eql(before);
      for (const moveBack of backs) await moveBack();
      (await fixture.backUp()).snapshot.should.have.property('parent', first.snapshot.id);
      await fixture.check();
    });
  }

  it('a repository that is moved to the trash before it is cleaned up is reported with the snapshot', async () => {
    const first = await fixture.backUp();
    const { drive } = fixture.on;
    const record = drive.files.find(fixture.folderId) as { trashed: boolean };
    const until = (): Promise<boolean> => Promise.resolve((record.trashed = true));
    const when = (request: RecordedRequest): boolean =>
      isUpload(request) && !fixture.names('snapshots').includes(first.snapshot.id);
    drive.faults.add({ kind: 'delay', until, match: { when } });
    const { laterError, pruned, snapshot } = await fixture.backUp({ retention });
    should(laterError).have.property('text', 'partial_failure_snapshot_trashed');
    should(laterError?.params).eql({ id: snapshot.shortId });
    pruned.removed.should.eql([first.snapshot]);
    record.trashed = false;
    await fixture.backUp({ retention });
    await fixture.check();
  });

  it('a new folder that isn’t in a list yet is no reason for a backup to fail', async () => {
    const { drive } = fixture.on;
    const setHidden = (trashed: boolean) => (): Promise<object> =>
      Promise.resolve(
        Object.assign(
          drive.files.in(fixture.folderId).find(({ name }) => name === 'data')!,
          { trashed },
        ),
      );
    const isLate = ({ method, path: target }: RecordedRequest): boolean =>
      fixture.names('snapshots').length === 1 && method === 'GET' && target.endsWith('/files');
    drive.faults.add({ kind: 'delay', until: setHidden(true), match: { when: isLate } });
    const isLook = ({ params }: RecordedRequest): boolean =>
      fixture.names('snapshots').length === 1 && params.get('fields') === 'id,trashed,parents';
    drive.faults.add({ kind: 'delay', until: setHidden(false), match: { when: isLook } });
    await fixture.backUp();
    fixture.packs().should.not.be.empty();
  });

  it('a cancelled backup removes its lock, and leaves nothing but packs', async () => {
    await fixture.backUp();
    await fixture.writePacks('large', 6);
    const aborter = new AbortController();
    const onProgress = ({ sent }: { sent: number }): void => void (sent > 1_000_000 && aborter.abort());
    await rejected(fixture.backUp({ onProgress }, { signal: aborter.signal }), 'cancelled');
    fixture.names('locks').should.be.empty();
    fixture.names('snapshots').length.should.equal(1);
    await rejected(fixture.backUp({}, { signal: aborter.signal }), 'cancelled');
    await fixture.backUp();
    should(await fixture.restored()).deepEqual(await describeTree(fixture.source));
  });

  it('what fails after the snapshot is stored is reported with the snapshot', async () => {
    await fixture.backUp();
    const match = {
      method: 'DELETE',
      when: ({ path: target }: RecordedRequest) => target.includes(snapshotId),
    };
    const snapshotId = fixture.idOf('snapshots', fixture.names('snapshots')[0] ?? '');
    fixture.on.drive.faults.add({ kind: 'error', reason: 'insufficientFilePermissions', match, times: 10 });
    const { pruned, laterError, snapshot } = await fixture.backUp({ retention });
    should(laterError).have.properties({ code: 'partial_failure', text: 'partial_failure_snapshot_prune' });
    should(laterError?.params).have.properties({ id: snapshot.shortId, failed: 1, count: 1 });
    pruned.failed.map(({ error: { code } }) => code).should.eql(['permission_denied']);
    pruned.removed.should.be.empty();
  });

  describe('when the look for a stored snapshot fails', () => {
    const isLook = ({ method, path: target }: RecordedRequest): boolean =>
      method === 'GET' && target.endsWith('/files') && fixture.names('snapshots').length === 2;

    /** After the next backup, which succeeds. */
    async function expectBoth(first: SnapshotBackupResult, second: SnapshotBackupResult): Promise<void> {
      const ids = [first, second].map(({ snapshot }) => snapshot.id);
      fixture.names('snapshots').sort().should.eql(ids.sort());
      fixture.names('locks').should.be.empty();
      second.pruned.should.eql({ kept: [], removed: [], failed: [], freedBytes: 0 });
      fixture.on.drive.faults.clear();
      should((await fixture.backUp({ retention })).laterError).be.undefined();
      fixture.names('snapshots').should.have.length(1);
    }

    const FAULTS = [
      ['permission_denied', { kind: 'error', reason: 'insufficientFilePermissions' }],
      ['bad_response', { kind: 'response', body: { files: 'none' } }],
    ] as const;
    for (const [reason, fault] of FAULTS)
      it(`${reason} of the service after a snapshot is stored is a later error`, async () => {
        const first = await fixture.backUp();
        fixture.on.drive.faults.add({ ...fault, match: { when: isLook } });
        const second = await fixture.backUp({ retention });
        should(second.laterError).have.property('text', 'partial_failure_snapshot_list');
        should(second.laterError?.params).eql({ id: second.snapshot.shortId, reason });
        await expectBoth(first, second);
      });

    it('a backup that is cancelled after its snapshot is stored reports the snapshot', async () => {
      const first = await fixture.backUp();
      const aborter = new AbortController();
      const until = (): Promise<void> => Promise.resolve(aborter.abort());
      fixture.on.drive.faults.add({ kind: 'delay', until, match: { when: isLook } });
      const second = await fixture.backUp({ retention }, { signal: aborter.signal });
      should(second.laterError).have.property('code', 'cancelled');
      await expectBoth(first, second);
    });

    it('a backup that is cancelled before its thread knows that the snapshot is stored reports the snapshot', async () => {
      const first = await fixture.backUp();
      const aborter = new AbortController();
      const observe = ({ event }: ObservedEvent): void => {
        if (event === 'transfer' && fixture.names('snapshots').length === 2) aborter.abort();
      };
      const other = createTestClient(fixture.on.drive.url, { observe });
      const second = await fixture.backUp({ retention }, { signal: aborter.signal }, other.client);
      other.close();
      should(second.laterError).have.property('code', 'cancelled');
      await expectBoth(first, second);
    });

    it('a backup that is cancelled while it removes snapshots reports those that it has removed', async () => {
      const earlier = [await fixture.backUp(), await fixture.backUp()].map(({ snapshot }) => snapshot);
      const aborter = new AbortController();
      const until = (): Promise<void> => Promise.resolve(aborter.abort());
      const match = { method: 'DELETE', path: new RegExp(fixture.idOf('snapshots', earlier[0]!.id)) };
      fixture.on.drive.faults.add({ kind: 'delay', until, match });
      const { laterError, pruned } = await fixture.backUp({ retention }, { signal: aborter.signal });
      should(laterError).have.property('code', 'cancelled');
      pruned.removed.should.eql([earlier[1]]);
      fixture.names('snapshots').should.not.containEql(earlier[1]!.id);
    });

    it('an error of the service doesn’t hide that a snapshot is incomplete', async () => {
      const first = await fixture.backUp();
      const fault = { kind: 'error', reason: 'insufficientFilePermissions' } as const;
      fixture.on.drive.faults.add({ ...fault, match: { when: isLook } });
      await writeFile(file('large'), bytes(10_000_000));
      const onProgress = ({ entries, sent }: { entries: number; sent: number }): void => {
        if (entries > 0 && sent > 0) rmSync(fixture.source, { recursive: true, force: true });
      };
      const second = await fixture.backUp({ onProgress, retention });
      should(second.laterError).have.property('text', 'partial_failure_snapshot_source_lost');
      fixture.names('snapshots').should.containEql(first.snapshot.id);
    });
  });

  describe('at a custom service', () => {
    const custom = { can: CAPABILITIES.custom };

    const refused = { kind: 'error', reason: 'notFound', status: 404 } as const;
    const when = ({ params }: RecordedRequest): boolean => /trashed/.test(params.get('q') ?? '');
    for (const [capability, fault] of [
      ['files.get', { ...refused, match: { path: /\/files\/(?!generateIds)[^/]+$/ } }],
      ['files.list: q', { ...refused, match: { when } }],
      ['files.list: q', { kind: 'response', body: { files: [] }, match: { when } }],
      ['files.generateIds', { ...refused, match: { path: /generateIds$/ } }],
    ] as const)
      it(`a service without ${capability} is refused before anything is written (${fault.kind})`, async () => {
        const client = createTestClient(fixture.on.drive.url, { service: custom });
        fixture.on.drive.faults.add({ ...fault, times: Infinity });
        const backup = fixture.backUp({}, {}, client.client);
        await rejects(backup, { code: 'not_configured', params: { capability } }).finally(() =>
          client.close(),
        );
        fixture.on.drive.requests.all.every(({ method }) => method === 'GET').should.be.true();
      });

    it('a service without checksums is refused plainly', async () => {
      const client = createTestClient(fixture.on.drive.url, { service: custom });
      const { files } = fixture.on.drive;
      await fixture.useEmptyFolder();
      const hide = { kind: 'response', body: { id: 'any', name: 'any' } } as const;
      fixture.on.drive.faults.add({ ...hide, match: { when: isUpload }, times: 100 });
      fixture.on.drive.faults.add({
        kind: 'error',
        reason: 'notFound',
        status: 405,
        match: { path: /files\/any/ },
        times: 100,
      });
      await rejected(
        fixture.backUp({}, {}, client.client),
        'bad_response',
        'bad_response_no_checksum',
      ).finally(() => client.close());
      files.untrashedNames(fixture.folderId).should.not.containEql('config');
    });
  });

  it('a folder with other folders is no repository', async () => {
    await fixture.useEmptyFolder();
    for (const name of ['data', 'index']) await fixture.on.drive.files.addFolder(name, fixture.folderId);
    await rejected(fixture.backUp(), 'conflict', 'conflict_repository_folder');
  });
});
