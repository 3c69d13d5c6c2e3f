/** Synchronizing a folder on disk to the drive. */
import should from 'should';
import { mkdir, rm, utimes } from 'node:fs/promises';
import type { DriveError } from '../../../src/index';
import { rejected } from '../../support/client/rejected';
import { syncFixture } from '../../support/sync/sync-fixture';
import { readDisk } from '../../support/sync/trees';

const SHORTCUT = 'application/vnd.google-apps.shortcut';

describe('sync up', () => {
  const fixture = syncFixture();

  it('sync up creates files and folders with their times', async () => {
    const tree = {
      'a.txt': 'one @1600000000',
      'b/': '',
      'b/c/': '',
      'b/c/d.txt': ' @1600000001',
      'empty/': '',
    };
    await fixture.writeDisk(tree);
    const { summary, changes, error } = await fixture.up();
    (await fixture.readDrive()).should.eql(tree);
    summary.should.eql({
      ...{ direction: 'up', dryRun: false, created: 2, updated: 0, unchanged: 0 },
      ...{ removed: 0, skipped: 0, failed: 0, bytes: 3 },
    });
    changes
      .map(({ path, action, size }) => ({ path, action, size }))
      .sort((a, b) => (a.path < b.path ? -1 : 1))
      .should.eql([
        { path: 'a.txt', action: 'created', size: 3 },
        { path: 'b/c/d.txt', action: 'created', size: 0 },
      ]);
    (error === undefined).should.be.true();
  });

  it('folders that would be nested deeper than 100 levels are refused before anything is changed', async () => {
    const deepest = Array.from({ length: 99 }, () => 'd').join('/');
    await fixture.writeDisk({ [`${deepest}/d/too/deep.txt`]: 'x', 'a.txt': 'x' });
    const { params } = await rejected(fixture.up(), 'invalid_input', 'invalid_input_too_many_levels');
    params.should.have.property('levels').above(100);
    (await fixture.readDrive()).should.eql({});
    (await fixture.up({ exclude: [`${deepest}/d/too`] })).summary.should.match({ created: 1, failed: 0 });
  });

  it('a first upload needs one request per file and folder, and few others', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`d${index % 3}/${index}.txt`, `${index}`]),
    );
    await fixture.writeDisk(files);
    await fixture.up();
    fixture.requests().should.eql({
      'GET files': 1,
      'GET files/id': 1,
      'GET files/generateIds': 1,
      'POST files': 3,
      'POST upload': 60,
    });
    await fixture.up();
    fixture.requests().should.eql({ 'GET files': 2 });
  });

  it('a changed file gets new content under its id with one request', async () => {
    const ids = await fixture.writeDrive({ 'a.txt': 'old', 'b.txt': 'same' });
    await fixture.writeDisk({ 'a.txt': 'newer @1700000500', 'b.txt': 'same' });
    const { summary, changes } = await fixture.up();
    fixture.requests().should.eql({ 'GET files': 1, 'PATCH upload': 1 });
    summary.updated.should.equal(1);
    summary.unchanged.should.equal(1);
    changes.should.eql([{ path: 'a.txt', action: 'updated', id: ids['a.txt'], size: 5 }]);
    (await fixture.readDrive()).should.eql({ 'a.txt': 'newer @1700000500', 'b.txt': 'same @1700000000' });
  });

  it('a file that differs only in time gets its time set', async () => {
    await fixture.writeDrive({ 'a.txt': 'same' });
    await fixture.writeDisk({ 'a.txt': 'same @1700000500' });
    const { summary, changes } = await fixture.up();
    fixture.requests().should.eql({ 'GET files': 1, 'PATCH files/id': 1 });
    summary.updated.should.equal(1);
    summary.bytes.should.equal(0);
    changes[0]?.reason?.should.equal('time');
    (await fixture.readDrive()).should.eql({ 'a.txt': 'same @1700000500' });
  });

  it('a file that others change on the drive while its time is set is sent again', async () => {
    await fixture.writeDisk({ 'a.txt': 'content @1600000000' });
    const ids = await fixture.writeDrive({ 'a.txt': 'content' });
    const id = ids['a.txt'] ?? '';
    const until = async (): Promise<void> => {
      const content = { content: { data: 'CONTENT' }, name: 'a.txt', folderId: '', replaces: id } as const;
      const settings = { mimeType: '', keepModifiedTime: false, metadata: {}, fields: 'id' } as const;
      await fixture.client.upload({ ...content, ...settings, ifExists: 'duplicate' });
    };
    fixture.drive.faults.add({ kind: 'delay', until, match: { method: 'PATCH', path: new RegExp(id) } });
    const { changes } = await fixture.up();
    changes.should.eql([{ path: 'a.txt', action: 'updated', id, size: 7 }]);
    (await fixture.readDrive()).should.eql({ 'a.txt': 'content @1600000000' });
    (await fixture.up()).changes.should.eql([]);
  });

  it('a file of the same size and another time is sent if its content differs', async () => {
    await fixture.writeDrive({ 'a.txt': 'old' });
    await fixture.writeDisk({ 'a.txt': 'new @1700000500' });
    await fixture.up();
    (await fixture.readDrive()).should.eql({ 'a.txt': 'new @1700000500' });
  });

  it('comparing checksums finds a change that size and time do not show', async () => {
    await fixture.writeDrive({ 'a.txt': 'old', 'b.txt': 'same' });
    await fixture.writeDisk({ 'a.txt': 'new', 'b.txt': 'same' });
    (await fixture.up()).summary.unchanged.should.equal(2);
    const { summary } = await fixture.up({ compare: 'checksum' });
    summary.should.containEql({ updated: 1, unchanged: 1 });
    (await fixture.readDrive())['a.txt']?.should.equal('new @1700000000');
  });

  it('a dry run reports the plan and writes nothing', async () => {
    const onDrive = {
      'gone.txt': 'gone @1600000000',
      'a.txt': 'old @1600000000',
      'b.txt': 'same @1600000000',
    };
    await fixture.writeDrive(onDrive);
    await fixture.writeDisk({ 'a.txt': 'newer', 'b.txt': 'same', 'new/c.txt': 'c' });
    const { summary } = await fixture.up({ dryRun: true, extra: 'trash' });
    summary.should.containEql({ dryRun: true, created: 1, updated: 2, removed: 1, bytes: 6 });
    (await fixture.readDrive()).should.eql(onDrive);
    const counts = (await fixture.up({ extra: 'trash' })).summary;
    counts.should.eql({ ...summary, dryRun: false });
  });

  it('extra files and folders go to the trash', async () => {
    const ids = await fixture.writeDrive({ 'a.txt': 'a', 'x.txt': 'x', 'd/e/y.txt': 'y', 'd/z.txt': 'z' });
    await fixture.writeDisk({ 'a.txt': 'a' });
    const { summary } = await fixture.up({ extra: 'trash' });
    summary.removed.should.equal(3);
    (await fixture.readDrive()).should.eql({ 'a.txt': 'a @1700000000' });
    fixture.drive.files.find(ids['d/'] ?? '')?.trashed.should.be.true();
    (await fixture.up({ extra: 'trash' })).changes.should.eql([]);
  });

  it('extra files are deleted, and their folders go to the trash', async () => {
    const ids = await fixture.writeDrive({ 'a.txt': 'a', 'd/e/y.txt': 'y' });
    await fixture.writeDisk({ 'a.txt': 'a' });
    await fixture.up({ extra: 'delete' });
    const stateOf = (path: string): boolean | undefined => fixture.drive.files.find(ids[path] ?? '')?.trashed;
    ['a.txt', 'd/e/y.txt', 'd/e/', 'd/'].map(stateOf).should.eql([false, undefined, true, true]);
    (await fixture.up({ extra: 'delete' })).changes.should.eql([]);
  });

  it('Workspace documents that exist only on the drive stay and are listed as skipped', async () => {
    await fixture.writeDisk({ 'kept.txt': 'kept' });
    await fixture.writeDrive({ 'extra/old.txt': 'old' });
    const parent = fixture.drive.files.in(fixture.folderId)[0]?.id ?? '';
    const mimeType = 'application/vnd.google-apps.document';
    const id = await fixture.drive.files.add({ name: 'Doc', parent, mimeType });
    for (const extra of ['trash', 'delete'] as const) {
      const { changes } = await fixture.up({ extra, dryRun: true });
      const skipped = { path: 'extra/Doc', action: 'skipped', id, reason: 'workspace_document' };
      changes.filter(({ action }) => action === 'skipped').should.containDeep([skipped]);
    }
    const { changes, summary } = await fixture.up({ extra: 'delete' });
    changes
      .map(({ path, action }) => `${path} ${action}`)
      .sort()
      .should.eql(['extra/Doc skipped', 'extra/old.txt removed', 'kept.txt created']);
    summary.skipped.should.equal(1);
    fixture.drive.files
      .in(parent)
      .map(({ id: each, trashed }) => [each, trashed])
      .should.eql([[id, false]]);
    const kept = await fixture.up();
    kept.changes.should.eql([]);
  });

  it('filtered files are neither sent nor removed, nor are the folders that contain them', async () => {
    await fixture.writeDrive({ 'd/keep.log': 'log', 'd/gone.txt': 'x', 'e/gone.txt': 'x' });
    await fixture.writeDisk({ 'a.txt': 'a', 'b.log': 'b' });
    await fixture.up({ exclude: ['*.log'], extra: 'trash' });
    Object.keys(await fixture.readDrive()).should.eql(['d/', 'd/keep.log', 'a.txt']);
  });

  it('with include patterns, folders without matching files are not created', async () => {
    await fixture.writeDisk({ 'd/a.jpg': 'a', 'd/b.txt': 'b', 'e/c.txt': 'c', 'f/': '' });
    await fixture.up({ include: ['*.jpg'] });
    Object.keys(await fixture.readDrive()).should.eql(['d/', 'd/a.jpg']);
  });

  it('a file of the drive is found under its safe name on disk', async () => {
    await fixture.writeDrive({});
    const id = await fixture.add('a/b', { content: 'x', modifiedTime: 1_000_000 });
    await fixture.down();
    (await fixture.up({ extra: 'trash' })).summary.should.containEql({
      created: 0,
      unchanged: 1,
      removed: 0,
    });
    await fixture.writeDisk({ 'a／b': 'changed' });
    const { changes } = await fixture.up();
    changes[0]?.id?.should.equal(id);
    fixture.drive.files.find(id)?.name.should.equal('a/b');
  });

  it('a changed source is not removed from while files fail', async () => {
    await fixture.writeDrive({ 'extra.txt': 'x' });
    await fixture.writeDisk({ 'a.txt': 'a', 'b.txt': 'b' });
    fixture.drive.faults.add({ kind: 'error', reason: 'forbidden', match: { path: /upload/ } });
    const { summary, error } = await fixture.up({ extra: 'trash' });
    error?.code.should.equal('partial_failure');
    summary.should.containEql({ created: 1, failed: 1, removed: 0 });
    Object.keys(await fixture.readDrive()).should.containEql('extra.txt');
  });

  it('a folder that exists only on disk is found again after its content was removed', async () => {
    await fixture.writeDisk({ 'd/a.txt': 'a' });
    await fixture.up();
    await rm(fixture.path('d/a.txt'));
    await mkdir(fixture.path('d/e'));
    await utimes(fixture.path('d'), 1, 1);
    await fixture.up();
    (await fixture.readDrive()).should.eql({ 'd/': '', 'd/a.txt': 'a @1700000000', 'd/e/': '' });
  });

  it('a file that is moved out of the folder meanwhile is not removed', async () => {
    const ids = await fixture.writeDrive({ 'x.txt': 'x' });
    await fixture.writeDisk({ 'a.txt': 'a' });
    const other = await fixture.drive.files.addFolder('archive');
    const until = async (): Promise<void> => {
      const moved = { id: ids['x.txt'] ?? '', folderId: other, name: '', fields: 'id', restore: false };
      await fixture.client.move({ ...moved, ifExists: 'duplicate' });
    };
    fixture.drive.faults.add({ kind: 'delay', until, match: { path: /upload/ } });
    const { changes } = await fixture.up({ extra: 'trash' });
    fixture.drive.files.find(ids['x.txt'] ?? '')?.trashed.should.be.false();
    changes.map(({ path, reason }) => [path, reason]).should.containDeep([['x.txt', 'changed']]);
  });

  it('a changed file that is moved to the trash meanwhile is uploaded again by the next run', async () => {
    const ids = await fixture.writeDrive({ 'x.txt': 'old' });
    await fixture.writeDisk({ 'x.txt': 'new content' });
    const until = async (): Promise<void> => fixture.client.trash(ids['x.txt'] ?? '');
    fixture.drive.faults.add({ kind: 'delay', until, match: { path: /upload/ } });
    const { changes } = await fixture.up();
    changes.map(({ path, reason }) => [path, reason]).should.eql([['x.txt', 'changed']]);
    (await fixture.up()).summary.created.should.equal(1);
  });

  it('a folder does not go to the trash if a file was put into it meanwhile', async () => {
    const ids = await fixture.writeDrive({ 'd/e/x.txt': 'x' });
    await fixture.writeDisk({ 'a.txt': 'a' });
    const until = async (): Promise<void> => {
      await fixture.drive.files.add({ name: 'new.txt', parent: ids['d/e/'] ?? '', content: 'n' });
    };
    fixture.drive.faults.add({ kind: 'delay', until, match: { path: /upload/ } });
    const { summary } = await fixture.up({ extra: 'trash' });
    summary.should.containEql({ created: 1, removed: 0, skipped: 1 });
    fixture.drive.files.find(ids['d/'] ?? '')?.trashed.should.be.false();
  });

  it('files go to the root of My Drive, and an unchanged tree needs no second upload', async () => {
    const tree = { 'root-test/a.txt': 'a @1600000000', 'root-test.txt': 'b @1600000000' };
    await fixture.writeDisk(tree);
    // The root contains the folders of other tests, too.
    const inRoot = { folderId: '', exclude: ['folder'] };
    const first = await fixture.up(inRoot);
    first.summary.should.containEql({ created: 2, failed: 0 });
    (await fixture.up(inRoot)).summary.should.containEql({ created: 0, updated: 0 });
    const localPath = fixture.path('copy');
    await fixture.down({ ...inRoot, localPath });
    (await readDisk(localPath)).should.containEql(tree);
  });

  it('what belongs into a folder that can’t be created fails, and the rest is uploaded', async () => {
    await fixture.writeDisk({ 'a.txt': 'a', 'b/c/d.txt': 'd' });
    const match = { path: /files$/, method: 'POST' };
    fixture.drive.faults.add({ kind: 'error', reason: 'forbidden', match });
    const { summary, error } = await fixture.up();
    error?.code.should.equal('partial_failure');
    summary.should.containEql({ created: 1 });
    Object.keys(await fixture.readDrive()).should.eql(['a.txt']);
  });
});

