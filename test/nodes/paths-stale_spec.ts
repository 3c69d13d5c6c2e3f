/** Paths whose cached folders were moved, renamed or trashed by someone else: docs/how-it-works.md, "Paths". */
import should from 'should';
import { TOKEN, createTestClient } from '../support/client/test-client';
import { useDrive } from '../support/node-red/flow-drive';
import { type FlowNode, load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

describe('nodes with outdated cached paths', () => {
  useNodeRed();
  const drive = useDrive({ token: TOKEN });
  let unique = 0;
  let top: string;
  let folder: string;

  beforeEach(async () => {
    top = `top ${++unique}`;
    folder = await drive().files.addFolder(top);
  });

  /** A flow that has cached the folder at the path. */
  const cachedFlow = async (node: Partial<FlowNode> & { type: string }) => {
    const all = [
      { id: 'n', ...node },
      { id: 'list', type: 'cloud-drive-list-folders' },
    ];
    const flow = await load(all, { url: drive().url, service: 'google' });
    passed(await flow.run('list', { payload: `/${top}` }));
    return flow;
  };

  const byOtherClient = async (
    work: (client: ReturnType<typeof createTestClient>['client']) => Promise<unknown>,
  ) => {
    const other = createTestClient(drive().url);
    await work(other.client);
    other.close();
  };

  /** Another client renames the cached folder and creates a new one with its name. */
  const replacedFolder = async (node: Partial<FlowNode> & { type: string }) => {
    const file = { name: 'a.tar', content: 'x', modifiedTime: 0 };
    const before = await drive().files.add({ ...file, parent: folder });
    const flow = await cachedFlow(node);
    const name = `${top}(old)`;
    const fields = { fields: 'id', restore: false, ifExists: 'duplicate' } as const;
    await byOtherClient((client) => client.move({ id: folder, name, folderId: '', ...fields }));
    const newFolder = await drive().files.addFolder(top);
    const now = await drive().files.add({ ...file, parent: newFolder });
    return { flow, before, now, newFolder };
  };
  const textOf = async (id: string): Promise<string> => (await drive().files.contentOf(id)).toString();
  const names = (parent: string): string[] => drive().files.untrashedNames(parent);

  it('delete deletes the file in the current folder', async () => {
    const { flow, before, now } = await replacedFolder({ type: 'cloud-drive-delete' });
    passed(await flow.run('n', { payload: `/${top}/a.tar` }));
    should(drive().files.find(now)).equal(undefined);
    should(drive().files.find(before)).be.ok();
  });

  it('prune removes files from the current folder', async () => {
    const rules = { keepDays: 1, minimum: 0, dryRun: false };
    const { flow, before, now } = await replacedFolder({ type: 'cloud-drive-prune', ...rules });
    passed(await flow.run('n', { payload: `/${top}` }));
    should(drive().files.find(now)?.trashed).equal(true);
    should(drive().files.find(before)?.trashed).equal(false);
  });

  it('move renames the file in the current folder', async () => {
    const { flow, before, now } = await replacedFolder({ type: 'cloud-drive-move', targetName: 'b.tar' });
    passed(await flow.run('n', { payload: `/${top}/a.tar` }));
    should(drive().files.find(now)?.name).equal('b.tar');
    should(drive().files.find(before)?.name).equal('a.tar');
  });

  it('move moves files into the current folder', async () => {
    const { flow, newFolder } = await replacedFolder({ type: 'cloud-drive-move', folder: `/${top}` });
    const loose = await drive().files.add({ name: 'loose', content: 'x' });
    passed(await flow.run('n', { payload: loose }));
    should(drive().files.find(loose)?.parent).equal(newFolder);
  });

  it('upload replaces the file in the current folder', async () => {
    const { flow, before, now } = await replacedFolder({ type: 'cloud-drive-upload', ifExists: 'replace' });
    passed(await flow.run('n', { payload: 'new', filename: 'a.tar', folderId: `/${top}` }));
    (await textOf(before)).should.equal('x');
    (await textOf(now)).should.equal('new');
  });

  it('upload with ifExists skip checks the current folder', async () => {
    const { flow, newFolder } = await replacedFolder({ type: 'cloud-drive-upload', ifExists: 'skip' });
    await drive().files.add({ name: 'b.tar', parent: folder, content: 'x' });
    const { created } = passed(
      await flow.run('n', { payload: 'new', filename: 'b.tar', folderId: `/${top}` }),
    ) as { created?: boolean };
    should(created).equal(true);
    names(newFolder).should.eql(['a.tar', 'b.tar']);
  });

  it('create-folder creates folders in the current folder', async () => {
    const { flow, newFolder } = await replacedFolder({ type: 'cloud-drive-create-folder' });
    passed(await flow.run('n', { payload: `/${top}/inner` }));
    names(newFolder).should.eql(['a.tar', 'inner']);
  });

  it('upload replaces no file that was renamed or trashed since', async () => {
    const flow = await cachedFlow({ type: 'cloud-drive-upload', ifExists: 'replace' });
    const msg = (payload: string) => ({ payload, filename: 'a.txt', folderId: `/${top}` });
    const first = (passed(await flow.run('n', msg('1'))).payload as { id: string }).id;
    const rename = { folderId: '', fields: 'id', restore: false, ifExists: 'duplicate' } as const;
    await byOtherClient((client) => client.move({ id: first, name: 'kept.txt', ...rename }));
    const second = (passed(await flow.run('n', msg('2'))).payload as { id: string }).id;
    await byOtherClient((client) => client.trash(second));
    const third = (passed(await flow.run('n', msg('3'))).payload as { id: string }).id;
    new Set([first, second, third]).size.should.equal(3);
    [await textOf(first), await textOf(second), await textOf(third)].should.eql(['1', '2', '3']);
  });

  describe('with the cached folder in the trash', () => {
    const msg = () => ({ payload: 'content', filename: 'a.txt', folderId: `/${top}` });

    for (const ifExists of ['duplicate', 'replace']) {
      it(`upload with ${ifExists} creates the folder again`, async () => {
        const flow = await cachedFlow({ type: 'cloud-drive-upload', ifExists, createFolders: true });
        await byOtherClient((client) => client.trash(folder));
        const { payload, ...more } = passed(await flow.run('n', msg()));
        const { id, parents } = payload as { id: string; parents: string[] };
        should(more).containEql({ created: true, skipped: false });
        Object.keys(payload as object).should.eql([
          'id',
          'name',
          'mimeType',
          'size',
          'md5Checksum',
          'parents',
          'webViewLink',
        ]);
        const newFolder = drive().files.find(parents[0]!);
        should(newFolder).containEql({ name: top, trashed: false });
        should(newFolder?.id).not.equal(folder);
        (await textOf(id)).should.equal('content');
      });
    }

    it('upload uses another folder with the name', async () => {
      const flow = await cachedFlow({ type: 'cloud-drive-upload' });
      await byOtherClient((client) => client.trash(folder));
      const newFolder = await drive().files.addFolder(top);
      passed(await flow.run('n', msg()));
      names(newFolder).should.eql(['a.txt']);
      names(folder).should.eql([]);
    });

    it('upload restores a file that was trashed while its content was uploaded', async () => {
      const flow = await cachedFlow({ type: 'cloud-drive-upload', ifExists: 'replace' });
      const { id } = passed(await flow.run('n', msg())).payload as { id: string };
      const match = { method: 'PATCH', query: /uploadType/ };
      drive().faults.add({ kind: 'delay', match, until: () => byOtherClient((client) => client.trash(id)) });
      passed(await flow.run('n', { ...msg(), payload: 'new' }));
      should(drive().files.find(id)?.trashed).equal(false);
      (await textOf(id)).should.equal('new');
    });

    it('upload fails with not_found if there is no other folder', async () => {
      const flow = await cachedFlow({ type: 'cloud-drive-upload' });
      await byOtherClient((client) => client.trash(folder));
      failed(await flow.run('n', msg()), 'not_found', `/${top}`);
    });

    it('upload fails with conflict if the folder was given by its id', async () => {
      const flow = await cachedFlow({ type: 'cloud-drive-upload' });
      await byOtherClient((client) => client.trash(folder));
      failed(
        await flow.run('n', { ...msg(), folderId: folder }),
        'conflict',
        'a.txt',
        'parent folder is in the trash',
      );
    });

    it('create-folder creates nothing in the trashed folder', async () => {
      const flow = await cachedFlow({ type: 'cloud-drive-create-folder' });
      await byOtherClient((client) => client.trash(folder));
      passed(await flow.run('n', { payload: `/${top}/inner` }));
      names(folder).should.eql([]);
    });
  });
});
