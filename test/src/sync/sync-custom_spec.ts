/** Synchronization with services that support less than Google Drive. */
import 'should';
import { readFile } from 'node:fs/promises';
import { CAPABILITIES } from '../../../src/capabilities';
import { isDriveError } from '../../../src/index';
import { rejected } from '../../support/client/rejected';
import { createTestClient } from '../../support/client/test-client';
import { md5 } from '../../support/content';
import { useDisk } from '../../support/disk';
import { SYNC_DEFAULTS, syncFixture } from '../../support/sync/sync-fixture';
import { TIME, readDisk, writeDisk } from '../../support/sync/trees';
import { MINIMAL_FOLDER, type MinimalService, startMinimalService } from '../../local-drive/minimal-service';
import { TOKEN } from '../../support/client/test-client';

describe('synchronization with the minimal service', () => {
  const disk = useDisk();
  let service: MinimalService;
  let env: ReturnType<typeof createTestClient>;
  before(async () => {
    service = await startMinimalService({ token: TOKEN });
  });
  after(() => service.close());
  beforeEach(() => {
    env = createTestClient(service.url, {
      service: { can: CAPABILITIES.custom, folderMimeType: MINIMAL_FOLDER },
    });
  });
  afterEach(() => env.close());
  const request = (direction: 'up' | 'down', folderId: string) =>
    ({ ...SYNC_DEFAULTS, direction, folderId, localPath: disk('folder') }) as const;

  it('up creates missing files, and sends nothing in a second run', async () => {
    const folder = service.add({ name: 'up', mimeType: MINIMAL_FOLDER });
    // The service can't create folders.
    service.add({ name: 'd', parent: folder, mimeType: MINIMAL_FOLDER });
    await writeDisk(disk('folder'), { 'a.txt': 'a', 'd/b.txt': 'b' });
    const first = await env.client.sync(request('up', folder));
    first.summary.should.containEql({ created: 2, failed: 0 });
    const second = await env.client.sync(request('up', folder));
    second.summary.should.containEql({ created: 0, updated: 0, skipped: 2 });
    second.changes.map(({ reason }) => reason).should.eql(['not_comparable', 'not_comparable']);
  });

  it('down downloads missing files', async () => {
    const folder = service.add({ name: 'down', mimeType: MINIMAL_FOLDER });
    const inside = service.add({ name: 'd', parent: folder, mimeType: MINIMAL_FOLDER });
    service.add({ name: 'a.txt', parent: folder, content: 'a' });
    service.add({ name: 'b.txt', parent: inside, content: 'b' });
    const { summary } = await env.client.sync(request('down', folder));
    summary.should.containEql({ created: 2, failed: 0 });
    const contents = Object.entries(await readDisk(disk('folder'))).map(([path, text]) => [
      path,
      text.split(' @')[0],
    ]);
    contents.sort().should.eql([
      ['a.txt', 'a'],
      ['d/', ''],
      ['d/b.txt', 'b'],
    ]);
    (await env.client.sync(request('down', folder))).summary.should.containEql({ created: 0, skipped: 2 });
  });

  it('up to a service that can’t create folders is not configured, with nothing written', async () => {
    const folder = service.add({ name: 'up', mimeType: MINIMAL_FOLDER });
    await writeDisk(disk('folder'), { 'a.txt': 'a', 'd/b.txt': 'b', 'e/f/': '' });
    const { summary, error } = await env.client.sync(request('up', folder));
    isDriveError(error, 'not_configured').should.be.true();
    error?.text.should.equal('not_configured_sync_folders');
    error?.params['name']?.should.equal('d');
    summary.should.containEql({ created: 0, failed: 0 });
    [...service.files.values()].filter(({ parents }) => parents.includes(folder)).should.eql([]);
  });

  describe('and an account without a MIME type of folders', () => {
    beforeEach(() => {
      env.close();
      env = createTestClient(service.url, { service: { can: CAPABILITIES.custom, folderMimeType: '' } });
    });

    it('up uploads a folder without subfolders', async () => {
      const folder = service.add({ name: 'up', mimeType: MINIMAL_FOLDER });
      await writeDisk(disk('folder'), { 'a.txt': 'a' });
      for (const dryRun of [true, false]) {
        const { summary } = await env.client.sync({ ...request('up', folder), dryRun });
        summary.should.containEql({ created: 1, failed: 0 });
      }
    });

    it('up with missing folders is not configured, with nothing written', async () => {
      const folder = service.add({ name: 'up', mimeType: MINIMAL_FOLDER });
      await writeDisk(disk('folder'), { 'a.txt': 'a', 'd/': '' });
      for (const dryRun of [true, false])
        await rejected(env.client.sync({ ...request('up', folder), dryRun }), 'not_configured');
      [...service.files.values()].filter(({ parents }) => parents.includes(folder)).should.eql([]);
    });

    it('down, and up with extra files, are not configured, because a folder may look like a file', async () => {
      await writeDisk(disk('folder'), {});
      await rejected(env.client.sync(request('down', 'root')), 'not_configured');
      await rejected(env.client.sync({ ...request('up', 'root'), extra: 'delete' }), 'not_configured');
    });
  });
});

