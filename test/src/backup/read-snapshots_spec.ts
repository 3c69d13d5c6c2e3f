/** Snapshots that this package and restic made are restored, checked and listed, on the local drive. */
import { execFileSync } from 'node:child_process';
import {
  link,
  lstat,
  mkdir,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { rejects } from 'node:assert/strict';
import path from 'node:path';
import should from 'should';
import type {
  DriveError,
  ListedEntry,
  SnapshotCheckRequest,
  SnapshotCheckResult,
  SnapshotRestoreRequest,
  SnapshotRestoreResult,
} from '../../../src/index';
import { currentOwner } from '../../../src/fs/part-owner';
import { TestClock } from '../../local-drive';
import { needsProgram } from '../../support/archive/programs';
import { contentsOf, describeTree, varyAttributes } from '../../support/archive/tree';
import { bytes } from '../../support/content';
import { DiskRepository, restic, zstdFrame } from '../../support/snapshots/disk-repository';
import { importFolder } from '../../support/snapshots/drive-repository';
import { withoutRestic } from '../../support/snapshots/restic-oracle';
import { RULES, SnapshotFixture } from '../../support/snapshots/snapshot-fixture';
import { decodeFile } from '../../../src/backup/restic/compression';
import { idOf, seal, unseal } from '../../../src/backup/restic/crypto';
import { groupByPack, indexFiles } from '../../../src/backup/restic/pack';
import { treeBlob } from '../../../src/backup/restic/tree';
import { isRoot } from '../../../src/fs/part-owner';

/** @returns the error of work that fails */
async function rejected(work: Promise<unknown>): Promise<Error> {
  const outcome = await work.then(
    () => new Error('it succeeded'),
    (error: unknown) => error,
  );
  return outcome as Error;
}

describe('reading snapshots', () => {
  const clock = new TestClock(Date.now());
  const fixture = new SnapshotFixture({ clock });
  const file = (name: string): string => path.join(fixture.source, name);
  const target = (...names: string[]): string => path.join(fixture.folder, 'target', ...names);
  const large = (megabytes: number, seed = 1): Buffer => bytes(megabytes * 1_000_000, seed);

  function query(): Omit<SnapshotRestoreRequest, 'path' | 'overwrite'> {
    const { folderId, passphrase, cacheFolder, host, username } = fixture.request();
    return {
      ...{ folderId, passphrase, cacheFolder, host, username, folderName: 'Repository', include: [] },
      choice: { which: 'newest', sources: 'own', host: 'pi', allowIncomplete: false },
    };
  }

  const restore = (more: Partial<SnapshotRestoreRequest> = {}): Promise<SnapshotRestoreResult> =>
    fixture.on.client.restoreSnapshot({ ...query(), path: target(), overwrite: 'error', ...more });

  const check = (more: Partial<SnapshotCheckRequest> = {}): Promise<SnapshotCheckResult> =>
    fixture.on.client.checkSnapshot({ ...query(), readData: 0, maxAge: 0, depth: 'content', ...more });

  async function list(more: Partial<SnapshotRestoreRequest> = {}): Promise<ListedEntry[]> {
    const listed: ListedEntry[] = [];
    const onEntries = (entries: ListedEntry[]): Promise<void> => {
      listed.push(...entries);
      return Promise.resolve();
    };
    await fixture.on.client.listSnapshot({ ...query(), ...more, onEntries });
    return listed;
  }

  async function makeSource(): Promise<void> {
    await mkdir(file('photos/empty'), { recursive: true });
    await writeFile(file('photos/large'), large(1.5));
    await writeFile(file('photos/text'), 'the same text again and again\n'.repeat(30_000));
    await writeFile(file('nothing'), '');
    await writeFile(Buffer.from(file('Latin-\xe4'), 'latin1'), 'umlaut');
    await writeFile(file('a "quote" \\ and <tab>\t'), 'odd');
    await symlink('../notes.txt', file('photos/link'));
    for (let index = 0; index < 100; index++)
      await writeFile(file(`photos/empty/${index}`), large(0.002, index));
    await varyAttributes(fixture.source);
  }

  /** The packs on the drive, with what a test needs to damage them. */
  function packs(): { id: string; name: string; parent: string }[] {
    const { files } = fixture.on.drive;
    const data = files.in(fixture.folderId).filter(({ name }) => name === 'data');
    const parts = data.flatMap(({ id }) => files.in(id));
    return parts.flatMap(({ id }) =>
      files.in(id).map((pack) => ({ id: pack.id, name: pack.name, parent: id })),
    );
  }

  const downloads = (): number =>
    fixture.on.drive.requests.all.filter(({ query: text }) => text.includes('alt=media')).length;

  /** Changes a byte in the middle of each pack of at least this size. */
  async function damagePacks(minimum: number): Promise<void> {
    withoutRestic('packs are damaged');
    const { files } = fixture.on.drive;
    for (const { id, name, parent } of packs()) {
      const content = Buffer.from(await files.contentOf(id));
      if (content.length < minimum) continue;
      const middle = Math.floor(content.length / 2);
      content[middle] = (content[middle] as number) ^ 1;
      await files.remove(id);
      await files.add({ name, parent, content, mimeType: 'application/octet-stream' });
    }
  }

  it('a snapshot is restored as it was, under the name of its source, and with few requests', async () => {
    await makeSource();
    const { snapshot } = await fixture.backUp({ tags: ['nightly'] });
    const progress: number[] = [];
    fixture.on.drive.requests.clear();
    const result = await restore({ onEntry: ({ entries }) => progress.push(entries) });
    (await describeTree(target('home'))).should.deepEqual(await describeTree(fixture.source));
    result.should.have.properties({ path: target(), snapshot, entries: 110 });
    result.bytes.should.be.above(2_000_000);
    result.should.not.have.property('complete');
    should(progress.at(-1)).equal(110);
    fixture.names('locks').should.be.empty();
    downloads().should.be.below(25);
  });

  for (const version of [1, 2] as const) {
    it(`a snapshot that restic wrote to a repository of version ${version} is restored as it was`, async function () {
      needsProgram(this, 'restic');
      await makeSource();
      await link(file('notes.txt'), file('photos/linked'));
      await varyAttributes(fixture.source);
      const disk = path.join(fixture.folder, 'restic');
      await DiskRepository.create(disk, version);
      restic(disk, ['backup', '--host', 'nas', fixture.source]);
      await fixture.useEmptyFolder();
      await importFolder(fixture.on.drive, fixture.folderId, disk);
      const choice = { which: 'newest', sources: 'any', host: 'pi', allowIncomplete: false } as const;
      await restore({ choice });
      (await describeTree(target('home'))).should.deepEqual(await describeTree(fixture.source));
      const { entries, differences } = await check({ choice, readData: 100, compareWith: fixture.source });
      should(entries).equal(111);
      should(differences).deepEqual({ missing: [], extra: [], different: [] });
    });
  }

  it('hard links, sparse files and times to the microsecond come back', async () => {
    await link(file('notes.txt'), file('same notes'));
    await writeFile(file('sparse'), 'start');
    await truncate(file('sparse'), 12_000_000);
    const early = { 'before 1970': '-631054555.678901', 'just before a second': '-1033076999.999999999' };
    for (const [name, time] of Object.entries(early)) {
      await writeFile(file(name), '');
      execFileSync('touch', ['-d', `@${time}`, file(name)]);
    }
    await fixture.backUp();
    await restore();
    const [one, other] = [await stat(target('home/notes.txt')), await stat(target('home/same notes'))];
    one.ino.should.equal(other.ino);
    const sparse = await stat(target('home/sparse'));
    sparse.size.should.equal(12_000_000);
    sparse.blocks.should.be.below(8_000);
    (await readFile(target('home/sparse'))).equals(await readFile(file('sparse'))).should.be.true();
    Math.abs(sparse.mtimeMs - (await stat(file('sparse'))).mtimeMs).should.be.below(0.002);
    for (const [name, expected] of [
      ['before 1970', -631_054_555_678_901_000n],
      ['just before a second', -1_033_077_000_000_000_000n],
    ] as const)
      should((await stat(target('home', name), { bigint: true })).mtimeNs).equal(expected);
  });

  it('a second link is a file of its own if the first one isn’t selected', async () => {
    await link(file('notes.txt'), file('same notes'));
    await fixture.backUp();
    await restore({ include: ['home/same notes'] });
    (await contentsOf(target())).should.deepEqual({ 'home/': '', 'home/same notes': 'notes' });
  });

  it('a second link is restored with what follows it if the first one has a reserved name', async () => {
    withoutRestic('it restores files with reserved names');
    await link(file('notes.txt'), file('.cloud-drive-restores'));
    await writeFile(file('other.txt'), 'other');
    await fixture.backUp();
    await restore();
    (await contentsOf(target())).should.deepEqual({
      'home/': '',
      'home/notes.txt': 'notes',
      'home/other.txt': 'other',
    });
  });

  it('only what is selected is downloaded', async () => {
    await makeSource();
    await fixture.backUp();
    fixture.on.drive.requests.clear();
    let fetched = 0;
    await restore({ include: ['**/notes.txt'], onProgress: (bytes) => (fetched = bytes) });
    (await contentsOf(target())).should.deepEqual({ 'home/': '', 'home/notes.txt': 'notes' });
    fetched.should.be.below(200_000);
    const error = await rejected(restore({ include: ['other/**'], overwrite: 'replace' }));
    error.should.have.properties({ code: 'not_found', text: 'not_found_entries' });
  });

  describe('the choice of a snapshot', () => {
    const restored = async (choice: Partial<SnapshotRestoreRequest['choice']>): Promise<string> => {
      await rm(target(), { recursive: true, force: true });
      const base = { which: 'newest', sources: 'own', host: 'pi', allowIncomplete: false } as const;
      await restore({ choice: { ...base, ...choice } });
      return readFile(target('home/notes.txt'), 'utf8');
    };

    it('is the newest of this host or of any host, or has an ID', async () => {
      await fixture.backUp();
      await writeFile(file('notes.txt'), 'second');
      const second = await fixture.backUp();
      await writeFile(file('notes.txt'), 'other host');
      // The service's time has seconds, and the clock stands still.
      const { snapshot: other } = await fixture.backUp({ host: 'nas' });
      (await restored({})).should.equal('second');
      (await restored({ sources: 'any' })).should.equal('other host');
      (await restored({ which: 'id', id: second.snapshot.shortId })).should.equal('second');
      (await restored({ which: 'id', id: other.id.toUpperCase() })).should.equal('other host');
      (await restored({ paths: [fixture.source] })).should.equal('second');
    });

    it('is the one with the highest ID if several have the same time', async () => {
      const disk = await DiskRepository.create(path.join(fixture.folder, 'disk'));
      const tree = disk.addBlob(treeBlob([]), true);
      const ids = ['a', 'b', 'c', 'd', 'e', 'f'].map((tag) => disk.addSnapshot({ tree, tags: [tag] })).sort();
      await fixture.useEmptyFolder();
      await importFolder(fixture.on.drive, fixture.folderId, path.join(fixture.folder, 'disk'));
      const { snapshots } = await fixture.on.client.findSnapshots(fixture.request());
      snapshots.map(({ id }) => id).should.eql(ids.reverse());
    });

    it('a list of all snapshots selects the one that is restored, or none if a restore fails', async () => {
      const disk = await DiskRepository.create(path.join(fixture.folder, 'disk'));
      const tree = disk.addBlob(treeBlob([]), true);
      const hours = (count: number): bigint => BigInt(clock.now() + count * 3_600_000) * 1_000_000n;
      const ids = new Map<string, string>();
      for (const [name, time, more] of [
        ['old', -50, {}],
        ['new', -1, {}],
        ['incomplete', -1 / 2, { tags: ['incomplete'] }],
        ['of another host', 1, { hostname: 'nas' }],
        ['by a clock that was wrong', 40, {}],
      ] as const)
        ids.set(disk.addSnapshot({ tree, time: hours(time), ...more, tags: [...(more.tags ?? [])] }), name);
      // Two IDs out of 17 begin with the same digit.
      for (let host = 0; host < 17; host++) disk.addSnapshot({ tree, hostname: `host ${host}` });
      const digits = disk.snapshots.map(({ id }) => id.charAt(0));
      const repeated = digits.find((digit, index) => digits.indexOf(digit) < index);
      await fixture.useEmptyFolder();
      await importFolder(fixture.on.drive, fixture.folderId, path.join(fixture.folder, 'disk'));
      const { client } = fixture.on;
      const base = { which: 'newest', sources: 'own', host: 'pi', allowIncomplete: false } as const;
      const until = clock.now();
      for (const [more, expected] of [
        [{}, 'new'],
        [{ allowIncomplete: true }, 'incomplete'],
        [{ sources: 'any' }, 'of another host'],
        [{ which: 'date', until }, 'new'],
        [{ which: 'date', until: until - 86_400_000 }, 'old'],
        [{ which: 'date', until: 0 }, undefined],
        [{ which: 'id', id: repeated }, undefined],
        [{ which: 'id', id: 'x' }, undefined],
        [{ which: 'id', id: [...ids.keys()][0]?.toUpperCase() }, 'old'],
        [{ host: 'unknown' }, undefined],
      ] as const) {
        const choice = { ...base, ...more };
        const { snapshots, selectedId } = await client.findSnapshots({ ...query(), choice });
        snapshots.should.have.length(22);
        should(ids.get(selectedId ?? '')).equal(expected, JSON.stringify(more));
        const onEntries = (): Promise<void> => Promise.resolve();
        const read = client.listSnapshot({ ...query(), choice, onEntries });
        const id = await read.then(({ snapshot }) => snapshot.id).catch(() => undefined);
        should(selectedId).equal(id);
      }
    });

    it('fails if there is none, and nothing is restored', async () => {
      await fixture.backUp();
      const base = { which: 'newest', sources: 'own', host: 'pi', allowIncomplete: false } as const;
      const none = await rejected(restore({ choice: { ...base, host: 'other' } }));
      none.should.have.properties({ code: 'not_found', text: 'not_found_snapshot_host' });
      (await rejected(stat(target()))).should.have.property('code', 'ENOENT');
    });

    it('is an incomplete one only if that is allowed', async () => {
      await fixture.backUp();
      await writeFile(file('notes.txt'), 'incomplete');
      await fixture.backUp({ tags: ['incomplete'] });
      (await restored({})).should.equal('notes');
      (await restored({ allowIncomplete: true })).should.equal('incomplete');
      const result = await restore({
        overwrite: 'replace',
        choice: { which: 'newest', sources: 'own', host: 'pi', allowIncomplete: true },
      });
      result.should.have.property('complete', false);
    });
  });

  it('a wrong passphrase is invalid_input, and nothing changes', async () => {
    await fixture.backUp();
    const error = await rejected(restore({ passphrase: 'incorrect horse' }));
    error.should.have.properties({ code: 'invalid_input' });
    (await rejected(stat(target()))).should.have.property('code', 'ENOENT');
  });

  it('a cancelled restore changes nothing and leaves neither files nor a lock', async () => {
    await makeSource();
    await fixture.backUp();
    const aborter = new AbortController();
    const request = {
      ...query(),
      path: target(),
      overwrite: 'error' as const,
      onProgress: () => aborter.abort(),
    };
    const restoring = fixture.on.client.restoreSnapshot(request, { signal: aborter.signal });
    (await rejected(restoring)).should.have.property('code', 'cancelled');
    (await rejected(stat(target()))).should.have.property('code', 'ENOENT');
    fixture.names('locks').should.be.empty();
  });

  it('a folder that was renamed to the name of an abandoned work folder isn’t removed by a restore', async () => {
    await makeSource();
    await fixture.backUp();
    const name = `.target.restore-${currentOwner().pidNamespace}-999999999-abc-00000000-0`;
    const home = path.join(fixture.folder, name);
    await mkdir(home, { mode: 0o700 });
    await writeFile(path.join(home, 'file'), 'content');
    await restore();
    (await readFile(path.join(home, 'file'), 'utf8')).should.equal('content');
  });

  describe('a check', () => {
    it('returns what the snapshot contains and how old it is', async () => {
      await makeSource();
      const { snapshot, backup } = await fixture.backUp();
      const result = await check();
      result.should.have.properties({ snapshot, age: 0, entries: backup.entries, files: backup.files });
      result.should.have.properties({ folders: backup.folders, bytes: backup.bytes });
      should(result.milliseconds).be.a.Number();
      should(await check({ depth: 'age' })).deepEqual({ snapshot, age: 0 });
      fixture.names('locks').should.be.empty();
    });

    it('compares a folder without downloading its content', async () => {
      await makeSource();
      await fixture.backUp();
      await writeFile(file('notes.txt'), 'NOTES');
      await rm(file('nothing'));
      await writeFile(file('new'), 'new');
      const changed = await readFile(file('photos/large'));
      changed[700_000] = (changed[700_000] as number) ^ 1;
      await writeFile(file('photos/large'), changed);
      fixture.on.drive.requests.clear();
      const { differences } = await check({ compareWith: fixture.source });
      should(differences).deepEqual({
        missing: ['home/nothing'],
        extra: ['home/new'],
        different: ['home/notes.txt', 'home/photos/large'],
      });
      // The config, the key, the index, the snapshot and its trees.
      downloads().should.be.belowOrEqual(5);
    });

    it('is outdated if the newest snapshot is too old, or there is none', async () => {
      await fixture.backUp();
      const past = { which: 'newest', sources: 'own', host: 'nas', allowIncomplete: false } as const;
      const none = await rejected(check({ maxAge: 1, choice: past }));
      none.should.have.properties({ code: 'outdated', text: 'outdated_no_snapshot' });
      should(await check({ maxAge: 1 })).have.property('age', 0);
    });

    it('names the snapshots and files that need a missing pack, and the rest can be restored', async () => {
      withoutRestic('a pack is missing');
      await writeFile(file('large'), large(2));
      const { snapshot } = await fixture.backUp();
      await writeFile(file('other'), large(2, 2));
      const { snapshot: second } = await fixture.backUp();
      const { files } = fixture.on.drive;
      const before = new Set(await blobsOf('large'));
      for (const { id, name } of packs()) if (before.has(name)) await files.remove(id);
      const expected = { code: 'bad_response', text: 'bad_response_repository_damaged' };
      const found = await rejected(check());
      found.should.have.properties(expected);
      const { snapshots, files: affected } = (found as DriveError).params;
      String(snapshots).should.equal(`${snapshot.shortId}, ${second.shortId}`);
      // Small files may be in the same pack.
      String(affected).should.startWith(file('large'));
      const failed = await rejected(restore());
      failed.should.have.properties(expected);
      should(failed).have.property('params').with.property('snapshots', second.shortId);
      (await rejected(stat(target()))).should.have.property('code', 'ENOENT');
      await restore({ include: ['home/other'] });
      Object.keys(await contentsOf(target('home'))).should.eql(['other']);
    });

    it('finds a changed byte when it reads that pack, and so does a restore', async () => {
      await writeFile(file('large'), large(2));
      const { snapshot } = await fixture.backUp();
      await damagePacks(500_000);
      should(await check()).have.property('snapshot', snapshot);
      const expected = { code: 'bad_response', text: 'bad_response_repository_damaged' };
      (await rejected(check({ readData: 100 }))).should.have.properties(expected);
      const failed = await rejected(restore());
      failed.should.have.properties(expected);
      should(failed).have.property('params', { snapshots: snapshot.shortId, files: 'home/large' });
    });

    it('finds a tree that is missing', async () => {
      withoutRestic('a tree is missing');
      await writeFile(file('large'), large(2));
      await fixture.backUp();
      const { files } = fixture.on.drive;
      for (const { id } of packs()) {
        if ((await files.contentOf(id)).length < 100_000) await files.remove(id);
      }
      await rm(path.join(fixture.folder, 'cache'), { recursive: true });
      (await rejected(check())).should.have.property('text', 'bad_response_repository_damaged');
      (await rejected(restore())).should.have.property('code', 'bad_response');
    });

    /** IDs of packs that contain data of a file. */
    async function blobsOf(name: string): Promise<string[]> {
      const found: string[] = [];
      const output = await fixture.restic('find', '--json', '--pack', 'none').catch(() => '');
      should(output).be.a.String();
      const disk = await DiskRepository.open(path.join(fixture.folder, 'copy'), fixture.request().passphrase);
      const tree = disk.snapshots[0]?.tree ?? '';
      for (const [each, { content }] of disk.readAll(tree)) {
        if (!each.endsWith(`/${name}`)) continue;
        for (const id of content ?? []) found.push(disk.index.find(id, false)?.pack ?? '');
      }
      return found;
    }
  });

  it('a list has all entries, or those that are selected', async () => {
    await makeSource();
    await fixture.backUp();
    const all = await list();
    all.length.should.equal(110);
    all
      .find(({ path: name }) => name === 'home/photos/link')
      ?.should.have.properties({
        type: 'symlink',
        target: '../notes.txt',
      });
    const selected = await list({ include: ['**/notes.txt'] });
    selected
      .map(({ path: name, type, size }) => [name, type, size])
      .should.deepEqual([['home/notes.txt', 'file', 5]]);
  });

  it('sources with the same name are listed with their whole paths', async () => {
    const sources = ['one/data', 'two/data'].map((name) => path.join(fixture.folder, name));
    for (const source of sources) {
      await mkdir(source, { recursive: true });
      await writeFile(path.join(source, 'file'), source);
    }
    const disk = await DiskRepository.create(path.join(fixture.folder, 'disk'));
    disk.backUp(fixture.folder, { paths: sources });
    await fixture.useEmptyFolder();
    await importFolder(fixture.on.drive, fixture.folderId, path.join(fixture.folder, 'disk'));
    const listed = (await list()).map(({ path: name }) => name);
    listed.should.containEql(path.join(fixture.folder, 'one/data/file').slice(1));
  });

  it('devices and FIFOs come back if root restores them', async function () {
    if (!isRoot() || process.platform === 'win32') return this.skip('needs root on Linux');
    execFileSync('mkfifo', [file('fifo')]);
    execFileSync('mknod', [file('null'), 'c', '1', '3']);
    await fixture.backUp();
    (await restore()).should.not.have.property('skipped');
    (await lstat(target('home/fifo'))).isFIFO().should.be.true();
    const device = await lstat(target('home/null'));
    device.isCharacterDevice().should.be.true();
    device.rdev.should.equal((await lstat(file('null'))).rdev);
  });

  const any = { which: 'newest', sources: 'any', host: 'pi', allowIncomplete: false } as const;

  /** What is damaged, or exists twice, as the last run has reported it. */
  let reported: string[] = [];
  const onDamaged = (files: string[]): void => void (reported = files);

  /** Restores, checks and lists with an empty cache. @returns whether everything was as in the source */
  async function readsAll(): Promise<boolean> {
    for (const each of [target(), path.join(fixture.folder, 'cache')])
      await rm(each, { recursive: true, force: true });
    await restore({ choice: any, onDamaged });
    const { differences } = await check({
      choice: any,
      readData: 100,
      compareWith: fixture.source,
      onDamaged,
    });
    should(differences).deepEqual({ missing: [], extra: [], different: [] });
    (await list({ choice: any })).length.should.be.above(100);
    const [found, expected] = [await describeTree(target('home')), await describeTree(fixture.source)];
    should(found).deepEqual(expected);
    return true;
  }

  /** As of a client that stores everything again, because it doesn't see the index of another one. */
  async function twiceStored(): Promise<{ disk: string; halves: string[][] }> {
    const disk = path.join(fixture.folder, 'disk');
    const packsOf = async (): Promise<string[]> => {
      const data = path.join(disk, 'data');
      const parts = await readdir(data);
      return (await Promise.all(parts.map((part) => readdir(path.join(data, part))))).flat();
    };
    (await DiskRepository.create(disk)).backUp(fixture.source);
    const first = await packsOf();
    // It doesn't know what is stored.
    (await DiskRepository.open(disk)).backUp(fixture.source);
    restic(disk, ['check', '--read-data']);
    const second = (await packsOf()).filter((name) => !first.includes(name));
    return { disk, halves: [first, second] };
  }

  it('a blob that is in two packs is read from the one that is intact', async function () {
    withoutRestic('packs are damaged');
    needsProgram(this, 'restic');
    await makeSource();
    const { disk, halves } = await twiceStored();
    const { files } = fixture.on.drive;
    for (const half of halves) {
      for (const how of ['missing', 'changed', 'truncated', 'empty']) {
        await fixture.useEmptyFolder();
        await importFolder(fixture.on.drive, fixture.folderId, disk);
        for (const { id, name, parent } of packs()) {
          if (!half.includes(name)) continue;
          const content = Buffer.from(await files.contentOf(id));
          await files.remove(id);
          // In the first blob, and in the middle.
          for (const at of [20, content.length >> 1]) content.writeUInt8(content.readUInt8(at) ^ 1, at);
          const length = { changed: content.length, truncated: content.length >> 1, empty: 0 }[how];
          if (length !== undefined) await files.add({ name, parent, content: content.subarray(0, length) });
        }
        (await readsAll()).should.be.true();
        reported.some((name) => half.includes(path.basename(name))).should.be.true(how);
      }
    }
  });

  for (const order of ['before', 'after']) {
    for (const size of ['larger', 'smaller', 'the same size']) {
      it(`files added with the names of a repository’s files, ${size} and ${order} them, change nothing`, async () => {
        withoutRestic('a folder on disk has each name once');
        await makeSource();
        await fixture.backUp();
        clock.advance(1);
        const { files } = fixture.on.drive;
        const folders = files.in(fixture.folderId).filter(({ name }) => name !== 'config');
        const stored = [
          ...files.in(fixture.folderId).filter(({ name }) => name === 'config'),
          ...folders.flatMap(({ id }) => files.in(id)),
          ...packs(),
        ].filter(({ name }) => name === 'config' || name.length === 64);
        for (const { id, name, parent = '' } of stored) {
          const content = Buffer.from(await files.contentOf(id));
          const length =
            { larger: content.length + 100, smaller: content.length >> 1 }[size] ?? content.length;
          const twin = Buffer.concat([bytes(content.length), bytes(100)]).subarray(0, length);
          if (order === 'before') await files.remove(id);
          await files.add({ name, parent, content: twin });
          clock.advance(1);
          if (order === 'before') await files.add({ name, parent, content });
        }
        (await readsAll()).should.be.true();
        const kinds = new Set(reported.map((name) => name.split('/')[0]));
        kinds.should.eql(new Set(['config', 'keys', 'snapshots', 'index', 'data']));
        await rm(path.join(fixture.folder, 'cache'), { recursive: true });
        reported = [];
        const { backup } = await fixture.backUp({ onDamaged });
        backup.should.have.properties({ newFiles: 0, changedFiles: 0 });
        reported.should.not.be.empty();
      });
    }
  }

  type IndexedBlob = { type: string; offset: number; length: number; uncompressed_length?: number };

  /** Replaces the index files of a repository on disk. */
  async function editIndex(disk: string, edit: (blobs: IndexedBlob[]) => void): Promise<void> {
    withoutRestic('the index is wrong');
    const { key } = await DiskRepository.open(disk);
    for (const name of await readdir(path.join(disk, 'index'))) {
      const old = path.join(disk, 'index', name);
      const json = decodeFile(unseal(key, await readFile(old), name), name).toString();
      const index = JSON.parse(json) as { packs: { blobs: IndexedBlob[] }[] };
      for (const { blobs } of index.packs) if (blobs[0]?.type === 'data') edit(blobs);
      const sealed = seal(key, Buffer.from(JSON.stringify(index)));
      await rm(old);
      await writeFile(path.join(disk, 'index', idOf(sealed)), sealed);
    }
  }

  const INDEX_ERRORS: Record<string, (blobs: IndexedBlob[]) => void> = {
    'exchanged offsets': ([one, other]) => ([one!.offset, other!.offset] = [other!.offset, one!.offset]),
    'exchanged lengths': (blobs) => {
      const [one] = blobs as [IndexedBlob];
      const other = blobs.find(({ length }) => length !== one.length) ?? one;
      [one.length, other.length] = [other.length, one.length];
    },
    'an offset beyond the pack': ([one]) => (one!.offset += 100_000_000),
    'a length beyond the pack': (blobs) => (blobs.at(-1)!.length += 1_000_000),
    'a shorter uncompressed length': (blobs) => {
      for (const each of blobs)
        if (each.uncompressed_length) each.uncompressed_length = Math.ceil(each.uncompressed_length / 2);
    },
    'a longer uncompressed length': (blobs) => {
      for (const each of blobs) if (each.uncompressed_length) each.uncompressed_length += 5_000_000;
    },
  };
  for (const [title, edit] of Object.entries(INDEX_ERRORS)) {
    it(`with ${title} in the index, a check fails, and a restore only if content can’t be found`, async function () {
      needsProgram(this, 'restic');
      await makeSource();
      const disk = path.join(fixture.folder, 'restic');
      await DiskRepository.create(disk);
      restic(disk, ['backup', '--host', 'nas', fixture.source]);
      await editIndex(disk, edit);
      // restic restores it as well, with zeros at the end of files whose length is too large.
      const isRestored = title.includes('uncompressed');
      await fixture.useEmptyFolder();
      await importFolder(fixture.on.drive, fixture.folderId, disk);
      if (isRestored) {
        await restore({ choice: any });
        should(await describeTree(target('home'))).deepEqual(await describeTree(fixture.source));
      }
      const error = await rejected(check({ choice: any, readData: 100 }));
      error.should.have.property('text', 'bad_response_repository_damaged');
      if (!isRestored)
        (await rejected(restore({ choice: any }))).should.have.property('code', 'bad_response');
    });
  }

  it('a check compares the sizes in trees with the contents', async () => {
    withoutRestic('a size is wrong');
    await withTree((disk) => {
      const content = [disk.addBlob(Buffer.from('text'), false)];
      return treeBlob([{ ...common, name: 'file', type: 'file', content, size: 5 }]);
    });
    should(await rejected(check()))
      .have.property('params')
      .with.property('files', '/file');
  });

  const RELATIVE: Record<
    string,
    (inside: string, folder: string) => Promise<{ cwd: string; source: string }>
  > = {
    'a copy of its own path': async (inside, folder) => {
      await mkdir(path.join(folder, inside), { recursive: true });
      await writeFile(path.join(folder, inside, 'inner'), 'inner');
      return { cwd: folder, source: '.' };
    },
    'a file with its own path': async (inside, folder) => {
      await mkdir(path.join(folder, path.dirname(inside)), { recursive: true });
      await writeFile(path.join(folder, inside), 'a file');
      return { cwd: folder, source: '.' };
    },
    'its own path and another folder beside it': async (inside, folder) => {
      await mkdir(path.join(folder, inside, 'below'), { recursive: true });
      await mkdir(path.join(folder, path.dirname(inside), 'beside'));
      await writeFile(path.join(folder, path.dirname(inside), 'beside/file'), 'beside');
      return { cwd: path.dirname(folder), source: path.basename(folder) };
    },
  };
  for (const [title, prepare] of Object.entries(RELATIVE)) {
    it(`a snapshot of a relative path that contains ${title} is restored as by restic`, async function () {
      needsProgram(this, 'restic');
      const disk = path.join(fixture.folder, 'restic');
      await DiskRepository.create(disk);
      const { cwd, source } = await prepare(fixture.source.slice(1), fixture.source);
      restic(disk, ['backup', '--host', 'nas', source], undefined, cwd);
      const oracle = path.join(fixture.folder, 'oracle');
      restic(disk, ['restore', 'latest', '--target', oracle]);
      await fixture.useEmptyFolder();
      await importFolder(fixture.on.drive, fixture.folderId, disk);
      await restore({ choice: any });
      should(await contentsOf(target())).deepEqual(await contentsOf(oracle));
      const { length } = Object.keys(await contentsOf(oracle));
      should(await check({ choice: any, readData: 100 })).have.property('entries', length);
    });
  }

  it('key and index files that nobody can read are left out, and a check names them', async () => {
    withoutRestic('files are damaged');
    await makeSource();
    await fixture.backUp();
    const { files } = fixture.on.drive;
    const added: string[] = [];
    for (const type of ['keys', 'index']) {
      const parent = files.in(fixture.folderId).find(({ name }) => name === type)?.id ?? '';
      const name = type.charCodeAt(0).toString(16).repeat(32);
      await files.add({ name, parent, content: bytes(500) });
      added.push(`${type}/${name}`);
    }
    await rm(path.join(fixture.folder, 'cache'), { recursive: true });
    await restore({ onDamaged });
    should(await describeTree(target('home'))).deepEqual(await describeTree(fixture.source));
    reported.should.eql([added[1]]);
    const error = await rejected(check());
    error.should.have.property('text', 'bad_response_repository_damaged');
    should((error as DriveError).params).have.properties({ snapshots: '-', files: added.join(', ') });
  });

  const times = { mtime: 0n, atime: 0n, ctime: 0n };
  const common = { ...times, mode: 0o644, uid: 0, gid: 0, inode: 1, deviceId: 1, size: 4, links: 1 };

  /** A repository whose newest snapshot has this tree at the top. Version 1 takes no time to compress and decompress. */
  async function withTree(makeTree: (disk: DiskRepository) => Buffer, version: 1 | 2 = 1): Promise<void> {
    withoutRestic('its tree is hostile');
    const disk = await DiskRepository.create(path.join(fixture.folder, 'disk'), version);
    disk.addSnapshot({ tree: disk.addBlob(makeTree(disk), true) });
    await fixture.useEmptyFolder();
    await importFolder(fixture.on.drive, fixture.folderId, path.join(fixture.folder, 'disk'));
  }

  const GIGABYTE = 1024 ** 3;
  const spaces = { character: ' ', length: GIGABYTE };
  const folder = { ...common, name: 'folder', type: 'dir' as const };
  const bombId = 'b'.repeat(64);
  const withData = (uncompressedLength: number) => (disk: DiskRepository) => {
    // It lets a clean-up write the pack again.
    disk.addStored(zstdFrame('', spaces), { id: bombId, isTree: false, uncompressedLength });
    disk.addBlob(Buffer.from('unused'), false);
    const file = { ...common, name: 'file', type: 'file' as const, content: [bombId] };
    return treeBlob([{ ...file, size: uncompressedLength }]);
  };
  const withSubtree = (disk: DiskRepository): Buffer => {
    const frame = zstdFrame('{"nodes":[', spaces);
    const uncompressedLength = GIGABYTE;
    const subtree = disk.addStored(frame, { id: idOf(frame), isTree: true, uncompressedLength });
    return treeBlob([{ ...folder, subtree }]);
  };
  const withNode = (json: string) => (disk: DiskRepository) => {
    const tree = Buffer.from(`{"nodes":[{"name":"x","type":"file","y":[${json}]}]}`);
    return treeBlob([{ ...folder, subtree: disk.addBlob(tree, true) }]);
  };
  const [bad, partial] = ['bad_response', 'partial_failure'];
  const damagedTree = { restore: bad, check: bad, list: bad, browse: '', cleanUp: partial };
  const damagedData = { ...damagedTree, list: '' };
  const damagedIndex = { ...damagedData, restore: '', cleanUp: bad };
  const damagedSnapshot = { ...damagedData, restore: '' };
  const BOMBS: Record<string, [Record<string, string>, (disk: DiskRepository) => Buffer]> = {
    'data, as the index says,': [damagedData, withData(GIGABYTE)],
    'data, unlike the index says,': [damagedData, withData(1_000)],
    'a tree': [damagedTree, withSubtree],
    'the JSON of a tree with deep nesting': [
      damagedTree,
      withNode('['.repeat(6_000_000) + ']'.repeat(6_000_000)),
    ],
    'the JSON of a tree with many objects': [damagedTree, withNode(`${'{},'.repeat(5_000_000)}{}`)],
    'an index file': [
      damagedIndex,
      (disk) => (disk.addFrame('index', zstdFrame('{"packs":[', spaces)), treeBlob([])),
    ],
    'a snapshot file': [
      damagedSnapshot,
      (disk) => (disk.addFrame('snapshots', zstdFrame('{"time":"', spaces)), treeBlob([])),
    ],
  };

  /** @returns the code of the error, if any, and by how many bytes the memory has grown at most */
  async function growthOf(work: () => Promise<unknown>): Promise<{ code: string; growth: number }> {
    const before = process.memoryUsage.rss();
    let peak = before;
    const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
    const code = await work().then(
      () => '',
      (error: unknown) => (error as DriveError).code,
    );
    clearInterval(timer);
    return { code, growth: peak - before };
  }

  async function cleanUp(): Promise<void> {
    await writeFile(file('large'), large(1));
    await fixture.backUp();
    await rm(file('large'));
    const { laterError } = await fixture.backUp({
      retention: { ...RULES, keepNewest: 1 },
      maxUnused: 0,
    });
    if (laterError) throw laterError;
  }

  for (const [title, [expected, makeTree]] of Object.entries(BOMBS)) {
    it(`${title} of few bytes takes no gigabytes of memory, whatever reads it`, async () => {
      await withTree(makeTree, 2);
      const works = {
        restore: () => restore({ choice: any }),
        check: () => check({ choice: any, readData: 100 }),
        list: () => list({ choice: any }),
        browse: () => fixture.on.client.findSnapshots(fixture.request()),
        cleanUp,
      };
      for (const [name, work] of Object.entries(works)) {
        const { code, growth } = await growthOf(work);
        code.should.equal(expected[name], name);
        growth.should.be.below(300e6, name);
      }
    });
  }

  it('blobs that 100 missing packs contain are read from the one that is there, and a backup repairs the index', async () => {
    await withTree((disk) => {
      const content = [disk.addBlob(Buffer.from('text'), false)];
      const tree = treeBlob([{ ...common, name: 'file', type: 'file', content }]);
      return treeBlob([{ ...folder, subtree: disk.addBlob(tree, true) }]);
    });
    const disk = path.join(fixture.folder, 'disk');
    const { key, index } = await DiskRepository.open(disk);
    const stored = [...groupByPack(index)];
    const blobs = stored.flatMap((pack) => pack.blobs);
    const missing = Array.from({ length: 100 }, (_, number) => ({ id: idOf(Buffer.of(number)), blobs }));
    const [json] = indexFiles([...missing, ...stored]);
    await rm(path.join(disk, 'index'), { recursive: true });
    await mkdir(path.join(disk, 'index'));
    const sealed = seal(key, json!);
    await writeFile(path.join(disk, 'index', idOf(sealed)), sealed);
    await importFolder(fixture.on.drive, fixture.folderId, disk);
    await restore();
    (await contentsOf(target())).should.containEql({ 'folder/file': 'text' });
    should(await check({ readData: 100 })).have.property('files', 1);
    (await list()).should.have.length(2);
    await cleanUp();
    await fixture.check();
  });

  it('what can’t be created is reported, and the rest is restored', async () => {
    await withTree((disk) => {
      const content = [disk.addBlob(Buffer.from('text'), false)];
      const file = { ...common, name: 'file', type: 'file' as const, content };
      return treeBlob([file, { ...common, name: 'socket', type: 'socket' }]);
    });
    const { skipped, entries } = await restore();
    should(skipped).deepEqual([{ path: 'socket', reason: 'socket' }]);
    entries.should.equal(1);
    (await contentsOf(target())).should.deepEqual({ file: 'text' });
  });

  it('a tree with an unsafe name is bad_response, and nothing is written', async () => {
    await withTree((disk) => {
      const content = [disk.addBlob(Buffer.from('evil'), false)];
      const json = treeBlob([{ ...common, name: 'x', type: 'file', content }]).toString();
      return Buffer.from(json.replace('"name":"x"', '"name":"..\\\\x2fevil"'));
    });
    (await rejected(restore())).should.have.property('code', 'bad_response');
    (await rejected(stat(path.join(fixture.folder, 'evil')))).should.have.property('code', 'ENOENT');
  });

  it('folders that are nested too deeply are bad_response', async () => {
    await withTree((disk) => {
      let tree = treeBlob([]);
      for (let depth = 0; depth < 2_060; depth++) {
        tree = treeBlob([{ ...common, name: 'x', type: 'dir', subtree: disk.addBlob(tree, true) }]);
      }
      return tree;
    });
    for (const work of [restore, check]) {
      (await rejected(work())).should.have.property('code', 'bad_response');
    }
  });

  it('folders that contain each other again and again end a restore, and no backup', async () => {
    await withTree((disk) => {
      // The limit is one of bytes, so that it takes fewer visits of a large tree to exceed it.
      const content = Array<string>(200).fill(disk.addBlob(Buffer.from('x'), false));
      let tree = treeBlob([{ ...common, name: 'file', type: 'file', content, size: 200 }]);
      const names = Array.from('abcdefgh');
      for (let depth = 0; depth < 4; depth++) {
        const subtree = disk.addBlob(tree, true);
        tree = treeBlob(names.map((name) => ({ ...common, name, type: 'dir', subtree })));
      }
      return tree;
    });
    const error = await rejected(restore({ include: ['none'] }));
    error.should.have.properties({ code: 'bad_response', text: 'bad_response_repository_file' });
    should((error as DriveError).params).have.property('reason', 'repeated');
    await fixture.backUp();
    // Cleans up, for which each tree is read once.
    const { laterError, pruned } = await fixture.backUp({ retention: { ...RULES, keepNewest: 1 } });
    should(laterError).be.undefined();
    pruned.removed.should.have.length(1);
  });

  it('a full disk as cache and target changes nothing, and the error names it', async function () {
    if (!isRoot() || process.platform !== 'linux') return this.skip('needs root on Linux');
    const full = path.join(fixture.folder, 'full');
    await mkdir(full);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', full]);
    try {
      await mkdir(path.join(full, 'target'));
      await writeFile(path.join(full, 'target/old'), 'old');
      await rejects(writeFile(path.join(full, 'filling'), bytes(300_000)), { code: 'ENOSPC' });
      await writeFile(file('large'), large(1));
      const cacheFolder = path.join(full, 'cache');
      await fixture.backUp({ cacheFolder });
      (await fixture.backUp({ cacheFolder })).backup.should.have.property('unchangedFiles', 2);
      await fixture.check();
      const error = await rejected(
        restore({ cacheFolder, path: path.join(full, 'target'), overwrite: 'replace' }),
      );
      error.should.have.property('text', 'local_file_full');
      should((error as DriveError).params['path']).startWith(full);
      (await contentsOf(path.join(full, 'target'))).should.deepEqual({ old: 'old' });
      fixture.names('locks').should.be.empty();
    } finally {
      execFileSync('umount', [full]);
    }
  });

  it('a file with the number of an impossible user is named, and the rest is restored', async () => {
    await withTree((disk) => {
      const content = [disk.addBlob(Buffer.from('text'), false)];
      const file = { ...common, type: 'file' as const, content };
      return treeBlob([
        { ...file, name: 'group', gid: 2 ** 32 },
        { ...file, name: 'owner', uid: 2 ** 32 },
        { ...file, name: 'rest', uid: 2 ** 32 - 1, gid: 2 ** 32 - 1 },
        { ...file, name: 'size', size: 2 ** 60 },
      ]);
    });
    for (const error of [await rejected(restore()), await rejected(check())]) {
      error.should.have.property('text', 'bad_response_repository_damaged');
      should((error as DriveError).params).have.property('files', '/group, /owner, /size');
    }
    await restore({ include: ['rest'] });
    (await contentsOf(target())).should.deepEqual({ rest: 'text' });
    (await list()).should.have.length(4);
  });

  for (const [title, method] of [
    ['create', 'POST'],
    ['delete', 'DELETE'],
  ] as const) {
    it(`an account that may not ${title} files restores, checks and lists`, async () => {
      await writeFile(file('file'), 'text');
      await fixture.backUp();
      const reason = 'insufficientFilePermissions';
      fixture.on.drive.faults.add({ kind: 'error', reason, match: { method }, times: Infinity });
      await restore({ stripTop: true });
      (await contentsOf(target())).should.have.property('file', 'text');
      (await check()).should.have.property('files', 2);
      (await list()).length.should.be.aboveOrEqual(2);
    });
  }
});