describe('sync up that takes long', () => {
  const fixture = syncFixture({ maxTransfers: 1 });

  for (const [title, path, folder, name] of [
    ['moved', 'd/x.txt', 'archive', ''],
    ['renamed', 'd/x.txt', '', 'old.txt'],
    ['moved with its folder', 'd/', 'archive', ''],
  ] as const) {
    it(`a changed file that others have ${title} meanwhile keeps its content, and the next run uploads it`, async () => {
      const ids = await fixture.writeDrive({ 'first.txt': 'old', 'd/x.txt': 'old', 'd/y.txt': 'old' });
      const tree = { 'first.txt': 'the largest', 'd/x.txt': 'changed', 'd/z.txt': 'new' };
      await fixture.writeDisk(tree);
      const folderId = folder === '' ? '' : await fixture.drive.files.addFolder(folder);
      const until = async (): Promise<void> => {
        const moved = { id: ids[path] ?? '', folderId, name, fields: 'id', restore: false } as const;
        await fixture.client.move({ ...moved, ifExists: 'duplicate' });
        await fixture.clock.sleep(60_000);
      };
      fixture.drive.faults.add({ kind: 'delay', until, match: { path: /upload/ } });
      const { summary, changes } = await fixture.up();
      summary.should.containEql({ updated: 1, skipped: 1, failed: 0 });
      changes.should.matchAny({ path: 'd/x.txt', action: 'skipped', reason: 'changed' });
      (await fixture.drive.files.contentOf(ids['d/x.txt'] ?? '')).toString().should.equal('old');
      await fixture.up();
      (await fixture.readDrive()).should.have.property('d/x.txt').startWith('changed');
    });
  }

  it('a file is not removed if others move its folder while another file in it is replaced', async () => {
    const ids = await fixture.writeDrive({ 'first.txt': 'old', 'd/x.txt': 'old', 'd/extra.txt': 'extra' });
    await fixture.writeDisk({ 'first.txt': 'the largest', 'd/x.txt': 'changed' });
    const folderId = await fixture.drive.files.addFolder('archive');
    const moved = { id: ids['d/'] ?? '', folderId, name: '', fields: 'id', restore: false } as const;
    const until = [
      () => fixture.clock.sleep(60_000),
      async () => void (await fixture.client.move({ ...moved, ifExists: 'duplicate' })),
    ];
    for (const [index, each] of until.entries())
      fixture.drive.faults.add({ kind: 'delay', until: each, match: { path: /upload/, nth: index + 1 } });
    (await fixture.up({ extra: 'delete' })).summary.should.containEql({ updated: 2, removed: 0 });
    should(fixture.drive.files.find(ids['d/extra.txt'] ?? '')).be.ok();
  });

  it('a changed file that others have moved while other folders were listed keeps its content', async () => {
    const ids = await fixture.writeDrive({ 'x.txt': 'old', 'd/y.txt': 'old' });
    await fixture.writeDisk({ 'x.txt': 'changed', 'd/y.txt': 'changed' });
    const folderId = await fixture.drive.files.addFolder('archive');
    const moved = { id: ids['x.txt'] ?? '', folderId, name: '', fields: 'id', restore: false } as const;
    const until = async (): Promise<void> => {
      await fixture.client.move({ ...moved, ifExists: 'duplicate' });
      await fixture.clock.sleep(60_000);
    };
    const match = { method: 'GET', path: /files$/, nth: 2 };
    fixture.drive.faults.add({ kind: 'delay', until, match });
    (await fixture.up()).summary.should.containEql({ updated: 1, skipped: 1 });
    (await fixture.drive.files.contentOf(ids['x.txt'] ?? '')).toString().should.equal('old');
  });

  it('changed files are replaced as always, also behind a shortcut', async () => {
    const elsewhere = await fixture.drive.files.addFolder('elsewhere');
    const id = await fixture.drive.files.add({ name: 'x.txt', parent: elsewhere, content: 'old' });
    await fixture.add('d', { mimeType: SHORTCUT, shortcutTarget: elsewhere });
    await fixture.writeDrive({ 'first.txt': 'old', 'e/x.txt': 'old' });
    await fixture.writeDisk({ 'first.txt': 'the largest', 'd/x.txt': 'changed', 'e/x.txt': 'changed' });
    const until = (): Promise<void> => fixture.clock.sleep(60_000);
    fixture.drive.faults.add({ kind: 'delay', until, match: { path: /upload/ } });
    (await fixture.up()).summary.should.containEql({ updated: 3, skipped: 0, failed: 0 });
    (await fixture.drive.files.contentOf(id)).toString().should.equal('changed');
  });
});

