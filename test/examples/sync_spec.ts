/** Examples that synchronize folders, imported into a real Node-RED and run with the local drive. */
import { rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { contentsOf, writeTree } from '../support/archive/tree';
import { exampleFixture } from '../support/node-red/example-fixture';

describe('examples that synchronize folders', () => {
  const fixture = exampleFixture();
  let disk: string;
  beforeEach(() => (disk = path.join(fixture.folder, 'synchronized')));
  afterEach(() => rm(disk, { recursive: true, force: true }));

  /** Runs an example. @returns the numbers of its result that aren't 0 */
  async function run(name: string, { inject = 0, debug = 'result', nth = 1 } = {}): Promise<object> {
    await fixture.examples.pressInject(name, inject);
    const { payload } = await fixture.examples.debugMessage(name, debug, nth);
    return Object.fromEntries(
      Object.entries(payload as object).filter(([key, value]) => key !== 'bytes' && Number(value) > 0),
    );
  }
  const contentOf = async (...names: string[]): Promise<string> =>
    (await fixture.drive.files.contentOf(fixture.idAt(...names))).toString();

  it('copy-folder uploads only new and changed files', async () => {
    await writeTree(disk, { 'a.txt': 'a', 'letters/2026/b.txt': 'b', 'letters/2026/c.txt': 'c' });
    await fixture.examples.deploy('copy-folder', fixture.drive.url, { '/home/pi/documents': disk });
    should(await run('copy-folder')).eql({ created: 3 });
    fixture
      .namesIn(fixture.idAt('Documents', 'letters', '2026'))
      .sort()
      .should.eql(['b.txt', 'c.txt']);
    should(await run('copy-folder', { nth: 2 })).eql({ unchanged: 3 });

    const file = path.join(disk, 'letters/2026/b.txt');
    await writeFile(file, 'B');
    await utimes(file, new Date(), Date.now() / 1_000 + 60);
    await rm(path.join(disk, 'a.txt'));
    const id = fixture.idAt('Documents', 'letters', '2026', 'b.txt');
    should(await run('copy-folder', { nth: 3 })).eql({ updated: 1, unchanged: 1 });
    (await fixture.drive.files.contentOf(id)).toString().should.equal('B');
    fixture.namesIn(fixture.idAt('Documents')).sort().should.eql(['a.txt', 'letters']);
  });

  it('sync-when-online deletes old files on disk only after a run that uploaded everything', async () => {
    const old = path.join(disk, 'it’s', 'old.jpg');
    await writeTree(disk, { 'it’s/old.jpg': 'old', 'new.jpg': 'new' });
    await utimes(old, new Date(), Date.now() / 1_000 - 8 * 86_400);
    const paths = { '/home/pi/outbox': disk };
    await fixture.examples.deploy('sync-when-online', fixture.drive.url, paths);
    fixture.drive.faults.add({ kind: 'error', reason: 'insufficientPermissions', match: { method: 'POST' } });
    await fixture.examples.pressInject('sync-when-online');
    await fixture.examples.debugMessage('sync-when-online', 'error');
    (await contentsOf(disk)).should.have.properties('it’s/old.jpg', 'new.jpg');

    await fixture.examples.pressInject('sync-when-online');
    const { result } = await fixture.examples.debugMessage('sync-when-online', 'result');
    should(result).containEql({ skipped: 0, failed: 0 });
    (await contentsOf(disk)).should.have.property('new.jpg').and.not.have.property('it’s/old.jpg');
    (await contentOf('Outbox', 'it’s', 'old.jpg')).should.equal('old');
    (await contentOf('Outbox', 'new.jpg')).should.equal('new');
  });

  it('upload-camera-folder uploads pictures and videos in any case, but no previews, and reports the progress', async () => {
    const pictures = {
      '2026/a.jpg': 'picture',
      'IMG_0001.JPG': 'picture',
      'b.mp4': 'video',
      'c.HEIC': 'picture',
    };
    const others = {
      'index.tmp': 'x',
      '2026/.hidden': 'x',
      '.thumbnails/a.jpg': 'x',
      'b.THM': 'x',
      'Thumbs.db': 'x',
    };
    await writeTree(disk, { ...pictures, ...others, '2026/@eaDir/a.jpg': 'x' });
    await fixture.examples.deploy('upload-camera-folder', fixture.drive.url, { '/home/pi/camera': disk });
    should(await run('upload-camera-folder')).eql({ created: 4 });
    const names = ['2026', 'IMG_0001.JPG', 'b.mp4', 'c.HEIC'];
    fixture.namesIn(fixture.idAt('Camera')).sort().should.eql(names);
    const { payload } = await fixture.examples.debugMessage('upload-camera-folder', 'progress');
    should(payload).containEql({ percent: 100, files: 4, totalFiles: 4 });
  });

  it('mirror-drive-to-nas lists the plan, then downloads new files and deletes others', async () => {
    const photos = await fixture.drive.files.addFolder('Photos');
    const year = await fixture.drive.files.addFolder('2026', photos);
    await fixture.drive.files.add({ name: 'a.jpg', parent: year, content: 'picture' });
    await writeTree(disk, { 'old.jpg': 'old' });
    await fixture.examples.deploy('mirror-drive-to-nas', fixture.drive.url, { '/mnt/nas/photos': disk });
    should(await run('mirror-drive-to-nas', { debug: 'plan' })).eql({ dryRun: true, created: 1, removed: 1 });
    (await contentsOf(disk)).should.have.properties('old.jpg').and.not.have.property('2026/a.jpg');
    should(await run('mirror-drive-to-nas', { inject: 1 })).eql({ created: 1, removed: 1 });
    (await contentsOf(disk)).should.have.property('2026/a.jpg').and.not.have.property('old.jpg');
  });

  it('publish-static-site uploads pages with new content, removes old ones, and reports changes once', async () => {
    const paths = { '/home/pi/site/public': disk };
    await writeTree(disk, { 'index.html': 'one', 'old/page.html': 'old' });
    await fixture.examples.deploy('publish-static-site', fixture.drive.url, paths);
    should(await run('publish-static-site')).eql({ created: 2 });
    await fixture.examples.debugMessage('publish-static-site', 'published');

    await rm(path.join(disk, 'old'), { recursive: true });
    await writeTree(disk, { 'index.html': 'two' });
    should(await run('publish-static-site', { nth: 2 })).eql({ updated: 1, removed: 1 });
    (await contentOf('Site', 'index.html')).should.equal('two');
    fixture.namesIn(fixture.idAt('Site')).should.eql(['index.html']);
    await fixture.examples.debugMessage('publish-static-site', 'published', 2);
  });
});
