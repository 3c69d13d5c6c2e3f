/** Symbolic links on disk and shortcuts on the drive. */
import 'should';
import { symlink, writeFile } from 'node:fs/promises';
import { syncFixture } from '../../support/sync/sync-fixture';
import { TIME, skippedIn } from '../../support/sync/trees';

const SHORTCUT = 'application/vnd.google-apps.shortcut';

describe('links in a synchronization', () => {
  const fixture = syncFixture();
  const addShortcut = (name: string, shortcutTarget: string, parent = fixture.folderId): Promise<string> =>
    fixture.drive.files.add({ name, parent, mimeType: SHORTCUT, shortcutTarget });

  it('symbolic links are skipped and reported', async () => {
    await fixture.writeDisk({ 'a.txt': 'a' });
    await symlink(fixture.path('a.txt'), fixture.path('link.txt'));
    const { changes } = await fixture.up();
    changes
      .map(({ path, action, reason }) => [path, action, reason])
      .should.containDeep([['link.txt', 'skipped', 'symlink']]);
    Object.keys(await fixture.readDrive()).should.eql(['a.txt']);
  });

  it('followed links stand for what they point to, inside the folder only', async () => {
    await fixture.writeDisk({ 'd/a.txt': 'a' });
    await writeFile(`${fixture.path()}-secret`, 'secret');
    await symlink('d', fixture.path('folder'));
    await symlink('d/a.txt', fixture.path('file'));
    await symlink(`${fixture.path()}-secret`, fixture.path('outside'));
    const { changes } = await fixture.up({ symlinks: 'follow' });
    (await fixture.readDrive()).should.eql({
      'd/': '',
      'd/a.txt': `a @${TIME}`,
      'folder/': '',
      'folder/a.txt': `a @${TIME}`,
      file: `a @${TIME}`,
    });
    skippedIn(changes).should.eql([['outside', 'symlink_outside']]);
  });

  it('shortcuts are followed once, and loops end', async () => {
    const ids = await fixture.writeDrive({ 'd/a.txt': 'a' });
    const other = await fixture.drive.files.addFolder('other');
    await fixture.drive.files.add({ name: 'o.txt', parent: other, content: 'o', modifiedTime: TIME * 1_000 });
    await addShortcut('file', ids['d/a.txt'] ?? '');
    await addShortcut('folder', other);
    await addShortcut('loop', fixture.folderId, ids['d/']);
    await addShortcut('gone', await addShortcut('x', other, other), other);
    const { changes } = await fixture.down();
    (await fixture.readDisk()).should.eql({
      'd/': '',
      'd/a.txt': `a @${TIME}`,
      file: `a @${TIME}`,
      'folder/': '',
      'folder/o.txt': `o @${TIME}`,
    });
    const skipped = skippedIn(changes);
    skipped.sort().should.eql([
      ['d/loop', 'shortcut_seen'],
      ['folder/gone', 'shortcut_target'],
      ['folder/x', 'shortcut_seen'],
    ]);
  });

  it('of two paths to one shortcut the first is followed, whatever list arrives first', async () => {
    const ids = await fixture.writeDrive({ 'a.txt': 'a' });
    const target = await fixture.drive.files.addFolder('target');
    await addShortcut('file', ids['a.txt'] ?? '', target);
    // More folders than two queries can list.
    const folders: string[] = [];
    for (let index = 100; index < 240; index++) {
      folders.push(await fixture.drive.files.addFolder(`d${index}`, fixture.folderId));
    }
    const [first = '', second = ''] = [folders[60], folders[120]];
    await addShortcut('x', target, first);
    await addShortcut('x', target, second);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    fixture.drive.faults.add({ kind: 'delay', until: released, match: { query: first } });
    const until = (): Promise<void> => Promise.resolve(setImmediate(release)).then(() => undefined);
    fixture.drive.faults.add({ kind: 'delay', until, match: { query: second } });
    const { changes } = await fixture.down();
    const seen = changes.filter(({ reason }) => reason === 'shortcut_seen').map(({ path }) => path);
    seen.should.eql(['d220/x/file']);
  });

  it('a shortcut to the root in a synchronization of the root is a loop', async () => {
    const loops = await fixture.drive.files.addFolder('loops');
    await addShortcut('root', fixture.drive.files.rootId, loops);
    const { changes } = await fixture.down({ folderId: '', exclude: ['/folder', '/other', '/target'] });
    changes.map(({ path, reason }) => [path, reason]).should.eql([['loops/root', 'shortcut_seen']]);
  });

  it('a shortcut in place of a folder on disk stands for its target, in which nothing is removed', async () => {
    const other = await fixture.drive.files.addFolder('other');
    const own = await fixture.drive.files.add({ name: 'own.txt', parent: other, content: 'own' });
    const shortcuts = [await addShortcut('d', other), await addShortcut('a.txt', own)];
    await fixture.writeDisk({ 'd/new.txt': 'n', 'a.txt': 'a' });
    const { changes } = await fixture.up({ extra: 'delete' });
    fixture.drive.files.names(other).should.eql(['own.txt', 'new.txt']);
    skippedIn(changes).should.eql([['a.txt', 'shortcut']]);
    fixture.drive.files
      .in(fixture.folderId)
      .map(({ id, mimeType }) => [id, mimeType])
      .should.eql(shortcuts.map((id) => [id, SHORTCUT]));
  });

  it('a shortcut given as the folder stands for its target', async () => {
    const ids = await fixture.writeDrive({ 'd/a.txt': 'a' });
    const folderId = await addShortcut('shortcut', ids['d/'] ?? '');
    await fixture.down({ folderId });
    (await fixture.readDisk()).should.eql({ 'a.txt': `a @${TIME}` });
  });

  it('extra files behind a followed link on disk are not deleted, because they are elsewhere too', async () => {
    await fixture.writeDrive({ 'real/a.txt': 'a' });
    await fixture.writeDisk({ 'real/a.txt': 'a' });
    await symlink('real', fixture.path('link'));
    const { summary } = await fixture.down({ symlinks: 'follow', extra: 'delete' });
    summary.should.containEql({ unchanged: 1, removed: 0, skipped: 0, failed: 0 });
    (await fixture.readDisk())['real/a.txt']?.should.equal(`a @${TIME}`);
  });

  it('what a followed link leads to on disk is not extra, because the drive has it under the name of the link', async () => {
    await fixture.writeDrive({ 'link/new.txt': 'n', file: 'f', 'real/a.txt': 'a' });
    await fixture.writeDisk({
      'real/a.txt': 'a',
      'real/file': 'f',
      'real/deep/old.txt': 'o',
      'old.txt': 'o',
    });
    await symlink('real', fixture.path('link'));
    await symlink('real/file', fixture.path('file'));
    for (const removed of [1, 0]) {
      const { summary } = await fixture.down({ symlinks: 'follow', extra: 'delete' });
      summary.should.containEql({ removed, skipped: 0, failed: 0 });
      Object.keys(await fixture.readDisk()).should.containDeep(['real/file', 'real/new.txt']);
    }
  });

  it('what a shortcut leads to is not extra, because the disk has it under the name of the shortcut', async () => {
    const ids = await fixture.writeDrive({ 'real/a.txt': 'a', 'old.txt': 'o' });
    await addShortcut('short', ids['real/'] ?? '');
    await fixture.writeDisk({ 'short/new.txt': 'n', 'b.txt': 'b' });
    for (const removed of [1, 0]) {
      const { summary } = await fixture.up({ extra: 'delete' });
      summary.should.containEql({ removed, skipped: 0, failed: 0 });
      Object.keys(await fixture.readDrive()).should.containDeep(['real/a.txt', 'real/new.txt']);
    }
  });

  it('a shortcut without a target keeps the folder on disk, also if no pattern includes its name', async () => {
    await fixture.writeDrive({ 'b.jpg': 'b' });
    await addShortcut('album', 'missing');
    const onDisk = { 'album/': '', 'album/a.jpg': `a @${TIME}`, 'b.jpg': `b @${TIME}` };
    await fixture.writeDisk(onDisk);
    await fixture.down({ include: ['*.jpg'], extra: 'delete' });
    (await fixture.readDisk()).should.eql(onDisk);
  });
});