describe('sync up without retries', () => {
  const fixture = syncFixture({ retryFor: 0, maxTransfers: 1 });

  it('a folder that can’t be looked up once fails only the file for which that was asked', async () => {
    const ids = await fixture.writeDrive({ 'first.txt': 'old', 'd/x.txt': 'old', 'd/y.txt': 'old' });
    await fixture.writeDisk({ 'first.txt': 'the largest', 'd/x.txt': 'changed', 'd/y.txt': 'changed' });
    const until = (): Promise<void> => fixture.clock.sleep(60_000);
    fixture.drive.faults.add({ kind: 'delay', until, match: { path: /upload/ } });
    const match = { method: 'GET', path: new RegExp(`/files/${ids['d/'] ?? ''}$`) };
    fixture.drive.faults.add({ kind: 'error', reason: 'backendError', match });
    (await fixture.up()).summary.should.containEql({ updated: 2, failed: 1 });
  });

  it('a file whose upload got no response isn’t reported as unknown, because the next run finds it', async () => {
    await fixture.writeDisk({ 'a.txt': 'a' });
    fixture.drive.faults.add({ kind: 'lostResponse', match: { path: /upload/ } });
    const [change] = (await fixture.up()).changes;
    const { code, isOutcomeUnknown } = change?.error as DriveError;
    [code, isOutcomeUnknown].should.eql(['network', false]);
    (await fixture.up()).summary.should.containEql({ created: 0, unchanged: 1 });
  });
});
