/** Archives that lack a part of their source: docs/nodes/backup.md, "Incomplete archives". */
import { execFile as execFileCallback, execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, rmdirSync, truncateSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import type { Context } from 'mocha';
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import type { BackupRequest, BackupResult } from '../../../src/index';
import { BackupFixture, NO_RULES } from '../../support/archive/backup-fixture';
import { rejected } from '../../support/client/rejected';
import { createTestClient } from '../../support/client/test-client';
import { bytes } from '../../support/content';
import { bindMount, mountDeadDisk, unmount, useMountedDisk } from '../../support/mounted-disk';

const execFile = promisify(execFileCallback);
const CHILD = require.resolve('../../support/client/backup-child');

const KEEP_ONE = { ...NO_RULES, keepNewest: 1, minimum: 0 };
const RECIPIENT = 'age1d7tfe93h80x6akt6xvvtjx9yhznymrjweeeklxfxt67wd9pl29kqwjvn5y';
/** More than what is sent in one request. */
const LARGE = 6_000_000;

describe('incomplete archives', () => {
  // Node.js can't remove folders whose paths are too long.
  afterEach(() => execFileSync('rm', ['-rf', fixture.source]));
  const fixture = new BackupFixture();

  /** A folder that not even root can read, because its path is too long. */
  function makeUnreadable(): void {
    const script =
      'const name = "n".repeat(200); for (let i = 0; i < 30; i++) fs.mkdirSync(name), process.chdir(name)';
    execFileSync(process.execPath, ['-e', script], { cwd: fixture.source });
  }
  const makeReadable = (): void => void execFileSync('rm', ['-r', fixture.disk('home', 'n'.repeat(200))]);

  const backup = (more: Partial<BackupRequest> = {}, client = fixture.client): Promise<BackupResult> =>
    fixture.backup({ fields: 'id,name', ...more }, {}, client);
  const add = fixture.add.bind(fixture);
  const names = (): string[] => fixture.drive.files.untrashedNames(fixture.folderId).sort();

  for (const [size, title] of [
    [10, 'small'],
    [LARGE, 'large'],
  ] as const) {
    it(`a ${title} archive that lacks a folder is marked in its name, removes nothing, and is not renamed`, async () => {
      await writeFile(fixture.disk('home', 'file'), bytes(size));
      makeUnreadable();
      await add('home-0001.tar.gz');
      const retention = KEEP_ONE;
      const { file, backup: info, pruned, laterError } = await backup({ retention, mode: 'permanent' });
      file.name!.should.equal('home-0002.incomplete.tar.gz');
      info.should.have.properties({ complete: false, number: 2 });
      should(laterError).have.properties({ code: 'partial_failure', text: 'partial_failure_unread' });
      should(laterError?.params).have.property('name', file.name);
      should(laterError?.params['files']).match(/^home\/n+\/.* \(ENAMETOOLONG\)/);
      should(laterError?.params['count']).equal(info.skipped.length);
      pruned.should.eql({ kept: [], removed: [], failed: [] });
      names().should.eql(['home-0001.tar.gz', 'home-0002.incomplete.tar.gz']);
      fixture.drive.requests.to('PATCH').should.be.empty();
    });
  }

  /** Backs up as a user who isn't root, and keeps one archive. @returns what was skipped */
  async function backupInChild(test: Context): Promise<unknown> {
    const user = process.geteuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    if (spawnSync('cat', [CHILD], user).status !== 0) {
      test.skip('another user can’t read the repository');
    }
    const env = { ...process.env, NODE_V8_COVERAGE: undefined };
    const parameters = [fixture.drive.url, fixture.folderId, fixture.source, '', '1'];
    const command = ['--require', 'tsx/cjs', CHILD, ...parameters];
    const { stdout } = await execFile(process.execPath, command, { ...user, env });
    return (JSON.parse(stdout) as { skipped: unknown }).skipped;
  }

  it('one unreadable folder makes the archive of an ordinary user incomplete, and the complete one stays', async function () {
    if (process.platform === 'win32') this.skip('not on Windows');
    for (let index = 0; index < 50; index++) await writeFile(fixture.disk('home', String(index)), 'content');
    await mkdir(fixture.disk('home', 'closed'));
    await chmod(fixture.disk('home', 'closed'), 0);
    await chmod(fixture.disk(), 0o755);
    await add('home-0001.tar.gz');
    const skipped = await backupInChild(this);
    should(skipped).eql([{ path: 'home/closed', reason: 'EACCES' }]);
    names().should.eql(['home-0001.tar.gz', 'home-0002.incomplete.tar.gz']);
  });

  it('a large archive has the name of an incomplete one until it is verified', async () => {
    await writeFile(fixture.disk('home', 'file'), bytes(LARGE));
    const seen: string[][] = [];
    const until = (): Promise<void> => Promise.resolve(void seen.push(names()));
    fixture.drive.faults.add({ kind: 'delay', until, match: { method: 'PATCH' } });
    const { file, backup: info } = await backup();
    seen.should.eql([['home-0001.incomplete.tar.gz']]);
    names().should.eql(['home-0001.tar.gz']);
    file.should.eql({ id: file.id, name: 'home-0001.tar.gz' });
    info.complete.should.be.true();
  });

  it('a large archive gets its name on a custom service that refuses fields', async () => {
    await writeFile(fixture.disk('home', 'file'), bytes(LARGE));
    const match = { query: /webViewLink/ };
    fixture.drive.faults.add({ kind: 'response', status: 400, match, times: Infinity });
    const custom = createTestClient(fixture.drive.url, { service: { can: CAPABILITIES.custom } });
    const { laterError } = await backup({ fields: 'id,name,webViewLink' }, custom.client);
    custom.close();
    should(laterError).be.undefined();
    names().should.eql(['home-0001.tar.gz']);
  });

  it('a complete archive that can’t be renamed removes nothing, and the error says so', async () => {
    await writeFile(fixture.disk('home', 'file'), bytes(LARGE));
    await add('home-0001.tar.gz');
    for (const kind of ['google', 'custom'] as const) {
      const test = createTestClient(fixture.drive.url, { service: { can: CAPABILITIES[kind] } });
      fixture.drive.faults.add({ kind: 'response', status: 405, match: { method: 'PATCH' } });
      const { file, backup: info, laterError } = await backup({ retention: KEEP_ONE }, test.client);
      test.close();
      info.complete.should.be.false();
      file.name!.should.match(/^home-000\d\.incomplete\.tar\.gz$/);
      should(laterError).have.properties({ code: 'partial_failure', text: 'partial_failure_not_renamed' });
      should(laterError?.params).have.property('target', file.name!.replace('.incomplete', ''));
      names().should.containEql('home-0001.tar.gz');
    }
  });

  it('a service without upload sessions gets the right name in the only request', async () => {
    await writeFile(fixture.disk('home', 'file'), bytes(LARGE));
    const refuse = { kind: 'error', reason: 'badRequest', status: 501 } as const;
    fixture.drive.faults.add({ ...refuse, match: { query: /uploadType=resumable/ }, times: Infinity });
    const custom = createTestClient(fixture.drive.url, { service: { can: CAPABILITIES.custom } });
    await backup({}, custom.client);
    makeUnreadable();
    await backup({}, custom.client);
    custom.close();
    names().should.eql(['home-0001.tar.gz', 'home-0002.incomplete.tar.gz']);
    fixture.drive.requests.to('PATCH').should.be.empty();
  });

  for (const [title, retention, targetName] of [
    ['with rules', KEEP_ONE, '{name}-{number}'],
    ['without rules', undefined, '{name}-{number}'],
    ['without rules and number', undefined, '{name} {date}'],
  ] as const) {
    for (const mode of ['trash', 'permanent'] as const) {
      it(`the next complete backup ${title} removes incomplete archives by ${mode}`, async () => {
        makeUnreadable();
        const incomplete = [await backup({ targetName }), await backup({ targetName })];
        await add('work-0001.incomplete.tar.gz');
        await add('home-0001.incomplete.zip');
        makeReadable();
        const { file, pruned, laterError } = await backup({ targetName, mode, retention });
        should(laterError).be.undefined();
        pruned.removed
          .map(({ id }) => id)
          .sort()
          .should.eql(incomplete.map((each) => each.file.id).sort());
        names().should.eql(['home-0001.incomplete.zip', 'work-0001.incomplete.tar.gz', file.name].sort());
        should(fixture.drive.files.find(incomplete[0]!.file.id)?.trashed).equal(
          mode === 'trash' ? true : undefined,
        );
      });
    }
  }

  it('incomplete archives don’t push out complete ones, and nobody else gets their number', async () => {
    await backup();
    makeUnreadable();
    for (let run = 0; run < 3; run++) await backup({ retention: KEEP_ONE });
    names().should.containEql('home-0001.tar.gz');
    makeReadable();
    const { file, pruned } = await backup({ retention: { ...KEEP_ONE, keepNewest: 2 } });
    pruned.kept.map(({ name }) => name).should.eql(['home-0005.tar.gz', 'home-0001.tar.gz']);
    names().should.eql(['home-0001.tar.gz', file.name]);
  });

  it('an incomplete archive that appears during a backup stays: its own backup may still rename it', async () => {
    let id = '';
    const until = async (): Promise<void> => void (id = await add('home-0007.incomplete.tar.gz'));
    fixture.drive.faults.add({ kind: 'delay', until, match: { path: /upload/ } });
    await backup({ retention: KEEP_ONE });
    should(fixture.drive.files.find(id)).have.property('trashed', false);
  });

  it('the new archive is never removed, even if a list that is behind still has its incomplete name', async () => {
    await add('home-0001.tar.gz');
    const until = async (): Promise<void> => {
      const created = fixture.drive.files
        .in(fixture.folderId)
        .find(({ name }) => name === 'home-0002.tar.gz');
      await fixture.client.move({
        ...{ id: created?.id ?? '', folderId: '', name: 'home-0002.incomplete.tar.gz' },
        ...{ fields: 'id', restore: false, ifExists: 'duplicate' },
      });
    };
    // Earlier lists are for the number and its duplicates.
    fixture.drive.faults.add({ kind: 'delay', until, match: { method: 'GET', path: /files$/, nth: 3 } });
    const { file, pruned } = await backup({ retention: KEEP_ONE });
    pruned.removed.map(({ name }) => name).should.eql(['home-0001.tar.gz']);
    should(fixture.drive.files.find(file.id)).have.property('trashed', false);
  });

  it('an archive without what vanished, or can’t be archived, is complete', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(fixture.disk('home', 'socket'), resolve));
    await symlink('nowhere', fixture.disk('home', 'broken'));
    const { file, backup: info } = await backup();
    await new Promise((resolve) => server.close(resolve));
    info.should.containEql({ complete: true, skipped: [{ path: 'home/socket', reason: 'socket' }] });
    file.name!.should.equal('home-0001.tar.gz');
  });

  for (const state of ['missing', 'empty'] as const) {
    it(`if the source is ${state} when it was read, the archive is incomplete, and none is removed`, async () => {
      await writeFile(fixture.disk('home', 'large'), bytes(9_000_000));
      await add('home-0001.tar.gz');
      let isRemoved = false;
      const onProgress = (): void => {
        if (isRemoved) return;
        isRemoved = true;
        rmSync(fixture.source, { recursive: true });
        if (state === 'empty') mkdirSync(fixture.source);
      };
      const { file, pruned, laterError } = await backup({ onProgress, retention: KEEP_ONE });
      should(laterError).have.properties({ code: 'partial_failure', text: 'partial_failure_source_lost' });
      should(laterError?.params).eql({ name: 'home-0002.incomplete.tar.gz', path: fixture.source });
      pruned.should.eql({ kept: [], removed: [], failed: [] });
      names().should.eql(['home-0001.tar.gz', file.name]);
    });
  }

  it('a source that is a file that can be opened but not read is an error before any request', async function () {
    // Linux has a file whose first bytes can't be read, as on a damaged disk.
    if (process.platform !== 'linux') this.skip('needs Linux');
    const { params } = await rejected(backup({ sources: ['/proc/self/mem'] }), 'local_file');
    params.should.eql({ path: '/proc/self/mem', reason: 'EIO' });
    fixture.drive.requests.all.should.be.empty();
  });

  describe('on a damaged disk', () => {
    const disk = useMountedDisk('ext4');

    /** A file of which only the start can be read. */
    async function damagedFile(): Promise<string> {
      const file = disk('file');
      await writeFile(file, bytes(40_000_000));
      const device = execFileSync('findmnt', ['-n', '-o', 'SOURCE', disk()]).toString().trim();
      const image = execFileSync('losetup', ['-n', '-O', 'BACK-FILE', device]).toString().trim();
      execFileSync('sync', ['-f', disk()]);
      // So that the file is read from the image again.
      execFileSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' });
      truncateSync(image, 20_000_000);
      return file;
    }

    it('an archive with nothing but a file that can’t be read to its end is not uploaded', async function () {
      this.timeout(60_000);
      const file = await damagedFile();
      const { params } = await rejected(backup({ sources: [file] }), 'local_file');
      params.should.eql({ path: file, reason: 'EIO' });
      names().should.be.empty();
    });

    it('an archive with a file that can’t be read to its end, and with others, is incomplete', async function () {
      this.timeout(60_000);
      const { file, backup: info } = await backup({ sources: [await damagedFile(), fixture.source] });
      info.skipped.should.eql([{ path: 'file', reason: 'EIO' }]);
      names().should.eql([file.name]).and.eql(['file-0001.incomplete.tar.gz']);
    });
  });

  describe('with a disk that is mounted inside the source', () => {
    const disk = useMountedDisk('ext4');
    const usb = (): string => fixture.disk('home', 'usb');
    const other = (): string => fixture.disk('other');
    const retention = KEEP_ONE;
    let removeDeadDisk: (() => void) | undefined;

    beforeEach(async () => {
      await writeFile(disk('photo'), 'photo');
      await mkdir(other());
      await writeFile(fixture.disk('other', 'file'), 'file');
      bindMount(disk(), usb());
    });
    afterEach(() => {
      removeDeadDisk?.();
      removeDeadDisk = undefined;
      for (const place of [fixture.source, usb()]) while (spawnSync('umount', [place]).status === 0);
    });

    interface Loss {
      title: string;
      prepare?: () => void;
      lose?: () => void;
      mountAgain?: () => void;
      more?: Partial<BackupRequest>;
      /** Where the disk was, as far as is known. */
      place?: () => string;
    }
    const LOSSES: readonly Loss[] = [
      { title: 'an empty folder is left' },
      { title: 'no folder is left', lose: () => rmdirSync(usb()) },
      { title: 'its folder has other files', lose: () => writeFileSync(`${usb()}/placeholder`, '') },
      { title: 'a folder of this disk is mounted in its place', lose: () => bindMount(other(), usb()) },
      {
        title: 'it was a folder of the same disk',
        prepare: () => (unmount(usb()), bindMount(other(), usb())),
        mountAgain: () => bindMount(other(), usb()),
      },
      {
        title: 'it was the source itself',
        prepare: () => (unmount(usb()), bindMount(disk(), fixture.source)),
        lose: () => unmount(fixture.source),
        mountAgain: () => bindMount(disk(), fixture.source),
        place: () => fixture.source,
      },
      {
        title: 'the archive is encrypted, so that its path is not noted',
        lose: () => rmdirSync(usb()),
        more: { encryption: { recipients: [RECIPIENT] } },
        place: () => fixture.source,
      },
      { title: 'the archives have no number', more: { targetName: '{name}-{date}' } },
      {
        title: 'the archive is large',
        prepare: () => writeFileSync(fixture.disk('home', 'large'), bytes(LARGE)),
      },
    ];
    for (const { title, prepare, lose, mountAgain, more = {}, place = usb } of LOSSES) {
      it(`if a disk in the source is unmounted and ${title}, archives are incomplete until it is mounted again`, async function () {
        this.timeout(60_000);
        prepare?.();
        const { file: first } = await backup(more);
        if (place() === usb() || more.encryption) unmount(usb());
        lose?.();
        for (let run = 0; run < 2; run++) {
          const { backup: info, laterError } = await backup({ retention, ...more });
          info.complete.should.be.false();
          should(laterError).have.properties({ text: 'partial_failure_mount_lost' });
          should(laterError?.params['paths']).equal(place());
          names().should.containEql(first.name);
        }
        (mountAgain ?? (() => bindMount(disk(), usb())))();
        const { file, laterError } = await backup({ retention, ...more });
        should(laterError).be.undefined();
        names().should.eql([file.name]);
      });
    }

    it('an archive and the next are incomplete if a disk is unmounted during the first run, before it is read', async () => {
      await writeFile(fixture.disk('home', 'large'), bytes(9_000_000));
      let isRemoved = false;
      const onProgress = (): void => {
        if (isRemoved) return;
        isRemoved = true;
        unmount(usb());
      };
      for (const more of [{ onProgress }, {}]) {
        const { laterError } = await backup({ retention, ...more });
        should(laterError).have.properties({ text: 'partial_failure_mount_lost' });
      }
    });

    const ACCEPTED: readonly [title: string, more: Partial<BackupRequest>][] = [
      ['if its folder is excluded', { exclude: ['usb'] }],
      ['if a pattern excludes its folder', { exclude: ['**/u*'] }],
      ['if the change is accepted', { acceptChange: true }],
    ];
    for (const [title, more] of ACCEPTED) {
      it(`an archive without an unmounted disk is complete ${title}, and so is the next one`, async () => {
        await backup();
        unmount(usb());
        for (const each of [more, more.exclude ? more : {}]) {
          const { laterError } = await backup({ retention, ...each });
          should(laterError).be.undefined();
        }
        names().should.eql(['home-0003.tar.gz']);
      });
    }

    it('a disk in memory may be missing: the system makes and removes it, as for each new container', async () => {
      unmount(usb());
      execFileSync('mount', ['-t', 'tmpfs', 'none', usb()]);
      await writeFile(fixture.disk('home', 'usb', 'file'), 'file');
      await backup();
      unmount(usb());
      should((await backup({ retention })).laterError).be.undefined();
    });

    it('a disk that is excluded is not looked at, even if it was in the archive before: it may never answer', async () => {
      await backup();
      unmount(usb());
      removeDeadDisk = mountDeadDisk(usb());
      const { laterError } = await backup({ retention, exclude: ['usb'] });
      should(laterError).be.undefined();
    });

    it('an empty disk, and one that the service can’t note, may be missing from the next archive', async () => {
      await rm(disk('photo'));
      await rm(disk('lost+found'), { recursive: true });
      await backup();
      await writeFile(disk('photo'), 'photo');
      const match = { query: /appProperties/ };
      fixture.drive.faults.add({ kind: 'response', status: 400, match, times: Infinity });
      const custom = createTestClient(fixture.drive.url, { service: { can: CAPABILITIES.custom } });
      await backup({}, custom.client);
      custom.close();
      fixture.drive.faults.clear();
      unmount(usb());
      should((await backup({ retention })).laterError).be.undefined();
    });

    it('paths that are too long for the note of an archive are recognized', async () => {
      const long = fixture.disk('home', 'n'.repeat(200), 'm'.repeat(100));
      bindMount(disk(), long);
      try {
        await backup();
      } finally {
        unmount(long);
      }
      const { laterError } = await backup({ retention });
      should(laterError).have.properties({ text: 'partial_failure_mount_lost' });
      should(laterError?.params['paths']).equal(fixture.source);
      for (const { appProperties } of fixture.drive.files.in(fixture.folderId))
        for (const [key, value] of Object.entries(appProperties))
          Buffer.byteLength(key + value).should.be.belowOrEqual(124);
    });
  });
});
