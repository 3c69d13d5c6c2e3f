/** Backups into a repository of which something is damaged or missing. */
import { chmod, lchown, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { type RecordedRequest, TestClock } from '../../../local-drive';
import type { FileRecord } from '../../../local-drive/storage/file-record';
import { needsProgram } from '../../../support/archive/programs';
import { contentsOf, describeTree } from '../../../support/archive/tree';
import { bytes } from '../../../support/content';
import { addRepository } from '../../../support/snapshots/drive-repository';
import { DiskRepository } from '../../../support/snapshots/disk-repository';
import { withoutRestic } from '../../../support/snapshots/restic-oracle';
import { PASSPHRASE, RULES, SnapshotFixture } from '../../../support/snapshots/snapshot-fixture';
import type { DriveError } from '../../../../src/index';
import { idOf } from '../../../../src/backup/restic/crypto';
import { createKeyFile } from '../../../../src/backup/restic/keys';

/** s */
const DAY = 24 * 3_600;

describe('backups into a damaged repository', () => {
  const clock = new TestClock(Date.parse('2024-05-17T10:00:00Z'));
  const fixture = new SnapshotFixture({ clock });
  const file = (name: string): string => path.join(fixture.source, name);

  before(function () {
    needsProgram(this, 'restic');
  });

  beforeEach(() => {
    withoutRestic('each test damages its repository');
  });

  const dropCache = (): Promise<void> =>
    rm(path.join(fixture.folder, 'cache'), { recursive: true, force: true });

  /** Largest first: packs are uploaded in parallel, and where they are cut is random. */
  function packRecords(): Readonly<FileRecord>[] {
    const { files } = fixture.on.drive;
    const data = files.in(fixture.folderId).find(({ name }) => name === 'data');
    const packs = files.in(data?.id ?? '').flatMap(({ id }) => files.in(id));
    return packs.sort((a, b) => (b.content?.size ?? 0) - (a.content?.size ?? 0));
  }

  /** Replaces the content of a file under its name. */
  async function change({ id, name, parent = '' }: Readonly<FileRecord>, content: Buffer): Promise<void> {
    await fixture.on.drive.files.remove(id);
    await fixture.on.drive.files.add({ name, parent, content, mimeType: 'application/octet-stream' });
  }

  it('a damaged tree of the parent is stored again, and the snapshot is complete', async () => {
    await mkdir(file('folder'));
    await writeFile(file('folder/file'), bytes(600_000));
    await fixture.backUp();
    // The data is larger.
    const [, trees] = packRecords();
    const content = await fixture.on.drive.files.contentOf(trees!.id);
    content.writeUInt8(content.readUInt8(100) ^ 1, 100);
    await change(trees!, content);
    await dropCache();
    clock.advance(1);
    const { backup, damagedPacks, snapshot } = await fixture.backUp();
    damagedPacks.should.equal(1);
    backup.should.have.properties({ complete: true, files: 2 });
    backup.uploadedBytes.should.be.below(100_000);
    await dropCache();
    (await fixture.backUp()).should.have.properties({ damagedPacks: 0 });
    should(await fixture.restored(snapshot.id)).deepEqual(await describeTree(fixture.source));
    await fixture.resticWrites('rebuild-index', '--read-all-packs');
  });

  it('folders that were found in a pack before it turns out to be missing are stored again, too', async () => {
    for (const name of ['m', 'z']) {
      await mkdir(file(name));
      await writeFile(file(`${name}/file`), bytes(100_000, name.charCodeAt(0)));
    }
    await fixture.backUp();
    // The data is larger.
    const [, trees] = packRecords();
    await writeFile(file('new'), 'new');
    await fixture.backUp();
    await fixture.on.drive.files.remove(trees!.id);
    await dropCache();
    // It isn't known under this name, which comes before the others.
    await rename(file('m'), file('a'));
    clock.advance(1);
    const { damagedPacks, backup } = await fixture.backUp();
    damagedPacks.should.equal(1);
    backup.should.have.properties({ complete: true, files: 4, folders: 3 });
    const target = path.join(fixture.folder, 'target');
    const place = { path: target, overwrite: 'error', stripTop: true } as const;
    await fixture.on.client.restoreSnapshot({ ...fixture.query(), ...place });
    should(await contentsOf(target)).deepEqual(await contentsOf(fixture.source));
  });

  it('folders are stored again only once if they can’t be read afterwards either', async () => {
    await mkdir(file('folder'));
    await writeFile(file('folder/file'), 'content');
    const cacheFolder = path.join(fixture.folder, 'no-folder');
    await writeFile(cacheFolder, '');
    await fixture.backUp({ cacheFolder });
    const isPack = ({ path: target, query }: RecordedRequest): boolean =>
      query.includes('alt=media') && fixture.packIds().includes(path.posix.basename(target));
    // Of the folder, which is stored first.
    fixture.on.drive.faults.add({ kind: 'corrupt', at: 100, match: { when: isPack }, times: 20 });
    (await fixture.backUp({ cacheFolder })).damagedPacks.should.equal(1);
    fixture.on.drive.faults.clear();
    should(await fixture.restored()).deepEqual(await describeTree(fixture.source));
  });

  for (const [when, hours] of [
    ['at once', 0],
    ['on another day', 25],
  ] as const) {
    it(`packs that someone has removed are noticed by the next backup, ${when}, and stored again`, async () => {
      await writeFile(file('large'), bytes(9_000_000));
      await fixture.backUp();
      const [lost, truncated, ...left] = packRecords();
      await fixture.on.drive.files.remove(lost!.id);
      const content = await fixture.on.drive.files.contentOf(truncated!.id);
      await change(truncated!, content.subarray(0, content.length / 2));
      left.length.should.be.above(0);
      clock.advance(hours * 3_600);
      const { backup, damagedPacks } = await fixture.backUp();
      damagedPacks.should.equal(2);
      backup.addedBytes.should.be.within(3_000_000, 9_010_000);
      should(await fixture.restored()).deepEqual(await describeTree(fixture.source));
      // The index isn't needed for them any more.
      await fixture.check();
      (await fixture.backUp()).should.have.properties({ damagedPacks: 0 });
    });
  }

  it('a pack that one list lacks isn’t stored again', async () => {
    await writeFile(file('large'), bytes(2_000_000));
    await fixture.backUp();
    const record = packRecords()[0] as FileRecord;
    const { name } = record;
    record.name = 'hidden';
    fixture.on.clock.onSleep = () => (record.name = name);
    const { backup, damagedPacks } = await fixture.backUp();
    damagedPacks.should.equal(0);
    // The folders above the source may have changed, and the file has 2 MB.
    backup.addedBytes.should.be.below(100_000);
  });

  it('nothing is cleaned up while a pack that an older snapshot needs is missing', async () => {
    await writeFile(file('large'), bytes(9_000_000));
    await fixture.backUp();
    await rm(file('large'));
    await fixture.backUp();
    await fixture.on.drive.files.remove(packRecords()[0]!.id);
    for (const days of [2, 1]) {
      clock.advance(days * DAY);
      await fixture.backUp();
    }
    const { damagedPacks, laterError } = await fixture.backUp({ retention: { ...RULES, keepNewest: 10 } });
    damagedPacks.should.equal(1);
    should(laterError).have.property('text', 'partial_failure_clean_up');
  });

  it('of two files with one name, the one that was stored completely is read', async () => {
    await writeFile(file('large'), bytes(1_000_000));
    await fixture.backUp();
    const { files } = fixture.on.drive;
    const folders = files.in(fixture.folderId).filter(({ name }) => name !== 'config');
    const stored = folders.flatMap(({ id }) => files.in(id));
    const all = [...stored, ...packRecords()].filter(({ name }) => name.length === 64);
    for (const each of all) {
      const content = await files.contentOf(each.id);
      await change(each, content.subarray(0, content.length / 2));
      await files.add({ name: each.name, parent: each.parent ?? '', content });
    }
    all.length.should.be.aboveOrEqual(5);
    await dropCache();
    const { backup } = await fixture.backUp();
    backup.should.have.properties({ unchangedFiles: 2, newFiles: 0 });
  });

  it('of two index files with one name and size, the one that isn’t damaged is read', async () => {
    await fixture.backUp();
    const { files } = fixture.on.drive;
    const folder = files.in(fixture.folderId).find(({ name }) => name === 'index');
    const [index] = files.in(folder?.id ?? '');
    const content = await files.contentOf(index!.id);
    const damaged = Buffer.from(content);
    damaged.writeUInt8(damaged.readUInt8(20) ^ 1, 20);
    await change(index!, damaged);
    clock.advance(1);
    await files.add({ name: index!.name, parent: index!.parent ?? '', content });
    await dropCache();
    const { backup } = await fixture.backUp();
    backup.should.have.properties({ unchangedFiles: 1 });
  });

  /** As on a drive that loses bytes, or where someone changes or deletes a file. */
  const DAMAGES: Record<string, ((content: Buffer) => Buffer) | undefined> = {
    changed: (content) => {
      content.writeUInt8(content.readUInt8(content.length >> 1) ^ 1, content.length >> 1);
      return content;
    },
    truncated: (content) => content.subarray(0, content.length >> 1),
    emptied: (content) => content.subarray(0, 0),
    missing: undefined,
  };

  async function useNewRepository(): Promise<void> {
    await fixture.useEmptyFolder();
    await addRepository(fixture.on.drive, fixture.folderId, PASSPHRASE);
  }

  function stored(type: string): Readonly<FileRecord>[] {
    const { files } = fixture.on.drive;
    const top = files.in(fixture.folderId);
    if (type === 'config') return top.filter(({ name }) => name === 'config');
    if (type === 'trees') return packRecords().slice(-1);
    return top.filter(({ name }) => name === type).flatMap(({ id }) => files.in(id));
  }

  async function damage(type: string, how: keyof typeof DAMAGES): Promise<void> {
    const edit = DAMAGES[how];
    for (const each of stored(type)) {
      if (edit) await change(each, edit(Buffer.from(await fixture.on.drive.files.contentOf(each.id))));
      else await fixture.on.drive.files.remove(each.id);
    }
  }

  for (const type of ['config', 'keys', 'index', 'snapshots', 'trees']) {
    it(`a check reads ${type} from the drive, whatever this machine has cached`, async () => {
      const check = (cacheFolder: string): Promise<unknown> =>
        fixture.on.client
          .checkSnapshot({
            ...fixture.query(),
            ...{ readData: 0, maxAge: 0, depth: 'content' as const },
            cacheFolder: path.join(fixture.folder, cacheFolder),
          })
          .then(
            () => 'ok',
            ({ code, text }: DriveError) => [code, text],
          );
      for (const how of Object.keys(DAMAGES)) {
        await useNewRepository();
        await writeFile(file('file'), bytes(100_000));
        await fixture.backUp();
        should(await check('cache')).equal('ok');
        await damage(type, how);
        const found = await check('cache');
        should(found).not.equal('ok', `${type} ${how}`);
        // As another machine does, whose cache is empty.
        should(found).deepEqual(await check(`other-${how}`));
      }
    });
  }

  it('a check of the age reads config, keys and the newest snapshot from the drive', async () => {
    for (const type of ['config', 'keys', 'snapshots']) {
      await useNewRepository();
      await fixture.backUp();
      await damage(type, 'changed');
      const options = { readData: 0, maxAge: 1, depth: 'age' } as const;
      await fixture.on.client
        .checkSnapshot({ ...fixture.query(), ...options })
        .should.be.rejectedWith({ code: 'bad_response' });
    }
  });

  for (const type of ['config', 'keys']) {
    it(`a backup fails if ${type} was changed or removed on the drive, before it or during it`, async () => {
      const retention = { ...RULES, keepNewest: 1 };
      for (const how of Object.keys(DAMAGES)) {
        for (const isDuring of how === 'missing' ? [true] : [false, true]) {
          await useNewRepository();
          await fixture.backUp();
          clock.advance(1);
          // The lock is the first file that a backup writes.
          const when = ({ path: target }: RecordedRequest): boolean => target.startsWith('/upload/');
          if (!isDuring) await damage(type, how);
          const until = (): Promise<void> => damage(type, how);
          if (isDuring) fixture.on.drive.faults.add({ kind: 'delay', until, match: { when }, times: 1 });
          await fixture.backUp({ retention }).should.be.rejectedWith({ code: 'bad_response' });
          fixture.names('snapshots').should.have.length(2);
        }
      }
    });
  }

  it('a backup succeeds if the passphrase gets another key file meanwhile', async () => {
    await fixture.backUp();
    const { key } = await DiskRepository.open(await fixture.exported(), PASSPHRASE);
    const owner = { host: 'pi', username: 'root', created: 0, params: { N: 16, r: 8, p: 1 } };
    const content = await createKeyFile(key, PASSPHRASE, owner);
    const when = ({ path: target }: RecordedRequest): boolean => target.startsWith('/upload/');
    const until = async (): Promise<void> => {
      const [old] = stored('keys');
      const { files } = fixture.on.drive;
      await files.add({ name: idOf(content), parent: old!.parent ?? '', content });
      await files.remove(old!.id);
    };
    fixture.on.drive.faults.add({ kind: 'delay', until, match: { when }, times: 1 });
    (await fixture.backUp()).should.not.have.property('laterError');
  });

  it('folders that exist twice are reported', async () => {
    (await fixture.backUp()).duplicateFolders.should.be.empty();
    await fixture.on.drive.files.addFolder('index', fixture.folderId);
    (await fixture.backUp()).duplicateFolders.should.eql(['index']);
  });

  it('a cache folder that others may write to, or that is a link of another user, isn’t used', async function () {
    if (process.getuid?.() !== 0) this.skip('needs root');
    const cacheFolder = path.join(fixture.folder, 'shared');
    await mkdir(cacheFolder);
    await chmod(cacheFolder, 0o777);
    await fixture.backUp({ cacheFolder });
    (await readdir(cacheFolder)).should.be.empty();
    await chmod(cacheFolder, 0o700);
    const link = path.join(fixture.folder, 'link');
    await symlink(cacheFolder, link);
    await lchown(link, 65_534, 65_534);
    await fixture.backUp({ cacheFolder: link });
    (await readdir(cacheFolder)).should.be.empty();
    await fixture.backUp({ cacheFolder });
    (await readdir(cacheFolder)).should.have.length(1);
  });
});
