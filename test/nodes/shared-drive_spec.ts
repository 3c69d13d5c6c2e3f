/** Every node with an account of a shared drive, whose files require `supportsAllDrives` in each request. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { TOKEN } from '../support/client/test-client';
import { bytes } from '../support/content';
import { fileRequests, useDrive } from '../support/node-red/flow-drive';
import { type Ending, load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

describe('nodes with an account of a shared drive', () => {
  useNodeRed();
  const drive = useDrive({ token: TOKEN });
  let driveId: string;

  beforeEach(async () => {
    driveId = await drive().files.addSharedDrive('Team');
    // Must never be found or changed.
    await drive().files.add({ name: 'team.txt', content: 'mine' });
  });
  afterEach(() => {
    for (const request of fileRequests(drive())) {
      // These methods have no such parameter, and neither have session URLs.
      if (/generateIds|\/export\?|upload_id=|\/about/.test(request)) continue;
      request.should.containEql('supportsAllDrives=true');
    }
  });

  const run = async (type: string, more: object, msg: Record<string, unknown>): Promise<Ending> => {
    const node = { id: 'n', type: `cloud-drive-${type}`, ...more };
    const flow = await load([node], { url: drive().url, service: 'google', account: { driveId } });
    const ending = await flow.run('n', msg);
    await helper.unload();
    return ending;
  };
  const listed = (ending: Ending): string[] =>
    (passed(ending).payload as { name: string }[]).map(({ name }) => name).sort();
  const idOf = (ending: Ending): string => (passed(ending).payload as { id: string }).id;
  const add = (name: string, parent = driveId, content = 'content') =>
    drive().files.add({ name, parent, content });
  const names = (parent = driveId): string[] => drive().files.untrashedNames(parent).sort();
  const textOf = async (id: string): Promise<string> => (await drive().files.contentOf(id)).toString();

  it('shortcuts lead out of the shared drive, also on paths and to folders in their target', async () => {
    const mine = await drive().files.addFolder('mine');
    const sub = await drive().files.addFolder('sub', mine);
    await add('deep.txt', await drive().files.addFolder('deeper', sub), 'deep');
    const mimeType = 'application/vnd.google-apps.shortcut';
    await drive().files.add({ name: 'out', parent: driveId, mimeType, shortcutTarget: mine });
    const text = { output: 'string' };
    const file = '/out/sub/deeper/deep.txt';
    passed(await run('download', text, { payload: file })).should.containEql({ payload: 'deep' });
    listed(await run('list-folders', {}, { payload: '/out/sub' })).should.eql(['deeper']);
    const tree = { recursive: true, text: '', textType: 'str', fields: 'name' };
    for (const folderId of ['/out', '/out/sub', driveId])
      listed(await run('search-files', tree, { payload: { folderId } })).should.eql(
        folderId === driveId ? ['deep.txt', 'out'] : ['deep.txt'],
      );
    const folder = { folder: '/out/sub', folderType: 'str' };
    passed(await run('upload', { ...folder, targetName: 'up.txt', ifExists: 'error' }, { payload: 'x' }));
    failed(
      await run('upload', { ...folder, targetName: 'up.txt', ifExists: 'error' }, { payload: 'x' }),
      'conflict',
    );
    passed(await run('create-folder', folder, { payload: 'deeper' })).should.containEql({ created: false });
    names(sub).should.eql(['deeper', 'up.txt']);
    const local = await mkdtemp(path.join(tmpdir(), 'shared-drive-'));
    const down = {
      direction: 'down',
      localPath: local,
      localPathType: 'str',
      folder: driveId,
      folderType: 'str',
    };
    passed(await run('sync', down, {}));
    should(await readFile(path.join(local, file.slice(1)), 'utf8')).equal('deep');
    await rm(local, { recursive: true });
  });

  it('list-folders lists the folders of the root and of a path of the shared drive', async () => {
    const outer = await drive().files.addFolder('outer', driveId);
    await drive().files.addFolder('inner', outer);
    await drive().files.addFolder('of My Drive');
    listed(await run('list-folders', {}, { payload: '' })).should.eql(['outer']);
    listed(await run('list-folders', {}, { payload: '/' })).should.eql(['outer']);
    listed(await run('list-folders', {}, { payload: '/outer' })).should.eql(['inner']);
    listed(await run('list-folders', {}, { payload: driveId })).should.eql(['outer']);
  });

  it('search-files searches the whole shared drive and nothing else', async () => {
    const outer = await drive().files.addFolder('outer', driveId);
    await add('team.txt', outer);
    await add('team other.txt', await drive().files.addSharedDrive('Other'));
    listed(await run('search-files', {}, { payload: 'team' })).should.eql(['team.txt']);
    const everything = { folder: '', folderType: 'str', text: '', textType: 'str' };
    listed(await run('search-files', everything, {})).should.eql(['team.txt']);
    const payload = { folderId: '/', text: 'eam' };
    const deep = { recursive: true, match: 'anywhere' };
    listed(await run('search-files', deep, { payload })).should.eql(['team.txt']);
    listed(await run('search-files', {}, { payload: { folderId: '/outer', text: '' } })).should.eql([
      'team.txt',
    ]);
  });

  for (const [description, size] of [
    ['in one request', 1_000],
    ['in a resumable session', 6_000_000],
  ] as const) {
    it(`upload uploads ${description} to the root and to a path, and replaces a file`, async () => {
      const up = (payload: Buffer, folderId: unknown, more = {}) =>
        run('upload', { createFolders: true, ...more }, { payload, filename: 'a.bin', folderId });
      const first = bytes(size);
      const id = idOf(await up(first, ''));
      should(drive().files.find(id)?.parent).equal(driveId);
      const at = '/Backups/2026';
      const deep = idOf(await up(first, at));
      names().should.eql(['Backups', 'a.bin']);
      const second = bytes(size, 2);
      idOf(await up(second, at, { ifExists: 'replace' })).should.equal(deep);
      (await drive().files.contentOf(deep)).equals(second).should.be.true();
      (await drive().files.contentOf(id)).equals(first).should.be.true();
    });
  }

  it('download downloads to the message and to disk, and exports a document', async () => {
    const id = await add('a.txt');
    should(passed(await run('download', { output: 'string' }, { payload: '/a.txt' })).payload).equal(
      'content',
    );
    const folder = await mkdtemp(path.join(tmpdir(), 'shared-drive-'));
    const filename = path.join(folder, 'a.txt');
    const down = passed(await run('download', { output: 'file' }, { payload: id, filename }));
    should(down['file']).have.property('parents', [driveId]);
    (await readFile(filename, 'utf8')).should.equal('content');
    await rm(folder, { recursive: true });
    const mimeType = 'application/vnd.google-apps.document';
    await drive().files.add({ name: 'doc', parent: driveId, mimeType });
    const exported = { output: 'string', exportFormat: 'txt' };
    passed(await run('download', exported, { payload: '/doc' })).payload!.should.be.a.String();
  });

  it('delete deletes and trashes by id and by path, but never the root', async () => {
    const [a] = [await add('a'), await add('b'), await add('c')];
    passed(await run('delete', {}, { payload: a }));
    passed(await run('delete', { mode: 'trash' }, { payload: '/b' }));
    names().should.eql(['c']);
    for (const payload of [driveId, '/', 'root'])
      failed(await run('delete', { allowFolders: true }, { payload }), 'invalid_input', 'root');
  });

  it('create-folder creates folders in the root and at a path once', async () => {
    const first = passed(await run('create-folder', {}, { payload: '/2026/11' }));
    const again = passed(await run('create-folder', {}, { payload: '/2026/11' }));
    should(first).containEql({ created: true });
    should(again).containEql({ created: false });
    idOf(await run('create-folder', {}, { payload: 'plain' })).should.be.a.String();
    names().should.eql(['2026', 'plain']);
  });

  it('move moves, renames, copies and restores files of the shared drive', async () => {
    const id = await add('a.txt');
    const to = await drive().files.addFolder('to', driveId);
    passed(await run('move', { folder: '/to', targetName: 'b.txt' }, { payload: '/a.txt' }));
    should(drive().files.find(id)).containEql({ parent: to, name: 'b.txt' });
    passed(await run('move', { folder: '/' }, { payload: '/to/b.txt' }));
    should(drive().files.find(id)?.parent).equal(driveId);
    passed(await run('move', { folder: '/' }, { payload: id }));
    const copied = idOf(await run('move', { action: 'copy', folder: '/to' }, { payload: id }));
    (await textOf(copied)).should.equal('content');
    passed(await run('delete', { mode: 'trash' }, { payload: id }));
    passed(await run('move', { action: 'restore' }, { payload: '/b.txt' }));
    names().should.eql(['b.txt', 'to']);
  });

  it('move with replace moves the existing file to the trash of the shared drive', async () => {
    const to = await drive().files.addFolder('to', driveId);
    const [id, old] = [await add('a.txt'), await add('a.txt', to, 'old')];
    passed(await run('move', { folder: '/to', ifExists: 'replace' }, { payload: id }));
    should(drive().files.find(old)?.trashed).equal(true);
    names(to).should.eql(['a.txt']);
  });

  it('move moves files between drives by id, but rejects folders with an explanation', async () => {
    const mine = await drive().files.addFolder('mine');
    const id = await add('a.txt');
    passed(await run('move', { folder: mine }, { payload: id }));
    should(drive().files.find(id)?.parent).equal(mine);
    passed(await run('move', { folder: '/' }, { payload: id }));
    should(drive().files.find(id)?.parent).equal(driveId);
    const copied = idOf(await run('move', { action: 'copy', folder: mine }, { payload: '/a.txt' }));
    should(drive().files.find(copied)?.parent).equal(mine);
    failed(
      await run('move', { folder: '/' }, { payload: mine }),
      'permission_denied',
      "can't be moved between My Drive and shared drives",
    );
    failed(await run('move', { folder: '/' }, { payload: driveId }), 'invalid_input', 'root');
  });

  it('prune moves to the trash and deletes permanently', async () => {
    const backups = await drive().files.addFolder('Backups', driveId);
    for (let day = 1; day <= 5; day++) await add(`backup-2026-11-0${day}.tar`, backups);
    const rules = { dateFrom: 'name', dryRun: false };
    passed(await run('prune', { ...rules, keepNewest: 4 }, { payload: '/Backups' }));
    names(backups).should.have.length(4);
    passed(await run('prune', { ...rules, keepNewest: 2, mode: 'permanent' }, { payload: backups }));
    names(backups).should.eql(['backup-2026-11-04.tar', 'backup-2026-11-05.tar']);
    drive().files.in(backups).should.have.length(3);
    await add('of the root');
    const root = { folder: '/', folderType: 'str', ...rules, keepNewest: 1, minimum: 0 };
    passed(await run('prune', root, {}));
    names().should.eql(['Backups', 'of the root']);
  });

  it('nodes report what the role of the user does not allow', async () => {
    const id = await add('a.txt');
    await drive().files.setRole(driveId, 'writer');
    failed(await run('delete', {}, { payload: id }), 'permission_denied');
    failed(await run('delete', { mode: 'trash' }, { payload: id }), 'permission_denied');
    await drive().files.setRole(driveId, 'reader');
    failed(await run('upload', {}, { payload: 'x', filename: 'x' }), 'permission_denied');
    failed(await run('create-folder', {}, { payload: 'x' }), 'permission_denied');
    should(passed(await run('download', { output: 'string' }, { payload: id })).payload).equal('content');
    names().should.eql(['a.txt']);
  });

  it('nodes fail with not_found if the shared drive does not exist', async () => {
    driveId = '0AnoneUk9PVA';
    failed(await run('list-folders', {}, { payload: '' }), 'not_found');
    failed(await run('search-files', {}, { payload: 'x' }), 'not_found');
    failed(await run('upload', {}, { payload: 'x', filename: 'x' }), 'not_found');
  });

  it('about sends the user and the quota', async () => {
    passed(await run('about', {}, {})).payload!.should.have.properties('user', 'storageQuota');
  });
});
