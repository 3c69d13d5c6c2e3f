/** Synchronizations with the same folder at once. */
import { lchown, mkdir, readdir, readlink, symlink, unlink } from 'node:fs/promises';
import should from 'should';
import { currentOwner, startTimeOf } from '../../../src/fs/part-owner';
import { CAPABILITIES } from '../../../src/capabilities';
import type { CallOptions, RestoreResult, SyncResult } from '../../../src/index';
import { tar } from '../../support/archive/tar-builder';
import { rejected } from '../../support/client/rejected';
import { createTestClient } from '../../support/client/test-client';
import { holdRequest } from '../../support/http/hold-request';
import { startSyncChild } from '../../support/sync/run-sync-child';
import { syncFixture } from '../../support/sync/sync-fixture';
import { readDrive, writeDrive } from '../../support/sync/trees';

const TREE = Object.fromEntries(
  Array.from({ length: 24 }, (_, index) => [
    `d${index % 4}/e${index % 2}/${index}.txt`,
    `${index} @1600000000`,
  ]),
);

describe('two synchronizations at once', () => {
  const fixture = syncFixture();

  it('of two nodes of one account, the second finds what the first has uploaded', async () => {
    await fixture.writeDisk(TREE);
    const results = await Promise.all([fixture.up(), fixture.up()]);
    results.map(({ summary }) => summary.created).should.eql([24, 0]);
    (await fixture.readDrive()).should.eql(await fixture.readDisk());
    fixture.requests().should.containEql({ 'POST files': 8, 'POST upload': 24 });
  });

  it('of two accounts, the second finds what the first has uploaded', async () => {
    await fixture.writeDisk(TREE);
    const other = createTestClient(fixture.drive.url);
    const results = await Promise.all([fixture.up(), other.client.sync(fixture.request('up'))]);
    other.close();
    results.map(({ summary }) => summary.created).should.eql([24, 0]);
    (await fixture.readDrive()).should.eql(await fixture.readDisk());
  });

  for (const isKilled of [false, true]) {
    const end = isKilled ? 'is killed' : 'ends';
    it(`an upload to a folder waits until that of another process ${end}, and creates nothing twice`, async () => {
      await fixture.writeDisk(TREE);
      const held = holdRequest(fixture.drive, { path: /upload/ });
      const child = startSyncChild(fixture.drive.url, '', fixture.request('up'));
      await held.reached;
      const states: boolean[] = [];
      const onQueue = (isQueued: boolean): void => {
        states.push(isQueued);
        if (!isQueued) return;
        if (isKilled) child.process.kill('SIGKILL');
        held.release();
      };
      const { summary } = await fixture.up({}, { onQueue });
      const others = await child.result;
      states.should.eql([true, false]);
      if (!isKilled) [others?.summary.created, summary.created].should.eql([24, 0]);
      (await fixture.readDrive()).should.eql(await fixture.readDisk());
    });
  }

  it('an upload to a folder waits until another process, which has just created that by its path, ends', async () => {
    await fixture.writeDisk(TREE);
    const held = holdRequest(fixture.drive, { path: /upload/ });
    const name = `new ${fixture.folderId}`;
    const folderPath = { path: `/${name}`, createMissing: true };
    const child = startSyncChild(
      fixture.drive.url,
      '',
      fixture.request('up', { folderId: undefined, folderPath }),
    );
    await held.reached;
    const folder = fixture.drive.files.in('root').find((each) => each.name === name);
    const onQueue = (isQueued: boolean): void => void (isQueued && held.release());
    const run = fixture.up({ folderId: folder?.id ?? '' }, { onQueue });
    const { summary } = await run.finally(() => held.release());
    [(await child.result)?.summary.created, summary.created].should.eql([24, 0]);
  });

  describe('with a lock in the folder for temporary files', () => {
    const { TMPDIR } = process.env;
    const folder = (...names: string[]): string => fixture.path('..', 'locks', ...names);
    const pid = process.ppid;
    const running = [currentOwner().pidNamespace, pid, startTimeOf(pid) ?? '0', '00000000', 0].join('-');

    beforeEach(async () => {
      await fixture.writeDisk(TREE);
      await mkdir(folder());
      process.env.TMPDIR = folder();
    });
    afterEach(() => {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    });

    /** Replaces the lock of a run meanwhile. @returns its path */
    async function replaceLock(): Promise<string> {
      const held = holdRequest(fixture.drive);
      const run = fixture.up();
      await held.reached;
      const [name = ''] = await readdir(folder());
      await unlink(folder(name));
      await symlink(running, folder(name));
      held.release();
      await run;
      return folder(name);
    }

    it('a run leaves the lock of a process that has taken its own one for ended', async function () {
      if (process.platform === 'win32') this.skip('no TMPDIR');
      (await readlink(await replaceLock())).should.equal(running);
    });

    it('the lock of another user keeps nobody waiting', async function () {
      if (process.geteuid?.() !== 0) this.skip('needs root');
      await lchown(await replaceLock(), 65_534, 65_534);
      await fixture.writeDisk({ 'new.txt': 'new' });
      const aborter = new AbortController();
      const call = { signal: aborter.signal, onQueue: () => aborter.abort() };
      should((await fixture.up({}, call)).summary.created).equal(1);
    });
  });

  it('files of one name that another machine creates stay, and the next run is a conflict that lists them', async () => {
    const { files, faults } = fixture.drive;
    await fixture.writeDisk({ 'a.txt': 'a' });
    const until = async (): Promise<void> =>
      void (await files.add({ name: 'a.txt', parent: fixture.folderId, content: 'other' }));
    faults.add({ kind: 'delay', until, match: { path: /upload/ } });
    (await fixture.up()).summary.created.should.equal(1);
    const { params } = await rejected(fixture.up(), 'conflict', 'conflict_sync_duplicates');
    params['paths']?.should.equal('a.txt');
    files
      .in(fixture.folderId)
      .map(({ trashed }) => trashed)
      .should.eql([false, false]);
  });

  it('downloads to folders inside each other run one after the other', async () => {
    await fixture.writeDrive(TREE);
    const other = createTestClient(fixture.drive.url);
    const folderId = await fixture.drive.files.addFolder('other');
    const localPath = fixture.path('d1', 'inside');
    const inside = fixture.request('down', { folderId, localPath });
    await Promise.all([fixture.down(), other.client.sync(inside)]);
    other.close();
    const { all } = fixture.drive.requests;
    const lastContent = all.map(({ params }) => params.get('alt')).lastIndexOf('media');
    all.findIndex(({ params }) => params.get('q')?.includes(folderId)).should.be.above(lastContent);
  });

  it('two clients that download to the same folder leave complete files only', async () => {
    await fixture.writeDrive(TREE);
    const other = createTestClient(fixture.drive.url);
    const [own, others] = await Promise.all([fixture.down(), other.client.sync(fixture.request('down'))]);
    other.close();
    (own.error === undefined && others.error === undefined).should.be.true();
    (await fixture.readDisk()).should.eql(await fixture.readDrive());
  });
});

