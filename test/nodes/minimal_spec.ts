/** All nodes with a minimal custom service: docs/signing-in.md, "A service of your own". */
import { readFile, writeFile } from 'node:fs/promises';
import type { NodeMessage } from 'node-red';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { MINIMAL_FOLDER, type MinimalService, startMinimalService } from '../local-drive/minimal-service';
import { CLIENT, REFRESH_TOKEN } from '../support/node-red/account';
import { tar } from '../support/archive/tar-builder';
import { bytes, md5 } from '../support/content';
import { useDisk } from '../support/disk';
import { type FlowNode, load, useNodeRed } from '../support/node-red/load';
import { MINE, minimalAccount } from '../support/node-red/minimal-account';
import { failed, passed } from '../support/node-red/outcome';

/** The service supports only the requests in that table, and the account has only the required properties. */
describe('nodes with a minimal custom service', () => {
  useNodeRed();
  const disk = useDisk();
  let service: MinimalService;
  let folder: string;

  before(async () => {
    service = await startMinimalService({ client: { ...CLIENT }, refreshToken: REFRESH_TOKEN });
  });
  beforeEach(() => {
    folder = service.add({ name: 'folder', mimeType: MINIMAL_FOLDER });
    service.requests.clear();
  });
  after(() => service.close());

  const loadNode = (node: Partial<FlowNode> & { type: string }, more: object = {}) =>
    load(
      [
        { id: 'n', account: 'mine', ...node, type: `cloud-drive-${node.type}` },
        minimalAccount(service, more),
      ],
      { credentials: MINE },
    );
  const requests = (): string[] =>
    service.requests.all
      .filter(({ path }) => path !== '/token')
      .map(({ method, path }) => `${method} ${path}`);

  it('the about node returns user and quota from a minimal service', async () => {
    const flow = await loadNode({ type: 'about' });
    should(passed(await flow.run('n')).payload).match({
      user: { displayName: 'Minimal User' },
      free: 1_000_000,
    });
  });

  it('the move node reports that a minimal service supports no moves, and changes nothing', async () => {
    const file = service.add({ name: 'a.txt', parent: folder, content: 'x' });
    for (const action of ['move', 'copy', 'restore']) {
      const flow = await loadNode({ type: 'move', targetName: 'b.txt', action });
      failed(
        await flow.run('n', { payload: file }),
        'bad_response',
        'status 405',
        "doesn't support this",
        'Nothing was changed',
      );
      await helper.unload();
    }
    requests()
      .every((each) => each.startsWith('GET '))
      .should.be.true();
  });

  it('the list folders node lists a folder of a minimal service', async () => {
    const inner = service.add({ name: 'inner', parent: folder, mimeType: MINIMAL_FOLDER });
    service.add({ name: 'file', parent: folder });
    const flow = await loadNode({ type: 'list-folders' });
    const sent = passed(await flow.run('n', { payload: folder }));
    should(sent.payload).match([{ id: inner, name: 'inner' }]);
    should(sent['truncated']).be.false();
  });

  it('the list folders node sends each folder in the root of a minimal service as a message', async () => {
    const flow = await loadNode({ type: 'list-folders', folder: '', folderType: 'str', output: 'each' });
    const { sent, error } = await flow.run('n');
    should(error).be.undefined();
    sent.map(({ payload }) => (payload as { id: string }).id).should.containEql(folder);
  });

  it('the search files node filters by kind at a minimal service, with and without a folder MIME type', async () => {
    const file = service.add({ name: 'a 42 x', parent: folder });
    const inner = service.add({ name: 'b 42 y', parent: folder, mimeType: MINIMAL_FOLDER });
    const idsOf = (payload: unknown) => (payload as { id: string }[]).map(({ id }) => id).sort();
    for (const [kind, ids, more] of [
      ['files', [file], {}],
      ['folders', [inner], {}],
      ['any', [file, inner], {}],
      ['files', [file], { folderMimeType: '' }],
    ] as const) {
      const flow = await loadNode({ type: 'search-files', kind }, more);
      idsOf(passed(await flow.run('n', { payload: { folderId: folder, text: '42' } })).payload).should.eql(
        [...ids].sort(),
      );
      await helper.unload();
    }
  });

  it('the search files node finds a name with a quote and a backslash at a minimal service', async () => {
    const id = service.add({ name: "it's \\ 1", parent: folder });
    const flow = await loadNode({ type: 'search-files' });
    should(passed(await flow.run('n', { payload: "'s \\" })).payload).match([{ id }]);
  });

  it('the download node returns the id and the headers’ metadata from a minimal service', async () => {
    const content = bytes(200_000);
    const id = service.add({ name: 'x', content });
    const flow = await loadNode({ type: 'download' });
    const sent = passed(await flow.run('n', { payload: id }));
    content.equals(sent.payload as Buffer).should.be.true();
    should(sent['file']).match({ id, mimeType: 'application/octet-stream' });
  });

  it('the download node saves files of a minimal service to a path and in a folder', async () => {
    const id = service.add({ name: 'x', content: 'content' });
    const flow = await loadNode({ type: 'download', output: 'file' });
    should(passed(await flow.run('n', { payload: id, filename: disk('a') })).payload).equal(disk('a'));
    should(passed(await flow.run('n', { payload: id, filename: `${disk('in')}/` })).payload).equal(
      disk('in', id),
    );
  });

  it('the delete node deletes files of a minimal service, and fails with not_found for missing ones', async () => {
    const flow = await loadNode({ type: 'delete' });
    const ids = ['a', 'b', 'c'].map((name) => service.add({ name, parent: folder }));
    should(passed(await flow.run('n', { payload: ids[0] })).payload).eql({ id: ids[0], result: 'deleted' });
    should(passed(await flow.run('n', { payload: ids.slice(1) })).payload).matchEach({ result: 'deleted' });
    failed(await flow.run('n', { payload: ids[0] }), 'not_found');
    for (const id of ids) service.files.has(id).should.be.false();
  });

  it('the delete node rejects the id of a non-empty folder of a minimal service unless folders are allowed', async () => {
    const file = service.add({ name: 'a', parent: folder });
    const withoutFolders = await loadNode({ type: 'delete' });
    failed(await withoutFolders.run('n', { payload: folder }), 'invalid_input', 'folder');
    failed(await withoutFolders.run('n', { payload: [folder, file] }), 'partial_failure', '1 of 2');
    service.files.has(folder).should.be.true();
    await helper.unload();
    service.add({ name: 'b', parent: folder });
    const withFolders = await loadNode({ type: 'delete', allowFolders: true });
    should(passed(await withFolders.run('n', { payload: folder })).payload).match({ result: 'deleted' });
    service.files.has(folder).should.be.false();
  });

  it('the delete node rejects the root and objects with the folder MIME type at a minimal service', async () => {
    const flow = await loadNode({ type: 'delete' });
    for (const payload of ['root', { id: folder, mimeType: MINIMAL_FOLDER }]) {
      failed(await flow.run('n', { payload }), 'invalid_input');
    }
    service.files.has(folder).should.be.true();
  });

  for (const size of [0, 1, 100_000]) {
    it(`the upload node uploads ${size} bytes to a minimal service in one request`, async () => {
      const content = bytes(size);
      const flow = await loadNode({ type: 'upload' });
      const sent = passed(await flow.run('n', { payload: content, filename: 'up.bin', folderId: folder }));
      should(sent).match({ payload: { name: 'up.bin' }, created: true, skipped: false });
      const stored = service.files.get((sent.payload as { id: string }).id);
      should(stored?.parents).eql([folder]);
      should(stored && content.equals(stored.content)).be.true();
      requests()
        .filter((each) => each === 'POST /upload/drive/v3/files')
        .should.have.length(1);
    });
  }

  it('the upload node falls back to one streamed request if a minimal service refuses a resumable upload', async () => {
    const content = bytes(6_000_000);
    await writeFile(disk('large.bin'), content);
    const flow = await loadNode({ type: 'upload', source: 'file' });
    const { payload } = passed(await flow.run('n', { filename: disk('large.bin') }));
    const stored = service.files.get((payload as { id: string }).id);
    should(stored && md5(stored.content)).equal(md5(content));
    should(stored?.parents).eql(['root']);
    const types = service.requests.to('POST', '/upload/').map(({ params }) => params.get('uploadType'));
    types.should.eql(['resumable', 'multipart']);
  });

  for (const ifExists of ['skip', 'error', 'rename']) {
    it(`the upload node with ${ifExists} finds an existing file at a minimal service`, async () => {
      const id = service.add({ name: 'a.txt', parent: folder });
      const flow = await loadNode({ type: 'upload', ifExists });
      const outcome = await flow.run('n', { payload: 'new', filename: 'a.txt', folderId: folder });
      if (ifExists === 'error') failed(outcome, 'conflict', id);
      else if (ifExists === 'skip') should(passed(outcome)).match({ skipped: true, payload: { id } });
      else should(passed(outcome).payload).match({ name: 'a (1).txt' });
    });
  }

  for (const [type, more, message] of [
    [
      'upload',
      { folder: '/new/sub', folderType: 'str', createFolders: true, targetName: 'a' },
      { payload: 'x' },
    ],
    ['sync', { folder: '/new', folderType: 'str' }, {}],
    ['backup', { folder: '/new', folderType: 'str' }, {}],
    ['create-folder', { targetName: '/new', targetNameType: 'str' }, {}],
  ] as const) {
    it(`the ${type} node says that a minimal service can't create the folders of a path`, async () => {
      await writeFile(disk('a.txt'), 'x');
      const flow = await loadNode({ type, ...more });
      const ending = await flow.run('n', { filename: disk(), ...message });
      const code = type === 'sync' ? 'not_configured' : 'bad_response';
      failed(ending, code, 'create the folder “new”', '(status 404)', 'in the service itself');
      [...service.files.values()].map(({ name }) => name).should.not.containEql('new');
    });
  }

  it('the restore node names the archive that it restored from a minimal service', async () => {
    for (const number of ['0041', '0042'])
      service.add({
        name: `home-2026-11-22-${number}.tar`,
        parent: folder,
        content: tar({ name: 'a', content: number }),
      });
    const flow = await loadNode({ type: 'restore', folder, which: 'number' });
    const sent = passed(await flow.run('n', { payload: 41, filename: disk('restored') }));
    should(sent['restored']).match({
      file: { name: 'home-2026-11-22-0041.tar' },
      number: 41,
      date: '2026-11-22',
    });
    (await readFile(disk('restored', 'a'), 'utf8')).should.equal('0041');
  });

  it('the backup node reports old archives that a minimal service cannot move to the trash', async () => {
    await writeFile(disk('a.txt'), 'a');
    const flow = await loadNode({ type: 'backup', folder, keepNewest: 1 });
    passed(await flow.run('n', { filename: disk('a.txt') }));
    const ending = await flow.run('n', { filename: disk('a.txt') });
    failed(ending, 'partial_failure', '1 of 1');
    should((ending.msg as NodeMessage & { pruned: object }).pruned).match({
      removed: [],
      failed: [{ error: { code: 'bad_response' } }],
    });
  });

  it('nodes request a token once, with a form, from a minimal service', async () => {
    const flow = await loadNode({ type: 'about' });
    passed(await flow.run('n'));
    passed(await flow.run('n'));
    service.requests.to('POST', '/token').should.have.length(1);
    const [request] = service.requests.to('POST', '/token');
    should(request?.headers['content-type']).match(/^application\/x-www-form-urlencoded/);
  });
});
