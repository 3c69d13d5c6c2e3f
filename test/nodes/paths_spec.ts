/** Paths in place of ids: docs/nodes.md, "What goes in". */
import type { NodeMessage } from 'node-red';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { TOKEN } from '../support/client/test-client';
import { useDrive } from '../support/node-red/flow-drive';
import { type FlowNode, load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

describe('nodes with paths instead of ids', () => {
  useNodeRed();
  const drive = useDrive({ token: TOKEN });
  let unique = 0;
  let top: string;
  let folder: string;

  beforeEach(async () => {
    top = `top ${++unique}`;
    folder = await drive().files.addFolder(top);
  });

  const run = async (
    type: string,
    more: object,
    msg: NodeMessage & Record<string, unknown>,
    service: 'google' | 'custom' = 'google',
  ) => {
    const node: FlowNode = { id: 'n', type: `cloud-drive-${type}`, ...more };
    const flow = await load([node], { url: drive().url, service });
    const ending = await flow.run('n', msg);
    await helper.unload();
    return ending;
  };
  const names = (parent: string): string[] => drive().files.untrashedNames(parent);

  for (const service of ['google', 'custom'] as const) {
    it(`upload, list, search, download and delete accept paths, at a ${service} service`, async () => {
      const path = `/${top}/2026/11`;
      const up = { payload: 'content', filename: 'a.txt', folderId: path };
      passed(await run('upload', { createFolders: true }, up, service));
      const listed = passed(await run('list-folders', {}, { payload: `/${top}` }, service));
      (listed.payload as { name: string }[]).map(({ name }) => name).should.eql(['2026']);
      const msg = { payload: { folderId: path, text: '' } };
      const found = passed(await run('search-files', {}, msg, service));
      (found.payload as { name: string }[]).map(({ name }) => name).should.eql(['a.txt']);
      const down = passed(await run('download', { output: 'string' }, { payload: `${path}/a.txt` }, service));
      should(down.payload).equal('content');
      passed(await run('delete', {}, { payload: `${path}/a.txt` }, service));
      const gone = passed(await run('search-files', {}, msg, service));
      should(gone.payload).eql([]);
    });
  }

  it('upload fails with not_found and the missing folder unless createFolders is set', async () => {
    const msg = { payload: 'x', filename: 'a.txt', folderId: `/${top}/none` };
    failed(await run('upload', {}, msg), 'not_found', 'The folder “none” in /', `/${top}/none`);
    names(folder).should.eql([]);
  });

  for (const service of ['google', 'custom'] as const) {
    const creating: [string, object, (path: string) => NodeMessage & Record<string, unknown>][] = [
      ['upload', { createFolders: true }, (path) => ({ payload: 'x', filename: 'a.txt', folderId: path })],
      ['move', { createFolders: true, folder: 'to', folderType: 'msg' }, (to) => ({ payload: folder, to })],
      ['create-folder', {}, (path) => ({ payload: path })],
      ['sync', {}, (path) => ({ payload: path, filename: __dirname })],
      ['sync', { dryRun: true }, (path) => ({ payload: path, filename: __dirname })],
      ['backup', { folder: 'to', folderType: 'msg' }, (to) => ({ to, filename: __filename })],
    ];
    for (const [type, more, msg] of creating) {
      it(`${type} ${Object.keys(more)[0] ?? ''} creates no folder that has the name of a file, at a ${service} service`, async () => {
        await drive().files.add({ name: 'report-42.txt', parent: folder, content: 'x' });
        drive().requests.clear();
        for (const path of [`/${top}/report-42.txt`, `/${top}/report-42.txt/2026/11`]) {
          const words = ['“report-42.txt” in /', path, 'is a file'];
          failed(await run(type, more, msg(path), service), 'conflict', ...words);
        }
        const writes = drive().requests.all.filter(
          ({ method, path }) => method !== 'GET' && /files/.test(path),
        );
        writes.should.be.empty();
        names(folder).should.eql(['report-42.txt']);
      });
    }
  }

  for (const service of ['google', 'custom'] as const) {
    const to = { folder: 'to', folderType: 'msg' };
    for (const [type, more, msg] of [
      ['list-folders', to, {}],
      ['search-files', { ...to, text: '', textType: 'str' }, {}],
      ['search-files', { ...to, text: '', textType: 'str', recursive: true }, {}],
      ['prune', { ...to, keepNewest: 1 }, {}],
      ['restore', { ...to, action: 'check' }, {}],
      ['sync', { ...to, direction: 'down', createFolders: false }, { filename: __dirname }],
    ] as const) {
      it(`${type} ${Object.keys(more)[2] ?? ''} says that its folder is a file, at a ${service} service`, async () => {
        const id = await drive().files.add({ name: 'report-42.txt', parent: folder, content: 'x' });
        for (const path of [`/${top}/report-42.txt`, `/${top}/report-42.txt/2026`]) {
          const ending = await run(type, more, { ...msg, to: path }, service);
          failed(ending, 'conflict', '“report-42.txt” in /', path, 'is a file');
        }
        if (service === 'custom') return;
        failed(await run(type, more, { ...msg, to: id }, service), 'invalid_input', '“report-42.txt”', 'isn');
      });
    }
  }

  it('a path leads through a folder that has the same name as a file', async () => {
    await drive().files.add({ name: 'both', parent: folder, content: 'x' });
    const inside = await drive().files.addFolder('both', folder);
    const msg = { payload: 'x', filename: 'a.txt', folderId: `/${top}/both/new` };
    passed(await run('upload', { createFolders: true }, msg));
    names(inside).should.eql(['new']);
  });

  it('create-folder creates nested folders below a folder', async () => {
    const payload = '/2026/11/21';
    const created = passed(await run('create-folder', { folder, folderType: 'str' }, { payload }));
    should(created.payload).have.property('name', '21');
    should(created).containEql({ created: true, skipped: false });
    names(folder).should.eql(['2026']);
    const again = passed(await run('create-folder', { folder: `/${top}` }, { payload }));
    should(again.payload).have.property('id', (created.payload as { id: string }).id);
    should(again).containEql({ created: false, skipped: true });
  });

  it('delete rejects paths of the root', async () => {
    for (const payload of ['/', '//']) {
      failed(await run('delete', { allowFolders: true }, { payload }), 'invalid_input', 'root');
    }
  });

  it('delete reports the result of each path of an array', async () => {
    const id = await drive().files.add({ name: 'a', parent: folder, content: 'x' });
    const payload = [`/${top}/a`, `/${top}/none`];
    const { msg, error } = await run('delete', {}, { payload });
    should(error?.cause?.code).equal('partial_failure');
    const [deleted, failure] = msg.payload as { id: string; result: string; error?: { code: string } }[];
    should(deleted).eql({ id, result: 'deleted' });
    should(failure).containEql({ id: `/${top}/none`, result: 'failed' });
    should(failure?.error?.code).equal('not_found');
    const ignoring = passed(await run('delete', { missing: 'ignore' }, { payload: `/${top}/none` }));
    should(ignoring.payload).eql({ id: `/${top}/none`, result: 'missing' });
  });

  it('download fails with conflict and both ids if two files have the path', async () => {
    const ids = [
      await drive().files.add({ name: 'twin', parent: folder, content: '1' }),
      await drive().files.add({ name: 'twin', parent: folder, content: '2' }),
    ];
    failed(await run('download', {}, { payload: `/${top}/twin` }), 'conflict', ...ids);
  });

  it('list-folders finds a folder that was deleted and created again with the same name', async () => {
    const flow = await load(
      [
        { id: 'list', type: 'cloud-drive-list-folders' },
        { id: 'delete', type: 'cloud-drive-delete', allowFolders: true },
      ],
      { url: drive().url, service: 'google' },
    );
    should(passed(await flow.run('list', { payload: `/${top}` })).payload).eql([]);
    passed(await flow.run('delete', { payload: folder }));
    const again = await drive().files.addFolder(top);
    const inner = await drive().files.addFolder('inner', again);
    const { payload } = passed(await flow.run('list', { payload: `/${top}` }));
    (payload as { id: string }[]).map(({ id }) => id).should.eql([inner]);
  });
});
