/** The move node as docs/nodes/move.md describes it. */
import type { NodeMessage } from 'node-red';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { nodeRunner, useDrive } from '../support/node-red/flow-drive';
import { type FlowNode, load, node, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

describe('move node', () => {
  useNodeRed();
  const drive = useDrive();
  let unique = 0;
  let top: string;
  let folder: string;
  let id: string;

  beforeEach(async () => {
    top = `/top ${++unique}`;
    folder = await drive().files.addFolder(top.slice(1));
    id = await drive().files.add({ name: 'a.txt', parent: folder, content: 'content' });
    drive().requests.clear();
  });

  const run = nodeRunner('move', drive, { service: 'google' }, () => ({ topic: 'mine', payload: id }));
  const names = (parent = folder): string[] => drive().files.untrashedNames(parent);
  const child = (name: string, parent = folder): string =>
    drive()
      .files.in(parent)
      .find((file) => file.name === name)!.id;

  for (const service of ['google', 'custom'] as const) {
    it(`move creates the missing folders of a path, at a ${service} service`, async () => {
      const more = { folder: `${top}/2026/11`, createFolders: true };
      const sent = passed(await run(more, { payload: `${top}/a.txt` }, { service }));
      const month = child('11', child('2026'));
      should(sent).containEql({ topic: 'mine', created: false, skipped: false });
      should(sent.payload).match({ id, name: 'a.txt', size: '7', parents: [month] });
      should(sent.payload).not.have.property('trashed');
      names(month).should.eql(['a.txt']);
    });
  }

  it('move accepts a file object, and the folder and the name from the message', async () => {
    const other = await drive().files.addFolder('other', folder);
    const more = { folder: 'folder', folderType: 'msg', targetName: 'to', targetNameType: 'msg' };
    const payload = { id, name: 'old news' };
    const sent = passed(await run(more, { payload, folder: { id: other }, to: 'b.txt' }));
    should(sent.payload).match({ id, name: 'b.txt', parents: [other] });
  });

  it('move renames a file if no folder is set', async () => {
    passed(await run({ targetName: 'b.txt' }));
    names().should.eql(['b.txt']);
  });

  it('move explains that a folder can be moved neither into itself nor into its subfolders', async () => {
    const inner = await drive().files.addFolder('inner', folder);
    for (const [target, requests] of [
      [folder, 0],
      [inner, 1],
    ] as const) {
      const ending = await run({ folder: target }, { payload: folder });
      failed(ending, 'invalid_input', 'into itself or one of its');
      drive().requests.to('PATCH').should.have.length(requests);
    }
    names().should.eql(['a.txt', 'inner']);
  });

  it('move names a file in place of the target folder', async () => {
    for (const createFolders of [false, true]) {
      const ending = await run({ folder: `${top}/a.txt`, createFolders });
      failed(ending, 'conflict', `“a.txt” in ${top}/a.txt is a file, not a folder`);
    }
  });

  it('move says how a missing target folder is created, but not for the folder of the file', async () => {
    const advice = '“Create missing folders”';
    failed(await run({ folder: `${top}/none` }), 'not_found', '“none”', advice);
    const { message } = failed(
      await run({ targetName: 'b' }, { payload: `${top}/none/a.txt` }),
      'not_found',
      '“none”',
    );
    message.should.not.containEql(advice);
  });

  it('move takes / as the root', async () => {
    const sent = passed(await run({ folder: '/', targetName: `in the root ${unique}` }));
    should(sent.payload).match({ parents: [drive().files.rootId] });
  });

  it('move copies a file', async () => {
    const sent = passed(await run({ action: 'copy', ifExists: 'rename' }));
    should(sent).containEql({ created: true, skipped: false });
    should(sent.payload).match({ name: 'a (1).txt' });
    names().should.eql(['a.txt', 'a (1).txt']);
  });

  it('move restores a file by id and by path, also one that is not in the trash', async () => {
    for (const payload of [id, `${top}/a.txt`]) {
      const flow = await load([{ id: 'd', type: 'cloud-drive-delete', mode: 'trash' }], { url: drive().url });
      await flow.run('d', { payload: id });
      await helper.unload();
      names().should.eql([]);
      for (const [text, skipped] of [
        ['restored', false],
        ['not in the trash', true],
      ]) {
        const flow = await load([node('move', { action: 'restore' })], { url: drive().url });
        should(passed(await flow.run('n', { payload }))).match({ payload: { id }, skipped });
        should(flow.statuses('n').at(-1)).containEql({ fill: 'green', text: `a.txt · ${String(text)}` });
        await helper.unload();
        names().should.eql(['a.txt']);
      }
    }
  });

  it('move fails with conflict if several files with the name are in the trash', async () => {
    const ids = [
      await drive().files.add({ name: 'b', parent: folder, trashed: true }),
      await drive().files.add({ name: 'b', parent: folder, trashed: true }),
    ];
    failed(await run({ action: 'restore' }, { payload: `${top}/b` }), 'conflict', ...ids);
  });

  it('move skips a file or fails with conflict if the name is taken', async () => {
    const other = await drive().files.addFolder('other', folder);
    const existing = await drive().files.add({ name: 'a.txt', parent: other });
    const sent = passed(await run({ folder: other, ifExists: 'skip' }));
    should(sent).match({ payload: { id: existing }, skipped: true, created: false });
    failed(await run({ folder: other, ifExists: 'error' }), 'conflict', existing);
    names().should.eql(['a.txt', 'other']);
  });

  it('move resolves the path of a folder again after moving that folder', async () => {
    const inner = await drive().files.addFolder('inner', folder);
    const nodes: FlowNode[] = [
      { id: 'into', type: 'cloud-drive-move', folder: `${top}/inner`, createFolders: true },
      { id: 'rename', type: 'cloud-drive-move', targetName: 'renamed' },
    ];
    const flow = await load(nodes, { url: drive().url });
    passed(await flow.run('into', { payload: id }));
    passed(await flow.run('rename', { payload: inner }));
    passed(await flow.run('into', { payload: await drive().files.add({ name: 'b', parent: folder }) }));
    await helper.unload();
    names(inner).should.eql(['a.txt']);
    names(child('inner')).should.eql(['b']);
  });

  const rejected: [string, object, (NodeMessage & Record<string, unknown>) | undefined, string][] = [
    ['nothing to do', {}, undefined, 'No folder and no name is given'],
    ['an invalid file', { folder: '/' }, { payload: 5 }, 'file (msg.payload)'],
    ['a missing file', { folder: '/' }, { payload: undefined }, 'file (msg.payload)'],
    ['the root', { targetName: 'x' }, { payload: 'root' }, "root of the drive can't be moved"],
    ['the path of the root', { targetName: 'x' }, { payload: '/' }, "root of the drive can't be moved"],
    [
      'a missing folder property',
      { folder: 'x', folderType: 'msg', targetName: 'x' },
      undefined,
      'folder (msg.x)',
    ],
    [
      'a missing name property',
      { folder: '/', targetName: 'x', targetNameType: 'msg' },
      undefined,
      'targetName (msg.x)',
    ],
    ['an unknown action', { folder: '/', action: 'burn' }, undefined, 'action'],
    ['an unknown conflict policy', { folder: '/', ifExists: 'burn' }, undefined, 'ifExists'],
  ];
  for (const [description, more, msg, words] of rejected) {
    it(`move rejects ${description} without any request`, async () => {
      failed(await run(more, msg ?? { payload: id }), 'invalid_input', words);
      drive()
        .requests.all.filter(({ path }) => path.includes('/drive/v3/'))
        .length.should.equal(0);
    });
  }

  it('move creates no folder for a shortcut that the service doesn’t support', async () => {
    const more = { action: 'shortcut', folder: `${top}/new`, createFolders: true };
    failed(await run(more, { payload: id }, { service: 'custom' }), 'invalid_input', 'Google Drive');
    names().should.eql(['a.txt']);
  });

  it('move rejects copying a folder, and a missing folder or file', async () => {
    failed(await run({ action: 'copy' }, { payload: folder }), 'invalid_input', 'only files');
    failed(await run({ folder: `${top}/none` }), 'not_found', 'The folder “none” in /');
    failed(await run({ folder: '/' }, { payload: 'missing' }), 'not_found');
    names().should.eql(['a.txt']);
  });
});