for (const kind of ['google', 'custom'] as const) {
  describe(`uploads to nested folders at once, ${kind}`, () => {
    const fixture = syncFixture({ service: { can: CAPABILITIES[kind] } });
    const INNER = { 'B/x.txt': 'x @1600000000', 'B/C/y.txt': 'y @1600000000' };
    let top: string;
    let count = 0;
    let path: string;
    beforeEach(async () => {
      path = `/top ${++count}`;
      top = await fixture.drive.files.addFolder(path.slice(1));
      await fixture.writeDisk({ ...INNER, 'z.txt': 'z @1600000000' });
    });

    const outer = (call?: CallOptions): Promise<SyncResult> => fixture.up({ folderId: top }, call);
    const atPath = (end: string, localPath: string, call?: CallOptions): Promise<SyncResult> => {
      const folderPath = { path: path + end, createMissing: true };
      return fixture.up({ folderId: undefined, folderPath, localPath }, call);
    };
    const inner = (call?: CallOptions): Promise<SyncResult> => atPath('/B', fixture.path('B'), call);
    const inSync = async (): Promise<void> => {
      (await readDrive(fixture.drive, top)).should.eql(await fixture.readDisk());
    };

    it('an upload to a folder by its path waits for the upload that creates it', async () => {
      const results = await Promise.all([outer(), inner()]);
      results.map(({ summary }) => summary.created).should.eql([3, 0]);
      await inSync();
    });

    it('an upload to a folder by its id waits for the upload to a new folder inside', async () => {
      const results = await Promise.all([inner(), outer()]);
      results.map(({ summary }) => summary.created).should.eql([2, 1]);
      await inSync();
    });

    it('uploads to one folder by its id and its path run one after the other', async () => {
      const results = await Promise.all([outer(), atPath('', fixture.path()), atPath('/', fixture.path())]);
      results.map(({ summary }) => summary.created).should.eql([3, 0, 0]);
      await inSync();
    });

    it('an upload by id to a folder deep inside waits, however deep', async () => {
      const ids = await writeDrive(fixture.drive, top, { 'B/C/': '' });
      const held = holdRequest(fixture.drive);
      const running = [outer(), fixture.up({ folderId: ids['B/C/'], localPath: fixture.path('B', 'C') })];
      await held.reached;
      held.release();
      (await Promise.all(running)).map(({ summary }) => summary.created).should.eql([3, 0]);
      await inSync();
    });

    it('an upload to another folder does not wait', async () => {
      await writeDrive(fixture.drive, top, { 'D/': '', 'E/': '' });
      const held = holdRequest(fixture.drive);
      const first = atPath('/D', fixture.path('B', 'C'));
      await held.reached;
      (await atPath('/E', fixture.path('B'))).summary.created.should.equal(2);
      held.release();
      (await first).summary.created.should.equal(1);
    });

    it('an upload waits for one whose folder could not be found yet', async () => {
      const ids = await writeDrive(fixture.drive, top, { 'B/': '' });
      const held = holdRequest(fixture.drive);
      const folderPath = { path, createMissing: true };
      const first = fixture.up({ folderId: undefined, folderPath, include: ['z.txt'] });
      await held.reached;
      const { drive, client } = fixture;
      const match = { path: /files$/ };
      const refusal = drive.faults.add({ kind: 'error', reason: 'forbidden', status: 403, match });
      const running = [first, inner(), fixture.up({ folderId: ids['B/'], localPath: fixture.path('B') })];
      await drive.traffic.until(() => refusal.hits === 1 && drive.requests.to('GET', ids['B/']).length > 0);
      for (let count = 0; count < 5; count++) await client.getAbout('user');
      held.release();
      (await Promise.all(running)).map(({ summary }) => summary.created).should.eql([1, 2, 0]);
      await inSync();
    });

    it('an upload that waits can be cancelled, and later ones still wait', async () => {
      const held = holdRequest(fixture.drive);
      const aborter = new AbortController();
      const first = outer();
      await held.reached;
      const second = inner({ signal: aborter.signal });
      const third = inner();
      aborter.abort();
      await rejected(second, 'cancelled');
      held.release();
      (await Promise.all([first, third])).map(({ summary }) => summary.created).should.eql([3, 0]);
      await inSync();
    });
  });
}

