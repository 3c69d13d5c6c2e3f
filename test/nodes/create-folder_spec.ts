/** The create-folder node as docs/nodes/create-folder.md describes it. */
import should from 'should';
import { nodeRunner, useDrive } from '../support/node-red/flow-drive';
import { type FlowNode, load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

const create = (more: object = {}): FlowNode => ({ id: 'n', type: 'cloud-drive-create-folder', ...more });

for (const service of ['custom', 'google'] as const) {
  describe(`create folder node at a ${service} service`, () => {
    useNodeRed();
    const drive = useDrive();
    let parent: string;

    beforeEach(async () => {
      parent = await drive().files.addFolder('parent');
      drive().requests.clear();
    });

    const inParent = (more: object = {}): FlowNode => create({ folder: parent, folderType: 'str', ...more });
    const options = () => ({ url: drive().url, service });
    const run = nodeRunner('create-folder', drive, { service });
    const runInParent: typeof run = (settings, ...others) =>
      run({ folder: parent, folderType: 'str', ...settings }, ...others);

    it('create-folder creates a folder once and then finds it', async () => {
      const flow = await load([inParent()], options());
      const created = passed(await flow.run('n', { payload: 'new', topic: 't', filename: 'f' }));
      should(created).match({
        payload: { name: 'new', mimeType: 'application/vnd.google-apps.folder', parents: [parent] },
        created: true,
        skipped: false,
        topic: 't',
        filename: 'f',
      });
      const found = passed(await flow.run('n', { payload: 'new' }));
      should(found).match({ created: false, skipped: true });
      should(found.payload).eql(created.payload);
      drive().files.in(parent).should.have.length(1);
    });

    it('create-folder creates the folder in the root by default', async () => {
      const flow = await load([create()], options());
      const { payload } = passed(await flow.run('n', { payload: `top ${service}` }));
      should(payload).match({ parents: [drive().files.rootId] });
      should(passed(await flow.run('n', { payload: `top ${service}` }))['created']).be.false();
    });

    it('create-folder uses the name from the dialog', async () => {
      should(
        passed(await runInParent({ targetName: 'typed', targetNameType: 'str' }, { payload: 'x' })).payload,
      ).match({ name: 'typed' });
    });

    it('create-folder accepts a number as a name', async () => {
      should(passed(await runInParent({}, { payload: 2042 })).payload).match({ name: '2042' });
    });

    it('create-folder ignores files, trashed folders and longer names', async () => {
      await drive().files.add({ name: 'new', content: 'x', parent });
      await drive().files.add({ name: 'new folder', mimeType: 'application/vnd.google-apps.folder', parent });
      await drive().files.add({
        name: 'new',
        mimeType: 'application/vnd.google-apps.folder',
        trashed: true,
        parent,
      });
      should(passed(await runInParent({}, { payload: 'new' }))['created']).be.true();
    });

    it('create-folder fails with conflict and both ids if two folders have the name', async () => {
      const ids = [
        await drive().files.addFolder('two', parent),
        await drive().files.addFolder('two', parent),
      ];
      failed(await runInParent({}, { payload: 'two' }), 'conflict', ...ids);
      drive().requests.to('POST', '/drive/').should.be.empty();
    });

    it('create-folder refuses 101 levels before a request, also with a folder whose own path is short enough', async () => {
      const base = { folder: '/deep'.repeat(60), folderType: 'str' };
      const flow = await load([create(base), { ...inParent(), id: 'here' }], options());
      failed(
        await flow.run('n', { payload: '/deep'.repeat(41) }),
        'invalid_input',
        '101 levels',
        'at most 100',
      );
      drive().requests.all.should.be.empty();
      const error = { errors: [{ reason: 'myDriveHierarchyDepthLimitExceeded' }] };
      const match = { method: 'POST', path: /files$/ };
      drive().faults.add({ kind: 'response', status: 403, body: { error }, match });
      const { cause } = failed(await flow.run('here', { payload: 'deeper' }), 'invalid_input', '100 levels');
      should(cause).match({ status: 403, reason: 'myDriveHierarchyDepthLimitExceeded' });
    });

    it('create-folder names the property whose path has too many folders, and their number', async () => {
      const base = { folder: 'topic', folderType: 'msg' };
      const ending = await run(base, { payload: 'a', topic: '/deep'.repeat(101) });
      failed(ending, 'invalid_input', 'folder (msg.topic)', '101 folders', '100 levels');
      drive().requests.all.should.be.empty();
    });

    it('create-folder fails with not_found if the parent folder is missing', async () => {
      failed(await run({ folder: 'gone', folderType: 'str' }, { payload: 'x' }), 'not_found');
    });

    for (const name of ["it's", 'back\\slash', 'a\nb', '😀', 'שלום', 'U\u0308']) {
      it(`create-folder creates a folder named ${JSON.stringify(name)} once`, async () => {
        const flow = await load([inParent()], options());
        should(passed(await flow.run('n', { payload: name }))['created']).be.true();
        should(passed(await flow.run('n', { payload: name.normalize('NFC') }))['created']).be.false();
      });
    }
  });
}