describe('synchronization with a custom service that keeps sizes and times', () => {
  const fixture = syncFixture({ service: { can: CAPABILITIES.custom } });

  it('trees are the same after up and down, with one list per folder', async () => {
    const tree = { 'a.txt': 'one @1600000000', 'b/': '', 'b/c/': '', 'b/c/d.txt': 'x @1600000001' };
    await fixture.writeDisk(tree);
    (await fixture.up()).summary.should.containEql({ created: 2, failed: 0 });
    (await fixture.readDrive()).should.eql(tree);
    fixture.requests();
    (await fixture.up()).changes.should.eql([]);
    fixture.requests().should.eql({ 'GET files': 3 });
    await fixture.writeDrive({ 'new.txt': 'new' });
    await fixture.down();
    (await fixture.readDisk()).should.eql({ ...tree, 'new.txt': `new @${TIME}` });
  });

  it('down verifies a file whose checksum is listed without its size', async () => {
    const content = 'content';
    const file = {
      id: await fixture.add('a.txt', { content }),
      name: 'a.txt',
      mimeType: 'text/plain',
      md5Checksum: md5(Buffer.from(content)),
    };
    fixture.drive.faults.add({ kind: 'response', body: { files: [file] }, match: { path: /files$/ } });
    (await fixture.down()).summary.should.containEql({ created: 1, failed: 0 });
    (await readFile(fixture.path('a.txt'), 'utf8')).should.equal(content);
  });

  it('a shortcut is skipped, and not reported as broken', async () => {
    const { 'a.txt': shortcutTarget = '' } = await fixture.writeDrive({ 'a.txt': 'a' });
    const mimeType = 'application/vnd.google-apps.shortcut';
    await fixture.add('link', { mimeType, shortcutTarget });
    const { changes } = await fixture.down();
    changes.map(({ path, reason }) => [path, reason]).should.containDeep([['link', 'shortcut']]);
  });

  it('extra files are deleted, and changed files replaced', async () => {
    await fixture.writeDrive({ 'a.txt': 'old', 'x/y.txt': 'y', 'z.txt': 'z' });
    await fixture.writeDisk({ 'a.txt': 'newer @1700000500' });
    const { summary } = await fixture.up({ extra: 'delete' });
    summary.should.containEql({ updated: 1, removed: 2, failed: 0 });
    (await fixture.readDrive()).should.eql({ 'a.txt': 'newer @1700000500' });
  });

  it('an interrupted download of a file without a checksum starts over if the file has changed', async () => {
    const [old, changed] = ['a'.repeat(2_000), 'b'.repeat(2_000)];
    const { 'a.txt': id = '' } = await fixture.writeDrive({ 'a.txt': old });
    const { drive } = fixture;
    const isMetadata = ({ params }: { params: URLSearchParams }): boolean => params.get('alt') === null;
    /** The service reports no checksums. */
    const answerTo = (path: RegExp, modifiedTime: string): void => {
      const file = { id, name: 'a.txt', mimeType: 'text/plain', size: '2000', modifiedTime };
      const body = path.source.includes(id) ? file : { files: [file] };
      const match = { method: 'GET', path, when: isMetadata };
      drive.faults.add({ kind: 'response', status: 200, body, match });
    };
    answerTo(/files$/, '2026-11-22T10:00:00.000Z');
    const until = async (): Promise<void> => {
      const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'text/plain' };
      const url = `${drive.url}/upload/drive/v3/files/${id}?uploadType=media`;
      await fetch(url, { method: 'PATCH', headers, body: changed });
    };
    const path = new RegExp(`v3/files/${id}$`);
    drive.faults.add({ kind: 'delay', until, match: { method: 'GET', path, when: isMetadata } });
    answerTo(path, '2026-11-22T10:00:01.000Z');
    drive.faults.add({ kind: 'resetResponse', bytes: 1_000, match: { query: /alt=media/ } });
    await fixture.down();
    (await readFile(fixture.path('a.txt'), 'utf8')).should.equal(changed);
  });
});