describe('uploads to the root and to a folder in it at once', () => {
  const fixture = syncFixture();

  it('the root by its alias contains a folder by its id', async () => {
    const id = await fixture.drive.files.addFolder('in the root');
    await fixture.writeDisk({ 'in the root/a.txt': 'a' });
    const results = await Promise.all([
      fixture.up({ folderId: '' }),
      fixture.up({ folderId: id, localPath: fixture.path('in the root') }),
    ]);
    results.map(({ summary }) => summary.created).should.eql([1, 0]);
  });
});

describe('an upload and a download at once', () => {
  const fixture = syncFixture();
  let other: ReturnType<typeof createTestClient>;
  beforeEach(() => (other = createTestClient(fixture.drive.url)));
  afterEach(() => other.close());

  it('a download to the folder of an upload waits, and removes nothing that was uploaded', async () => {
    await fixture.writeDisk(TREE);
    const held = holdRequest(fixture.drive);
    const [waits, queued] = waiting();
    const up = fixture.up();
    await held.reached;
    // Another account, whose drive side doesn't wait.
    const down = other.client.sync(fixture.request('down', { extra: 'delete' }), waits);
    await queued(true);
    held.release();
    await queued(false);
    (await up).summary.should.containEql({ created: 24, failed: 0 });
    (await down).summary.should.containEql({ unchanged: 24, removed: 0 });
    Object.keys(await fixture.readDisk()).should.containEql('d0/e0/0.txt');
  });

  it('an upload of a folder inside waits for a download, whatever the account', async () => {
    await fixture.writeDrive({ 'd/a.txt': 'a', 'd/b.txt': 'b' });
    await fixture.writeDisk({ 'd/': '' });
    const held = holdRequest(fixture.drive, { query: 'alt=media' });
    const [waits, queued] = waiting();
    const down = fixture.down();
    await held.reached;
    const folderId = await fixture.drive.files.addFolder('other');
    const up = other.client.sync(fixture.request('up', { folderId, localPath: fixture.path('d') }), waits);
    await queued(true);
    held.release();
    (await down).summary.created.should.equal(2);
    (await up).summary.created.should.equal(2);
  });

  it('a download of a folder on the drive waits for an upload to a folder inside', async () => {
    const ids = await fixture.writeDrive({ 'd/': '' });
    await fixture.writeDisk({ 'd/a.txt': 'a', 'd/b.txt': 'b' });
    const held = holdRequest(fixture.drive);
    const [waits, queued] = waiting();
    const up = fixture.up({ folderId: ids['d/'], localPath: fixture.path('d') });
    await held.reached;
    const down = fixture.down({ localPath: fixture.path('..', 'down') }, waits);
    await queued(true);
    held.release();
    (await up).summary.created.should.equal(2);
    (await down).summary.created.should.equal(2);
  });

  it('runs that only read the same folder do not wait for each other', async () => {
    await fixture.writeDisk({ 'a.txt': 'a' });
    const folderId = await fixture.drive.files.addFolder('other');
    const neverWaits = { onQueue: (isQueued: boolean) => void isQueued.should.be.false() };
    const upload = holdRequest(fixture.drive);
    const up = fixture.up();
    await upload.reached;
    (await fixture.up({ folderId }, neverWaits)).summary.created.should.equal(1);
    upload.release();
    await up;
    const content = holdRequest(fixture.drive, { query: 'alt=media' });
    const down = fixture.down({ localPath: fixture.path('..', 'one') });
    await content.reached;
    (await fixture.down({ localPath: fixture.path('..', 'two') }, neverWaits)).summary.created.should.equal(
      1,
    );
    content.release();
    (await down).summary.created.should.equal(1);
  });

  it('runs whose folders cross do not wait for each other forever', async () => {
    await fixture.writeDisk({ 'one/a.txt': 'a', 'two/b.txt': 'b' });
    const ids = await fixture.writeDrive({ 'one/': '', 'two/': '' });
    const both = (disk: string, drive: string): Promise<SyncResult>[] => {
      const folders = { localPath: fixture.path(disk), folderId: ids[`${drive}/`] };
      return [fixture.up(folders), fixture.down(folders)];
    };
    const results = await Promise.all([
      ...both('one', 'two'),
      ...both('two', 'one'),
      ...both('one', 'one'),
      ...both('two', 'two'),
    ]);
    results.map(({ error }) => error).should.eql(Array.from(results, () => undefined));
    const all = ['one/', 'one/a.txt', 'one/b.txt', 'two/', 'two/a.txt', 'two/b.txt'];
    (await fixture.namesOnDisk()).should.eql(all);
  });

  it('a download that waits for an upload can be cancelled, and changes nothing', async () => {
    await fixture.writeDisk({ 'a.txt': 'a' });
    const held = holdRequest(fixture.drive);
    const [waits, queued] = waiting();
    const aborter = new AbortController();
    const up = fixture.up();
    await held.reached;
    const down = fixture.down({ extra: 'delete' }, { ...waits, signal: aborter.signal });
    await queued(true);
    aborter.abort();
    await rejected(down, 'cancelled');
    held.release();
    (await up).summary.created.should.equal(1);
    (await fixture.up()).summary.unchanged.should.equal(1);
  });

  describe('and a restore', () => {
    const restore = async (path: string, call?: CallOptions): Promise<RestoreResult> => {
      const folderId = await fixture.drive.files.addFolder('Backups');
      const content = tar({ name: 'x.txt', content: 'x' }, { name: 'y.txt', content: 'y' });
      await fixture.drive.files.add({ name: 'x.tar', parent: folderId, content });
      const archives = { choice: { which: 'newest' }, folderId, folderName: '', pattern: '*' } as const;
      const settings = { overwrite: 'replace', include: [], fields: 'id' } as const;
      return other.client.restore({ ...archives, ...settings, path }, call);
    };

    it('an upload of a folder waits for a restore to a folder inside', async () => {
      const held = holdRequest(fixture.drive, { query: 'alt=media' });
      const [waits, queued] = waiting();
      const restoring = restore(fixture.path('inside'));
      await held.reached;
      const up = fixture.up({}, waits);
      await Promise.race([queued(true), up]);
      held.release();
      (await restoring).entries.should.equal(2);
      (await up).summary.created.should.equal(2);
    });

    it('a restore waits for a download to the same folder', async () => {
      await fixture.writeDrive({ 'a.txt': 'a' });
      const held = holdRequest(fixture.drive, { query: 'alt=media' });
      const [waits, queued] = waiting();
      const down = fixture.down();
      await held.reached;
      const restoring = restore(fixture.path(), waits);
      const hasWaited = await Promise.race([queued(true).then(() => true), restoring.then(() => false)]);
      held.release();
      hasWaited.should.be.true();
      (await down).summary.created.should.equal(1);
      (await restoring).entries.should.equal(2);
      (await fixture.namesOnDisk()).should.eql(['a.txt', 'x.txt', 'y.txt']);
    });
  });

  /** @returns options for a run, and a function that waits until the run says that it waits, or no longer waits */
  function waiting(): [CallOptions, (isQueued: boolean) => Promise<void>] {
    const [starts, ends] = [deferred(), deferred()];
    const onQueue = (isQueued: boolean): void => (isQueued ? starts : ends).resolve();
    return [{ onQueue }, (isQueued) => (isQueued ? starts : ends).promise];
  }
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
