/** Backups as snapshots in restic's format, on the local drive, with restic as the judge. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import {
  link,
  mkdir,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { checkSnapshotBackup } from '../../../src/index';
import { describeTree, varyAttributes } from '../../support/archive/tree';
import { needsProgram } from '../../support/archive/programs';
import { rejected } from '../../support/client/rejected';
import { createTestClient } from '../../support/client/test-client';
import { bytes } from '../../support/content';
import { bindMount, unmount, useMountedDisk } from '../../support/mounted-disk';
import { RULES, SnapshotFixture } from '../../support/snapshots/snapshot-fixture';

describe('backups as snapshots', () => {
  const fixture = new SnapshotFixture();
  const file = (name: string): string => path.join(fixture.source, name);

  before(function () {
    needsProgram(this, 'restic');
  });

  /** Requests that create, change or remove something. */
  const changing = (): number =>
    fixture.on.drive.requests.all.filter(({ method }) => method !== 'GET').length;

  /** An MB of content that can't be compressed, of which each MB is a blob of its own. */
  const large = (megabytes: number, seed = 1): Buffer => bytes(megabytes * 1_000_000, seed);

  it('a first backup creates a repository in an empty folder, and restic restores the same tree', async () => {
    await fixture.useEmptyFolder();
    await mkdir(file('photos/empty'), { recursive: true });
    await writeFile(file('photos/large'), large(6));
    await writeFile(file('zeros'), '');
    await truncate(file('zeros'), 3_000_000);
    await writeFile(file('nothing'), '');
    await writeFile(Buffer.from(file('Latin-\xe4'), 'latin1'), 'umlaut');
    await writeFile(file('a "quote" \\ and <tab>\t'), 'odd');
    await link(file('notes.txt'), file('photos/linked'));
    await symlink('../notes.txt', file('photos/link'));
    await varyAttributes(fixture.source);
    const progress: number[] = [];
    const { snapshot, backup, pruned, laterError } = await fixture.backUp({
      tags: ['nightly'],
      onProgress: ({ sent }) => progress.push(sent),
    });
    should(laterError).be.undefined();
    snapshot.should.have.properties({ parent: null, hostname: 'pi', tags: ['nightly'] });
    snapshot.paths.should.eql([fixture.source]);
    snapshot.shortId.should.equal(snapshot.id.slice(0, 8));
    backup.should.have.properties({ complete: true, entries: 11, files: 7, folders: 3, newFiles: 7 });
    backup.should.have.properties({ changedFiles: 0, unchangedFiles: 0, changed: [], skipped: [] });
    backup.bytes.should.equal(9_000_000 + 2 * 5 + 6 + 3);
    should(progress.at(-1)).be.aboveOrEqual(6_000_000);
    pruned.should.eql({ kept: [], removed: [], failed: [], freedBytes: 0 });
    await fixture.check();
    const [listed] = JSON.parse(await fixture.restic('snapshots', '--json')) as {
      id: string;
      tree: string;
    }[];
    should(listed).have.properties({ id: snapshot.id, tree: snapshot.tree });
    should(await fixture.restored()).deepEqual(await describeTree(fixture.source));
    fixture.names('locks').should.be.empty();
  });

  it('a second backup stores what has changed, and counts new, changed and unchanged files', async () => {
    await writeFile(file('large'), large(10));
    await mkdir(file('gone'));
    await writeFile(file('gone/file'), 'file');
    await writeFile(file('folder-to-be'), 'file');
    const first = await fixture.backUp();
    await rm(file('gone'), { recursive: true });
    await rm(file('folder-to-be'));
    await mkdir(file('folder-to-be'));
    await writeFile(file('folder-to-be/new'), 'new');
    const content = large(10);
    // After the end of the first blob, wherever that is.
    content.fill(1, 9_000_000, 9_000_010);
    await writeFile(file('large'), content);
    const { snapshot, backup } = await fixture.backUp();
    should(snapshot.parent).equal(first.snapshot.id);
    backup.should.have.properties({ files: 3, newFiles: 1, changedFiles: 1, unchangedFiles: 1 });
    backup.addedBytes.should.be.within(500_000, 9_500_000);
    await fixture.check();
    should(await fixture.restored()).deepEqual(await describeTree(fixture.source));
  });

  it('a backup without changes only downloads its key and config, and takes at most thirteen requests', async () => {
    await writeFile(file('large'), large(1));
    await fixture.backUp();
    // Changes a folder above the source, and so its tree: that takes most requests. The packs are listed as well.
    await mkdir(path.join(fixture.folder, 'other'));
    fixture.on.drive.requests.clear();
    const { backup } = await fixture.backUp();
    backup.should.have.properties({ unchangedFiles: 2, newFiles: 0, changedFiles: 0 });
    const requests = fixture.on.drive.requests.all;
    const downloads = requests.filter(({ query }) => query.includes('alt=media'));
    const { files } = fixture.on.drive;
    const config = files.in(fixture.folderId).find(({ name }) => name === 'config')?.id;
    const ids = [config, fixture.idOf('keys', fixture.names('keys')[0] ?? '')];
    downloads.map(({ path: target }) => path.posix.basename(target)).should.eql(ids);
    requests.length.should.equal(backup.requests).and.be.belowOrEqual(13);
    backup.uploadedBytes.should.be.below(5_000);
  });

  it('a file of the same size and time whose inode or change time differs is read again', async () => {
    await utimes(file('notes.txt'), 1_600_000_000, 1_600_000_000);
    await fixture.backUp();
    await writeFile(file('other'), 'NOTES');
    await rename(file('other'), file('notes.txt'));
    await utimes(file('notes.txt'), 1_600_000_000, 1_600_000_000);
    const { backup } = await fixture.backUp();
    backup.should.have.properties({ changedFiles: 1, unchangedFiles: 0 });
    should(await fixture.restored()).deepEqual(await describeTree(fixture.source));
  });

  it('restic and this package continue each other’s snapshots, and store nothing twice', async () => {
    await writeFile(file('large'), large(2));
    await fixture.backUp();
    for (let round = 0; round < 2; round++) {
      await writeFile(file(`restic-${round}`), large(1, 10 + round));
      const output = await fixture.resticWrites('backup', '--host', 'pi', '--json', fixture.source);
      const summary = JSON.parse(output.trim().split('\n').at(-1)!) as Record<string, string>;
      should(summary).have.properties({ files_new: 1, files_changed: 0 });
      should(Number(summary['data_added'])).be.within(1_000_000, 1_100_000);
      await writeFile(file(`ours-${round}`), large(1, 20 + round));
      const { snapshot, backup } = await fixture.backUp();
      should(snapshot.parent).startWith(summary['snapshot_id'] ?? '-');
      backup.should.have.properties({ newFiles: 1, changedFiles: 0, unchangedFiles: 2 + 2 * round + 1 });
      backup.addedBytes.should.be.within(1_000_000, 1_100_000);
      await fixture.check();
    }
    await fixture.resticWrites('forget', '--keep-last', '1', '--prune', '--max-unused', '0');
    const { backup } = await fixture.backUp();
    backup.should.have.properties({ newFiles: 0, changedFiles: 0, unchangedFiles: 6 });
    await fixture.check();
  });

  it('several sources are in one snapshot, with their paths, and exclusions count for each', async () => {
    const other = path.join(fixture.folder, 'other');
    await mkdir(path.join(other, 'node_modules/x'), { recursive: true });
    await writeFile(path.join(other, 'kept'), 'kept');
    await writeFile(file('skipped.tmp'), 'temporary');
    const single = path.join(fixture.folder, 'single.txt');
    await writeFile(single, 'single');
    const sources = [other, fixture.source, single];
    const { snapshot, backup } = await fixture.backUp({ sources, exclude: ['node_modules', '*.tmp'] });
    snapshot.paths.should.eql(sources);
    backup.should.have.properties({ files: 3, folders: 2, entries: 5 });
    const listed = await fixture.restic('ls', 'latest');
    for (const name of ['other/kept', 'home/notes.txt', 'single.txt']) listed.should.containEql(`/${name}\n`);
    listed.should.not.match(/node_modules|skipped/);
    const again = await fixture.backUp({
      sources: [...sources].reverse(),
      exclude: ['node_modules', '*.tmp'],
    });
    should(again.snapshot.parent).equal(snapshot.id);
    again.backup.should.have.property('unchangedFiles', 3);
    await fixture.check();
  });

  it('a source inside another one is read with it, although it is excluded there', async () => {
    await mkdir(file('cache/kept'), { recursive: true });
    await writeFile(file('cache/kept/file'), 'kept');
    await writeFile(file('cache/other'), 'excluded');
    for (const sources of [
      [fixture.source, file('cache/kept')],
      [file('cache/kept'), fixture.source],
    ]) {
      const { snapshot, backup } = await fixture.backUp({ sources, exclude: ['cache/*', 'cache'] });
      snapshot.paths.should.eql(sources);
      backup.should.have.property('files', 2);
      const listed = await fixture.restic('ls', snapshot.id);
      listed.should
        .match(/home\/cache\/kept\/file\n/)
        .and.match(/home\/notes.txt\n/)
        .and.not.match(/other/);
    }
  });

  it('a source that is a link in another one is read, in any order', async () => {
    const disk = path.join(fixture.folder, 'disk');
    await mkdir(disk);
    await writeFile(path.join(disk, 'photo'), 'photo');
    await symlink(disk, file('usb'));
    for (const sources of [
      [fixture.source, file('usb')],
      [file('usb'), fixture.source],
    ]) {
      await fixture.backUp({ sources });
      const listed = await fixture.restic('ls', 'latest');
      listed.should.match(/home\/usb\/photo\n/).and.match(/home\/notes.txt\n/);
    }
    await fixture.check();
  });

  it('devices and FIFOs are recorded, and sockets are skipped', async function () {
    execFileSync('mkfifo', [file('fifo')]);
    try {
      execFileSync('mknod', [file('null'), 'c', '1', '3'], { stdio: 'ignore' });
    } catch {
      this.skip('this system makes no devices');
    }
    const server = createServer().listen(file('socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    const { backup, laterError } = await fixture.backUp().finally(() => server.close());
    should(laterError).be.undefined();
    backup.skipped.should.eql([{ path: 'home/socket', reason: 'socket' }]);
    backup.complete.should.be.true();
    await fixture.check();
    const listed = await fixture.restic('ls', '-l', 'latest');
    listed.should.match(/Dcrw.* 1,? *3? .*home\/null|Dcrw.*home\/null/).and.match(/prw.*home\/fifo/);
  });

  it('what can’t be a backup is refused without a request', async () => {
    const refused = { passphrase: 'short', code: 'invalid_input_repository_passphrase_short' };
    await rejected(fixture.backUp({ passphrase: refused.passphrase }), 'invalid_input', refused.code);
    await rejected(
      checkSnapshotBackup(fixture.request({ passphrase: '1234567' })),
      'invalid_input',
      refused.code,
    );
    await rejected(
      fixture.backUp({ sources: [file('missing')] }),
      'local_file',
      'local_file_no_backup_source',
    );
    await mkdir(file('empty'));
    await rejected(
      fixture.backUp({ sources: [file('empty')] }),
      'invalid_input',
      'invalid_input_source_empty',
    );
    await rejected(fixture.backUp({ sources: [] }), 'invalid_input', 'invalid_input_no_source');
    fixture.on.drive.requests.all.should.be.empty();
  });

  it('a wrong passphrase, and a folder with other content, change nothing', async () => {
    await fixture.backUp();
    const before = changing();
    await rejected(
      fixture.backUp({ passphrase: 'wrong passphrase' }),
      'invalid_input',
      'invalid_input_repository_passphrase',
    );
    changing().should.equal(before);
    const foreign = await fixture.on.drive.files.addFolder('Photos');
    await fixture.on.drive.files.add({ name: 'photo.jpg', parent: foreign, content: 'photo' });
    const error = await rejected(
      fixture.backUp({ folderId: foreign }),
      'conflict',
      'conflict_repository_folder',
    );
    should(error.params).have.property('name', 'photo.jpg');
    fixture.on.drive.files.names(foreign).should.eql(['photo.jpg']);
  });

  it('a repository whose config was removed is never given another one', async () => {
    await fixture.backUp();
    const { files } = fixture.on.drive;
    const config = files.in(fixture.folderId).find(({ name }) => name === 'config');
    await files.remove(config?.id ?? '');
    const before = changing();
    await rejected(fixture.backUp({}, {}, createTestClient(fixture.on.drive.url).client), 'bad_response');
    changing().should.equal(before);
  });

  it('snapshots are listed newest first, and a folder without a repository is not found', async () => {
    const client = fixture.on.client;
    await fixture.useEmptyFolder();
    await rejected(client.findSnapshots(fixture.request()), 'not_found', 'not_found_repository');
    const first = await fixture.backUp({ tags: ['a'] });
    const second = await fixture.backUp();
    should((await client.findSnapshots(fixture.request())).snapshots).deepEqual([
      second.snapshot,
      first.snapshot,
    ]);
    fixture.names('locks').should.be.empty();
  });

  it('the cache may be deleted or damaged at any time', async () => {
    await writeFile(file('large'), large(1));
    await fixture.backUp();
    const cache = path.join(fixture.folder, 'cache');
    const damage = async (folder: string): Promise<void> => {
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        const each = path.join(folder, entry.name);
        if (entry.isDirectory()) await damage(each);
        else await writeFile(each, 'damaged');
      }
    };
    for (const spoil of [damage, (folder: string) => rm(folder, { recursive: true })]) {
      await spoil(cache);
      const { backup } = await fixture.backUp();
      backup.should.have.properties({ unchangedFiles: 2, newFiles: 0 });
    }
    await fixture.check();
  });

  it('another client of the same process continues with the same parent', async () => {
    const first = await fixture.backUp();
    const other = createTestClient(fixture.on.drive.url);
    const { snapshot } = await fixture.backUp({}, {}, other.client).finally(() => other.close());
    should(snapshot.parent).equal(first.snapshot.id);
  });

  describe('on a disk whose times are whole seconds', () => {
    const onDisk = useMountedDisk('ext4-whole-seconds');

    it('a file that changes in the second in which it was stored is read again', async () => {
      const name = onDisk('file');
      let isSameTime = false;
      for (let round = 0; !isSameTime; round++) {
        await writeFile(name, `a${round}`);
        const { mtimeMs, ctimeMs } = await stat(name);
        await fixture.backUp({ sources: [onDisk()] });
        await writeFile(name, `b${round}`);
        const later = await stat(name);
        isSameTime = later.mtimeMs === mtimeMs && later.ctimeMs === ctimeMs;
        const { backup } = await fixture.backUp({ sources: [onDisk()] });
        backup.should.have.properties({ changedFiles: 1, unchangedFiles: 0 });
        const restored = await fixture.restored('latest', onDisk());
        restored.should.deepEqual(await describeTree(onDisk()));
      }
    });
  });

  for (const kind of ['exfat', 'fat'] as const)
    describe(`on ${kind}`, () => {
      const onDisk = useMountedDisk(kind);
      const ours = (): Promise<unknown> => fixture.backUp({ sources: [onDisk()] });
      const restics = (): Promise<unknown> => fixture.resticWrites('backup', '--host', 'pi', onDisk());

      /** As two writes do that a disk can't tell apart. */
      const write = async (content: string, time: number): Promise<number[]> => {
        await writeFile(onDisk('file'), content);
        await utimes(onDisk('file'), time, time);
        const { mtimeMs, ctimeMs, ino } = await stat(onDisk('file'));
        return [mtimeMs, ctimeMs, ino];
      };

      for (const [behind, clock] of [
        [0, 'is right'],
        [1800, 'is half an hour behind'],
      ] as const)
        for (const [parent, first] of [
          ['this package', ours],
          ['restic', restics],
        ] as const)
          it(`a file that changes in the step of time in which ${parent} stored it is read again if the disk’s clock ${clock}`, async () => {
            const time = Math.floor(Date.now() / 2000) * 2 - behind;
            const stored = await write('one', time);
            await first();
            should(await write('two', time)).eql(stored);
            const { backup } = await fixture.backUp({ sources: [onDisk()] });
            backup.should.have.properties({ changedFiles: 1, unchangedFiles: 0 });
            const restored = await fixture.restored('latest', onDisk());
            restored.should.deepEqual(await describeTree(onDisk()));
          });

      for (const [parent, first] of [
        ['this package', ours],
        ['restic', restics],
      ] as const)
        it(`a file whose time is older than the snapshot of ${parent} isn’t read again`, async () => {
          await write('old', 1_700_000_000);
          await first();
          const { backup } = await fixture.backUp({ sources: [onDisk()] });
          backup.should.have.properties({ changedFiles: 0, unchangedFiles: 1 });
        });
    });

  it('a file whose time isn’t older than the run that stored it is read again by each run', async () => {
    await utimes(file('notes.txt'), new Date(), new Date(Date.now() + 3_600_000));
    for (const what of ['newFiles', 'changedFiles', 'changedFiles'])
      (await fixture.backUp()).backup.should.have.property(what, 1);
    await fixture.check();
  });

  it('a file whose time is years ahead isn’t read by each run', async () => {
    await utimes(file('notes.txt'), new Date(), new Date('2099-01-01T00:00:00Z'));
    (await fixture.backUp()).backup.should.have.property('newFiles', 1);
    (await fixture.backUp()).backup.should.have.property('unchangedFiles', 1);
  });

  describe('with a disk that is mounted inside the source', () => {
    const disk = useMountedDisk('ext4');
    const usb = (): string => file('usb');
    const retention = { ...RULES, keepNewest: 1, minimum: 0 };

    beforeEach(async () => {
      await writeFile(disk('photo'), 'photo');
      bindMount(disk(), usb());
    });
    afterEach(() => {
      while (spawnSync('umount', [usb()]).status === 0);
    });

    const LOSSES: readonly [title: string, first: () => Promise<unknown>, lose: () => Promise<unknown>][] = [
      ['an empty folder is left', () => fixture.backUp(), () => Promise.resolve()],
      ['no folder is left', () => fixture.backUp(), () => rmdir(usb())],
      ['its folder has another file', () => fixture.backUp(), () => writeFile(file('usb/other'), '')],
      [
        'restic has stored the snapshot with it',
        () => fixture.resticWrites('backup', fixture.source, '--host', 'pi'),
        () => Promise.resolve(),
      ],
    ];
    for (const [title, first, lose] of LOSSES)
      it(`if a disk in the source is unmounted and ${title}, snapshots are incomplete until it is mounted again`, async () => {
        await first();
        const [stored = ''] = fixture.names('snapshots');
        unmount(usb());
        await lose();
        for (let run = 0; run < 2; run++) {
          const { backup, laterError } = await fixture.backUp({ retention });
          backup.complete.should.be.false();
          should(laterError).have.properties({ text: 'partial_failure_snapshot_mount_lost' });
          should(laterError?.params['paths']).equal(usb());
          fixture.names('snapshots').should.containEql(stored);
        }
        bindMount(disk(), usb());
        const { snapshot, laterError } = await fixture.backUp({ retention });
        should(laterError).be.undefined();
        fixture.names('snapshots').should.eql([snapshot.id]);
        await fixture.check();
      });

    for (const [title, more] of [
      ['its folder is excluded', { exclude: ['usb'] }],
      ['the change is accepted', { acceptChange: true }],
    ] as const)
      it(`a snapshot without an unmounted disk is complete if ${title}`, async () => {
        await fixture.backUp();
        unmount(usb());
        const { snapshot, laterError } = await fixture.backUp({ retention, ...more });
        should(laterError).be.undefined();
        fixture.names('snapshots').should.eql([snapshot.id]);
        const { laterError: next } = await fixture.backUp({ retention, exclude: more.exclude ?? [] });
        should(next).be.undefined();
      });

    it('a snapshot is incomplete if a disk in the source is unmounted during the first run, before it is read', async () => {
      await writeFile(file('large'), large(20));
      let isGone = false;
      const onProgress = ({ bytes: read }: { bytes: number }): void => {
        if (isGone || read === 0) return;
        isGone = true;
        unmount(usb());
      };
      const { laterError } = await fixture.backUp({ retention, onProgress });
      should(laterError).have.properties({ text: 'partial_failure_snapshot_mount_lost' });
    });
  });
});
