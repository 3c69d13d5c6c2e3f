/** Every node at a service of one's own with nothing more than it needs: docs/signing-in.md, "A service of your own". */
import { writeFile } from 'node:fs/promises';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { MINIMAL_FOLDER, type MinimalService, startMinimalService } from '../local-drive/minimal-service';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN } from '../support/node-red/account';
import { bytes, md5 } from '../support/content';
import { useDisk } from '../support/disk';
import { type FlowNode, load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

/** What that table lists and nothing else, with an account that has only what a custom service requires. */
describe('every node at a service that has only what the specification lists', () => {
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

  const flowWith = (node: Partial<FlowNode> & { type: string }, more: object = {}) =>
    load(
      [
        { id: 'n', account: 'mine', ...node, type: `cloud-drive-${node.type}` },
        {
          id: 'mine',
          type: 'cloud-drive-account',
          service: 'custom',
          baseUrl: `${service.url}/`,
          tokenUrl: `${service.url}/token`,
          folderMimeType: MINIMAL_FOLDER,
          scope: 'files',
          requestsPerSecond: 1_000,
          ...more,
        },
      ],
      { credentials: { mine: CREDENTIALS } },
    );
  const requests = (): string[] =>
    service.requests.all
      .filter(({ path }) => path !== '/token')
      .map(({ method, path }) => `${method} ${path}`);

  it('about', async () => {
    const flow = await flowWith({ type: 'about' });
    should(passed(await flow.run('n')).payload).match({
      user: { displayName: 'Minimal User' },
      free: 1_000_000,
    });
  });

  it('move, which it does not have, says so and changes nothing', async () => {
    const file = service.add({ name: 'a.txt', parent: folder, content: 'x' });
    for (const action of ['move', 'copy', 'restore']) {
      const flow = await flowWith({ type: 'move', targetName: 'b.txt', action });
      failed(await flow.run('n', { payload: file }), 'bad_response', 'status 405', 'only download');
      await helper.unload();
    }
    requests()
      .every((each) => each.startsWith('GET '))
      .should.be.true();
  });

  it('list-folders', async () => {
    const inner = service.add({ name: 'inner', parent: folder, mimeType: MINIMAL_FOLDER });
    service.add({ name: 'file', parent: folder });
    const flow = await flowWith({ type: 'list-folders' });
    const sent = passed(await flow.run('n', { payload: folder }));
    should(sent.payload).match([{ id: inner, name: 'inner' }]);
    should(sent['truncated']).be.false();
  });

  it('list-folders of the root, and each as a message', async () => {
    const flow = await flowWith({ type: 'list-folders', folder: '', folderType: 'str', output: 'each' });
    const { sent, error } = await flow.run('n');
    should(error).be.undefined();
    sent.map(({ payload }) => (payload as { id: string }).id).should.containEql(folder);
  });

  it('search-files, by kind, with and without a folder type in the account', async () => {
    const file = service.add({ name: 'a 42 x', parent: folder });
    const inner = service.add({ name: 'b 42 y', parent: folder, mimeType: MINIMAL_FOLDER });
    const idsOf = (payload: unknown) => (payload as { id: string }[]).map(({ id }) => id).sort();
    for (const [kind, ids, more] of [
      ['files', [file], {}],
      ['folders', [inner], {}],
      ['any', [file, inner], {}],
      ['files', [file], { folderMimeType: '' }],
    ] as const) {
      const flow = await flowWith({ type: 'search-files', kind }, more);
      idsOf(passed(await flow.run('n', { payload: { folderId: folder, text: '42' } })).payload).should.eql(
        [...ids].sort(),
      );
      await helper.unload();
    }
  });

  it('search-files for a name with a quote and a backslash', async () => {
    const id = service.add({ name: "it's \\ 1", parent: folder });
    const flow = await flowWith({ type: 'search-files' });
    should(passed(await flow.run('n', { payload: "'s \\" })).payload).match([{ id }]);
  });

  it('download to memory: the file holds the id and what the headers say', async () => {
    const content = bytes(200_000);
    const id = service.add({ name: 'x', content });
    const flow = await flowWith({ type: 'download' });
    const sent = passed(await flow.run('n', { payload: id }));
    content.equals(sent.payload as Buffer).should.be.true();
    should(sent['file']).match({ id, mimeType: 'application/octet-stream' });
  });

  it('download to disk, to a path and into a folder', async () => {
    const id = service.add({ name: 'x', content: 'content' });
    const flow = await flowWith({ type: 'download', output: 'file' });
    should(passed(await flow.run('n', { payload: id, filename: disk('a') })).payload).equal(disk('a'));
    should(passed(await flow.run('n', { payload: id, filename: `${disk('in')}/` })).payload).equal(
      disk('in', id),
    );
  });

  it('delete, of a file and of an array; what is gone is not_found', async () => {
    const flow = await flowWith({ type: 'delete' });
    const ids = ['a', 'b', 'c'].map((name) => service.add({ name, parent: folder }));
    should(passed(await flow.run('n', { payload: ids[0] })).payload).eql({ id: ids[0], result: 'deleted' });
    should(passed(await flow.run('n', { payload: ids.slice(1) })).payload).matchEach({ result: 'deleted' });
    failed(await flow.run('n', { payload: ids[0] }), 'not_found');
    for (const id of ids) service.files.has(id).should.be.false();
  });

  it('delete refuses the bare id of a folder with content unless folders are allowed', async () => {
    const file = service.add({ name: 'a', parent: folder });
    const refusing = await flowWith({ type: 'delete' });
    failed(await refusing.run('n', { payload: folder }), 'invalid_input', 'folder');
    failed(await refusing.run('n', { payload: [folder, file] }), 'partial_failure', '1 of 2');
    service.files.has(folder).should.be.true();
    await helper.unload();
    service.add({ name: 'b', parent: folder });
    const allowing = await flowWith({ type: 'delete', allowFolders: true });
    should(passed(await allowing.run('n', { payload: folder })).payload).match({ result: 'deleted' });
    service.files.has(folder).should.be.false();
  });

  it('delete never deletes the root or a folder that says that it is one', async () => {
    const flow = await flowWith({ type: 'delete' });
    for (const payload of ['root', { id: folder, mimeType: MINIMAL_FOLDER }]) {
      failed(await flow.run('n', { payload }), 'invalid_input');
    }
    service.files.has(folder).should.be.true();
  });

  for (const size of [0, 1, 100_000]) {
    it(`upload of ${size} bytes, in one request`, async () => {
      const content = bytes(size);
      const flow = await flowWith({ type: 'upload' });
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

  it('upload of more than 5 MB from disk: what the service refuses falls back to one streamed request', async () => {
    const content = bytes(6_000_000);
    await writeFile(disk('large.bin'), content);
    const flow = await flowWith({ type: 'upload', source: 'file' });
    const { payload } = passed(await flow.run('n', { filename: disk('large.bin') }));
    const stored = service.files.get((payload as { id: string }).id);
    should(stored && md5(stored.content)).equal(md5(content));
    should(stored?.parents).eql(['root']);
    const types = service.requests.to('POST', '/upload/').map(({ params }) => params.get('uploadType'));
    types.should.eql(['resumable', 'multipart']);
  });

  for (const ifExists of ['skip', 'error', 'rename']) {
    it(`upload with ${ifExists} where the name is taken`, async () => {
      const id = service.add({ name: 'a.txt', parent: folder });
      const flow = await flowWith({ type: 'upload', ifExists });
      const ending = await flow.run('n', { payload: 'new', filename: 'a.txt', folderId: folder });
      if (ifExists === 'error') failed(ending, 'conflict', id);
      else if (ifExists === 'skip') should(passed(ending)).match({ skipped: true, payload: { id } });
      else should(passed(ending).payload).match({ name: 'a (1).txt' });
    });
  }

  it('asks for a token once, as a form', async () => {
    const flow = await flowWith({ type: 'about' });
    passed(await flow.run('n'));
    passed(await flow.run('n'));
    service.requests.to('POST', '/token').should.have.length(1);
    const [request] = service.requests.to('POST', '/token');
    should(request?.headers['content-type']).match(/^application\/x-www-form-urlencoded/);
  });
});
